//! The fake keeps the contract, and its script does what it says.

use std::sync::Arc;

use async_trait::async_trait;
use futures::FutureExt as _;
use futures::executor::block_on;
use kollect_domain::condition::reason;
use kollect_domain::ids::InventoryKey;
use serde_json::Value;

use super::{Call, FakeDatabase, FakeRow, FakeSink};
use crate::contract::sink::{SinkHarness, StoredRow};
use crate::error::{ErrorClass, PortError};
use crate::sink::{Delivery, Sink};

#[derive(Default)]
struct Harness {
    database: Arc<FakeDatabase>,
}

#[async_trait]
impl SinkHarness for Harness {
    async fn sink(&self, writer: &str, cluster: &str) -> Arc<dyn Sink> {
        Arc::new(FakeSink::new(self.database.clone(), writer, cluster))
    }

    async fn rows(&self) -> Vec<StoredRow> {
        let stored = |row: FakeRow| StoredRow {
            cluster: row.cluster.to_string(),
            inventory: row.inventory,
            key: row.key,
            namespace: row.namespace,
            payload: serde_json::from_str::<Value>(row.row.payload()).unwrap(),
        };
        self.database.rows().into_iter().map(stored).collect()
    }

    async fn refuse_marked_rows(&self) {
        self.database.refuse_rows_with("\"refused\":true");
    }
}

mod contract {
    use super::{Harness, block_on};

    crate::sink_contract!(async { Harness::default() }, block_on);
}

fn inventory() -> InventoryKey {
    InventoryKey::new("team-a", "apps")
}

#[test]
fn a_scripted_fault_meets_the_next_call_of_its_kind_and_no_other() {
    let harness = Harness::default();
    let fault = PortError::new(ErrorClass::Transient, reason::EXPORT_FAILED, "busy");
    harness.database.fail_next(Call::Deliver, fault.clone());
    block_on(async {
        let sink = harness.sink("a", "").await;
        sink.claim(&inventory()).await.unwrap();
        assert_eq!(sink.deliver(&inventory(), &Delivery::default()).await, Err(fault));
        assert!(sink.deliver(&inventory(), &Delivery::default()).await.is_ok());
    });
    assert_eq!(harness.database.delivered().len(), 1);
}

#[test]
fn a_held_call_waits_and_has_no_effect_until_it_is_released() {
    let harness = Harness::default();
    block_on(async {
        let sink = harness.sink("a", "").await;
        let hold = harness.database.hold();
        let inventory = inventory();
        let mut claim = sink.claim(&inventory);
        assert!((&mut claim).now_or_never().is_none());
        assert_eq!(harness.database.waiting(), 1);
        drop(hold);
        assert!(claim.await.is_ok());
    });
}

#[test]
fn a_sink_that_was_disconnected_has_to_claim_again() {
    let harness = Harness::default();
    block_on(async {
        let sink = harness.sink("a", "").await;
        sink.claim(&inventory()).await.unwrap();
        harness.database.disconnect();
        let lost = sink.deliver(&inventory(), &Delivery::default()).await.unwrap_err();
        assert_eq!(lost.class, ErrorClass::Unavailable);
        sink.claim(&inventory()).await.unwrap();
        assert!(sink.deliver(&inventory(), &Delivery::default()).await.is_ok());
    });
}
