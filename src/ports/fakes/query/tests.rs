//! The script does what it says; that the fake reads as the real readers do is the contract's business.

use futures::executor::block_on;
use futures::future::{self, Either};
use kollect_domain::ids::NamespacedName;
use kollect_domain::query::{Order, SortBy};
use serde_json::json;

use super::*;

fn inventory() -> InventoryId {
    InventoryId {
        cluster: "north".into(),
        inventory: NamespacedName::new("shop", "all"),
    }
}

fn row(name: &str, uid: &str) -> StoredRow {
    StoredRow {
        inventory: inventory(),
        key: RowKey {
            target: "apps".into(),
            uid: uid.into(),
        },
        payload: json!({"name": name, "namespace": "shop", "kind": "Deployment", "group": "apps", "attributes": {}}),
        exported_at: "2026-12-01T10:00:00Z".parse().unwrap(),
    }
}

fn away() -> PortError {
    PortError::new(ErrorClass::Unavailable, "ExportFailed", "the database is away")
}

#[test]
fn a_scripted_error_is_met_once() {
    let reader = FakeReader::default();
    reader.fail(away());
    assert_eq!(block_on(reader.inventories(&View::default())), Err(away()));
    assert_eq!(block_on(reader.inventories(&View::default())), Ok(Vec::new()));
}

#[test]
fn a_silent_reader_does_not_answer() {
    let reader = FakeReader::default();
    reader.stay_silent();
    let view = View::default();
    let first = block_on(future::select(reader.inventories(&view), future::ready(())));
    assert!(matches!(first, Either::Right(_)), "silence is no answer");
}

#[test]
#[should_panic(expected = "1 scripted faults of a fake reader were never met")]
fn a_script_that_is_not_played_fails_the_test() {
    let reader = FakeReader::default();
    reader.fail(away());
}

#[test]
fn a_moment_in_the_past_is_refused() {
    let view = View {
        at: Some("2020-01-01T00:00:00Z".parse().unwrap()),
        ..View::default()
    };
    let refused = block_on(FakeReader::default().inventories(&view)).unwrap_err();
    assert_eq!(refused.reason, HISTORY_UNAVAILABLE);
}

#[test]
fn equal_sort_values_are_told_apart_by_the_row_key_in_both_directions() {
    let reader = FakeReader::default();
    for uid in ["b", "c", "a"] {
        reader.put(row("web", uid));
    }
    let uids = |descending| {
        let mut request = PageRequest {
            inventory: inventory(),
            kind: None,
            text: String::new(),
            order: Order {
                by: SortBy::Name,
                descending,
            },
            after: None,
            limit: 1,
        };
        let mut uids = String::new();
        loop {
            let page = block_on(reader.page(&request, &View::default())).unwrap();
            uids.extend(page.rows.iter().map(|row| &*row.key.uid));
            request.after = page.next;
            if request.after.is_none() {
                return uids;
            }
        }
    };
    assert_eq!((uids(false).as_str(), uids(true).as_str()), ("abc", "cba"));
}

mod contract {
    use std::sync::Arc;

    use async_trait::async_trait;

    use crate::contract::query::{QueryHarness, Reader};
    use crate::fakes::query::FakeReader;
    use crate::query::{InventoryId, ScopeState, StoredRow};

    #[derive(Default)]
    struct Harness(Arc<FakeReader>);

    #[async_trait]
    impl QueryHarness for Harness {
        async fn reader(&self) -> Arc<dyn Reader> {
            self.0.clone()
        }

        async fn put(&self, rows: &[StoredRow]) {
            rows.iter().cloned().for_each(|row| self.0.put(row));
        }

        async fn remove(&self, row: &StoredRow) {
            assert!(self.0.remove(&row.inventory, &row.key));
        }

        async fn record(&self, inventory: &InventoryId, states: &[ScopeState]) {
            self.0.record(inventory, states.to_vec());
        }
    }

    crate::query_contract!(async { Harness::default() }, futures::executor::block_on);
}
