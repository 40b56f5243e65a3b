//! Rows and keys as parameters of one statement: one array per column.

use std::sync::Arc;

use kollect_domain::ids::RowKey;
use kollect_domain::row::Row;
use tokio_postgres::types::Type;

use crate::filing::namespace_of;
use crate::postgres::connection::Parameter;

/// Rows of one statement. Larger ones gain nothing and hold more memory on both sides.
const ROWS: usize = 2_000;
/// Bytes of payload of one statement, for inventories with large rows.
const BYTES: usize = 4 << 20;

/// A row to write, with its key.
pub(super) type Upsert = (RowKey, Arc<Row>);

/// Rows to write.
#[derive(Debug)]
pub(super) struct Batch<'a> {
    targets: Vec<&'a str>,
    uids: Vec<&'a str>,
    namespaces: Vec<&'a str>,
    payloads: Vec<&'a str>,
}

impl<'a> Batch<'a> {
    /// All of `rows`; objects without a namespace are filed under that of the inventory.
    pub(super) fn new(rows: &'a [Upsert], inventory_namespace: &'a str) -> Self {
        Self {
            targets: rows.iter().map(|(key, _)| &*key.target).collect(),
            uids: rows.iter().map(|(key, _)| &*key.uid).collect(),
            namespaces: rows
                .iter()
                .map(|(_, row)| namespace_of(row, inventory_namespace))
                .collect(),
            payloads: rows.iter().map(|(_, row)| row.payload()).collect(),
        }
    }

    /// Targets, uids, namespaces, payloads.
    pub(super) fn parameters(&self) -> [Parameter<'_>; 4] {
        [&self.targets, &self.uids, &self.namespaces, &self.payloads].map(|column| (column as _, Type::TEXT_ARRAY))
    }
}

/// Bytes of payload.
pub(super) fn bytes_of(rows: &[Upsert]) -> usize {
    rows.iter().map(|(_, row)| row.payload().len()).sum()
}

/// Whether the rows fit one statement.
pub(super) fn fits(rows: &[Upsert]) -> bool {
    first_chunk(rows) == rows.len()
}

/// The rows in pieces that fit one statement each, in order.
pub(super) fn chunks(mut rows: &[Upsert]) -> impl Iterator<Item = &[Upsert]> {
    std::iter::from_fn(move || {
        let (chunk, rest) = rows.split_at(first_chunk(rows));
        rows = rest;
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// How many of the first rows fit one statement; at least one, however large it is.
fn first_chunk(rows: &[Upsert]) -> usize {
    let mut bytes = 0;
    let fitting = rows.iter().take(ROWS).take_while(|(_, row)| {
        bytes += row.payload().len();
        bytes <= BYTES
    });
    fitting.count().max(1).min(rows.len())
}

/// Keys of rows to remove.
#[derive(Debug)]
pub(super) struct Keys<'a> {
    targets: Vec<&'a str>,
    uids: Vec<&'a str>,
}

impl<'a> Keys<'a> {
    pub(super) fn new(keys: &'a [RowKey]) -> Self {
        Self {
            targets: keys.iter().map(|key| &*key.target).collect(),
            uids: keys.iter().map(|key| &*key.uid).collect(),
        }
    }

    /// Whether the keys fit one statement.
    pub(super) fn fit(keys: &[RowKey]) -> bool {
        keys.len() <= ROWS
    }

    /// The keys in pieces that fit one statement each, in order.
    pub(super) fn chunks(keys: &'a [RowKey]) -> impl Iterator<Item = Self> {
        keys.chunks(ROWS).map(Self::new)
    }

    /// Targets, uids.
    pub(super) fn parameters(&self) -> [Parameter<'_>; 2] {
        [&self.targets, &self.uids].map(|column| (column as _, Type::TEXT_ARRAY))
    }
}

#[cfg(test)]
mod tests {
    use kollect_domain::row::RowIdentity;
    use serde_json::{Map, Value};

    use super::*;

    fn row(number: usize, size: usize) -> Upsert {
        let uid = format!("u-{number}");
        let identity = RowIdentity {
            target_namespace: "n",
            target_name: "t",
            namespace: "",
            name: "x",
            group: "",
            version: "v1",
            kind: "Pod",
            uid: &uid,
        };
        let attributes = Map::from_iter([("text".to_owned(), Value::from("a".repeat(size)))]);
        let key = RowKey {
            target: "t".into(),
            uid: uid.as_str().into(),
        };
        (key, Arc::new(Row::new(&identity, &attributes)))
    }

    #[test]
    fn chunks_hold_all_rows_in_order_and_stay_within_both_limits() {
        let rows: Vec<Upsert> = (0..4_500)
            .map(|number| row(number, if number % 900 == 0 { 1 << 20 } else { 10 }))
            .collect();
        let chunks: Vec<&[Upsert]> = chunks(&rows).collect();
        assert_eq!(chunks.concat(), rows);
        assert!(
            chunks
                .iter()
                .all(|chunk| chunk.len() <= ROWS && bytes_of(chunk) <= BYTES)
        );
        assert!(chunks.len() <= 4, "{} statements", chunks.len());
    }

    #[test]
    fn a_row_larger_than_a_statement_goes_alone() {
        let rows = [row(0, 5 << 20), row(1, 1)];
        assert_eq!(chunks(&rows).map(<[_]>::len).collect::<Vec<_>>(), [1, 1]);
        assert!(!fits(&rows));
    }

    #[test]
    fn no_rows_are_no_chunk_and_fit() {
        assert_eq!(chunks(&[]).count(), 0);
        assert!(fits(&[]));
    }
}
