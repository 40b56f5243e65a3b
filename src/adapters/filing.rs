//! How database sinks file rows, and how they understand what they find.

use std::sync::Arc;

use kollect_domain::row::{Row, RowDigest};
use kollect_ports::sink::HeldRow;
use serde_json::Value;

/// The namespace under which a row is filed: objects without one are filed under that of the inventory.
pub(crate) fn namespace_of<'a>(row: &'a Row, inventory_namespace: &'a str) -> &'a str {
    match row.namespace() {
        "" => inventory_namespace,
        own => own,
    }
}

/// What a database holds under `uid`, digested here: tables have no column for digests.
pub(crate) fn held(uid: &str, filed_under: &str, payload: &str) -> HeldRow {
    let (namespace, digest) = understood(payload).unwrap_or_else(|| (filed_under.into(), unequal()));
    HeldRow {
        uid: uid.into(),
        namespace,
        digest,
    }
}

/// Namespace of the object and digest of a stored payload; nothing when the payload is not a row of ours.
///
/// The column with the namespace does not tell a cluster-scoped object from one of the inventory's own namespace.
fn understood(payload: &str) -> Option<(Arc<str>, RowDigest)> {
    let value: Value = serde_json::from_str(payload).ok()?;
    let namespace = value.get("namespace")?.as_str()?.into();
    Some((namespace, RowDigest::of_value(&value)))
}

/// A digest that no row has: whatever is stored there differs and will be written again.
fn unequal() -> RowDigest {
    RowDigest::from_bytes([0; 16])
}

#[cfg(test)]
mod tests {
    use kollect_domain::row::RowIdentity;
    use serde_json::Map;

    use super::*;

    fn row(namespace: &str) -> Row {
        let identity = RowIdentity {
            target_namespace: "team-a",
            target_name: "nodes",
            namespace,
            name: "n-1",
            group: "",
            version: "v1",
            kind: "Node",
            uid: "u-1",
        };
        Row::new(&identity, &Map::new())
    }

    #[test]
    fn an_object_is_filed_under_its_own_namespace_or_that_of_the_inventory() {
        assert_eq!(namespace_of(&row("shop"), "team-a"), "shop");
        assert_eq!(namespace_of(&row(""), "team-a"), "team-a");
    }

    #[test]
    fn a_stored_payload_gives_the_namespace_and_digest_of_its_row() {
        let row = row("");
        let held = held("u-1", "team-a", row.payload());
        assert_eq!((&*held.namespace, held.digest), ("", row.digest()));
    }

    #[test]
    fn what_is_not_a_row_of_ours_differs_from_every_row() {
        for payload in ["", "{", "[]", "{\"uid\":\"u-1\"}", "{\"namespace\":7}"] {
            let held = held("u-1", "team-a", payload);
            assert_eq!((&*held.namespace, held.digest), ("team-a", unequal()), "{payload}");
        }
    }
}
