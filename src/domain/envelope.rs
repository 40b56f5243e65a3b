//! The export envelope: the document that carries the rows of an inventory.
//!
//! **Shape**: compact canonical JSON with the members `schemaVersion`, `checksum`, `generation` (absent when 0),
//! `itemCount`, `exportedAt`, `cluster` (absent when empty) and `items`, in this order. It is written piece by piece, so
//! that it never exists as a whole beside the rows: [`Envelope::head`], the rows' payloads with a comma between two of
//! them, [`Envelope::TAIL`].

use jiff::Timestamp;

use crate::canonical::Encoder;
use crate::row::{Row, fingerprint};

/// The only version of the envelope.
const SCHEMA_VERSION: &str = "kollect.dev/v1alpha1";

/// What an envelope says beside its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// Label of the source cluster; empty = none.
    pub cluster: &'a str,
    /// `metadata.generation` of the inventory; 0 = none.
    pub generation: i64,
    /// When the rows were exported.
    pub exported_at: Timestamp,
}

impl Envelope<'_> {
    /// What follows the last row.
    pub const TAIL: &'static str = "]}";

    /// Everything before the first row. `rows` are in canonical order ([`Row::canonical_cmp`]).
    pub fn head<'r>(&self, rows: impl ExactSizeIterator<Item = &'r Row>) -> String {
        let count = rows.len();
        let mut encoder = Encoder::with_capacity(256);
        encoder.raw("{\"schemaVersion\":");
        encoder.string(SCHEMA_VERSION);
        encoder.raw(",\"checksum\":");
        encoder.string(&fingerprint(rows));
        if self.generation != 0 {
            encoder.raw(&format!(",\"generation\":{}", self.generation));
        }
        encoder.raw(&format!(",\"itemCount\":{count},\"exportedAt\":"));
        encoder.string(&self.exported_at.to_string());
        if !self.cluster.is_empty() {
            encoder.raw(",\"cluster\":");
            encoder.string(self.cluster);
        }
        encoder.raw(",\"items\":[");
        encoder.finish().0
    }

    /// The whole document.
    pub fn document(&self, rows: &[&Row]) -> String {
        let payloads: Vec<&str> = rows.iter().map(|row| row.payload()).collect();
        self.head(rows.iter().copied()) + &payloads.join(",") + Self::TAIL
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::row::RowIdentity;

    fn row(name: &str, uid: &str, attributes: &Value) -> Row {
        let identity = RowIdentity {
            target_namespace: "shop",
            target_name: "apps",
            namespace: "shop",
            name,
            group: "apps",
            version: "v1",
            kind: "Deployment",
            uid,
        };
        Row::new(&identity, attributes.as_object().unwrap())
    }

    #[test]
    fn two_rows_give_the_documented_bytes() {
        let rows = [
            row(
                "cart",
                "7d0e-01",
                &json!({"args": "a < b", "image": "registry.example/cart:2.4", "replicas": 3}),
            ),
            row(
                "web",
                "7d0e-02",
                &json!({"image": "registry.example/web:1.0", "replicas": 1}),
            ),
        ];
        let envelope = Envelope {
            cluster: "",
            generation: 4,
            exported_at: "2026-03-02T08:00:00.25Z".parse().unwrap(),
        };
        let expected = r#"{"schemaVersion":"kollect.dev/v1alpha1","checksum":"a75210d38a09f3f5b47c12c50fa9f007a4180ab630b0ab84089fad251ea9ed30","generation":4,"itemCount":2,"exportedAt":"2026-03-02T08:00:00.25Z","items":[{"targetNamespace":"shop","targetName":"apps","namespace":"shop","name":"cart","group":"apps","version":"v1","kind":"Deployment","uid":"7d0e-01","attributes":{"args":"a \u003c b","image":"registry.example/cart:2.4","replicas":3}},{"targetNamespace":"shop","targetName":"apps","namespace":"shop","name":"web","group":"apps","version":"v1","kind":"Deployment","uid":"7d0e-02","attributes":{"image":"registry.example/web:1.0","replicas":1}}]}"#;
        assert_eq!(envelope.document(&[&rows[0], &rows[1]]), expected);
        assert_eq!(expected.len(), 634);
    }

    #[test]
    fn an_envelope_without_rows_has_an_empty_list_and_its_checksum() {
        let envelope = Envelope {
            cluster: "eu-1",
            generation: 0,
            exported_at: "2026-03-02T08:00:00Z".parse().unwrap(),
        };
        assert_eq!(
            envelope.document(&[]),
            r#"{"schemaVersion":"kollect.dev/v1alpha1","checksum":"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","itemCount":0,"exportedAt":"2026-03-02T08:00:00Z","cluster":"eu-1","items":[]}"#
        );
    }
}
