//! Rows to ask about, and what is expected of lists of them.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::str::FromStr;

use serde_json::{Value, json};

use super::{InventoryId, Order, SortBy, StoredRow, inventory, key};

/// A time, some seconds after noon, less than an hour.
pub(super) fn at<T: FromStr<Err: Debug>>(seconds: i64) -> T {
    let text = format!("2026-12-01T12:{:02}:{:02}Z", seconds / 60, seconds % 60);
    text.parse().expect("a time")
}

/// An object with these members and attributes.
pub(super) fn row(
    inventory: &InventoryId,
    uid: &str,
    (group, kind, namespace, name): (&str, &str, &str, &str),
    attributes: &Value,
) -> StoredRow {
    let mut payload = json!({
        "targetNamespace": "team-a", "targetName": "all", "namespace": namespace, "name": name,
        "version": "v1", "kind": kind, "uid": uid, "attributes": attributes,
    });
    if !group.is_empty() {
        payload["group"] = group.into();
    }
    StoredRow {
        inventory: inventory.clone(),
        key: key("all", uid),
        payload,
        exported_at: at(0),
    }
}

/// Rows that make every order and every tie matter: values that are equal, values that a collation of a language would
/// sort in another way, and keys of several targets.
pub(super) fn varied(inventory: &InventoryId) -> Vec<StoredRow> {
    let namespaces = ["shop", "Shop", "", "shop-b", "über", "a_b"];
    let names = ["web", "Web", "web-1", "web1", "zoë", "db"];
    let kinds = [("apps", "Deployment"), ("", "Pod"), ("example.com", "Pod")];
    (0..72)
        .map(|number: usize| {
            let (group, kind) = kinds[number % kinds.len()];
            let (namespace, name) = (
                namespaces[number % 5 % namespaces.len()],
                names[number / 3 % names.len()],
            );
            let uid = format!(
                "{}-{:02}",
                if number.is_multiple_of(2) { "u" } else { "U" },
                number * 29 % 72
            );
            let attributes = json!({ "replicas": number });
            let mut row = row(inventory, &uid, (group, kind, namespace, name), &attributes);
            row.key.target = ["all", "All", "b"][number / 7 % 3].into();
            row.exported_at = at(i64::try_from(number % 7).unwrap_or_default());
            row
        })
        .collect()
}

/// The list that pages have to give together.
pub(super) fn listed(rows: &[StoredRow], order: Order) -> Vec<StoredRow> {
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| compared(a, b, order));
    rows
}

/// Which of two rows comes first.
pub(super) fn compared(a: &StoredRow, b: &StoredRow, order: Order) -> Ordering {
    let text = |name: &str| member(a, name).cmp(member(b, name));
    let by_place = || text("namespace").then_with(|| text("name"));
    let sorted = match order.by {
        SortBy::Namespace => by_place(),
        SortBy::Name => text("name").then_with(|| text("namespace")),
        SortBy::Kind => text("kind").then_with(by_place),
        SortBy::ExportedAt => a.exported_at.cmp(&b.exported_at),
    };
    let ascending = sorted.then_with(|| a.key.cmp(&b.key));
    if order.descending {
        ascending.reverse()
    } else {
        ascending
    }
}

/// A member that is text, and no text otherwise.
pub(super) fn member<'a>(row: &'a StoredRow, name: &str) -> &'a str {
    row.payload.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Two inventories under each of two cluster labels, with rows in two namespaces and one of the cluster.
pub(super) fn estate() -> Vec<StoredRow> {
    let mut rows = Vec::new();
    for (cluster, name) in [("north", "apps"), ("north", "infra"), ("south", "apps")] {
        let inventory = inventory(cluster, name);
        let members = [
            ("u-1", ("apps", "Deployment", "shop", "web")),
            ("u-2", ("apps", "Deployment", "shop", "db")),
            ("u-3", ("", "Pod", "bank", "web-0")),
            ("u-4", ("", "Node", "", "n-1")),
        ];
        rows.extend(members.map(|(uid, members)| row(&inventory, uid, members, &json!({}))));
    }
    rows
}
