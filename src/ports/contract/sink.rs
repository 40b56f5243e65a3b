//! The behaviour of a [`Sink`].
//!
//! Every function is one case and panics when the sink does not behave; [`sink_contract!`](crate::sink_contract) makes
//! one test of each. A case gets a destination of its own.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a suite of tests: an assertion that fails is its purpose"
)]

mod rows;
mod writers;

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use futures::TryStreamExt as _;
use kollect_domain::ids::{InventoryKey, RowKey};
use kollect_domain::row::{Row, RowIdentity};
use serde_json::{Map, Value, json};

pub use rows::*;
pub use writers::*;

use crate::sink::{Delivery, HeldRow, Purge, Receipt, Sink};

/// An empty destination and the means to look into it.
#[async_trait]
pub trait SinkHarness: Sync {
    /// A new sink over the destination, as the writer with this identity and for this cluster label.
    async fn sink(&self, writer: &str, cluster: &str) -> Arc<dyn Sink>;

    /// All rows of the destination, in any order.
    async fn rows(&self) -> Vec<StoredRow>;

    /// Makes the destination refuse rows with an attribute `refused` from now on.
    async fn refuse_marked_rows(&self);
}

/// A row of the destination.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRow {
    /// Label of the cluster it is filed under.
    pub cluster: String,
    /// Inventory it is filed under.
    pub inventory: InventoryKey,
    /// Target and uid it is filed under.
    pub key: RowKey,
    /// Namespace it is filed under.
    pub namespace: String,
    /// What is stored.
    pub payload: Value,
}

/// Makes a test of every case of the sink suite.
///
/// `$harness` is an expression that makes a harness, awaited once per test; `$run` runs a future to its end.
#[macro_export]
macro_rules! sink_contract {
    ($harness:expr, $run:path) => {
        $crate::sink_contract!(@cases $harness, $run,
            a_delivery_is_applied_as_a_whole
            delivering_the_same_again_writes_nothing
            counts_say_what_changed
            a_changed_namespace_alone_is_a_change
            an_empty_delivery_does_nothing
            purging_targets_leaves_the_others
            a_purge_comes_before_the_rows_of_its_delivery
            purging_an_inventory_leaves_the_others_and_may_be_repeated
            deletes_stay_within_the_inventory_and_the_cluster
            held_rows_equal_the_delivered_ones
            odd_values_come_back_unchanged
            five_thousand_rows_are_delivered_changed_and_deleted
            a_refused_row_does_not_stop_the_others
            refused_rows_of_a_large_first_delivery_do_not_stop_the_others
            a_claim_lists_targets_with_rows
            a_second_writer_is_refused
            a_writer_without_a_claim_is_refused
            a_writer_whose_claim_was_taken_over_writes_nothing
            a_restarted_writer_goes_on
            two_sinks_of_one_writer_do_not_lock_each_other_out
            a_cluster_inventory_is_not_mistaken_for_one_of_a_namespace_called_cluster
        );
    };
    (@cases $harness:expr, $run:path, $($case:ident)+) => {
        $(
            #[test]
            fn $case() {
                $run(async {
                    let harness = $harness.await;
                    $crate::contract::sink::$case(&harness).await;
                });
            }
        )+
    };
}

const WRITER: &str = "cluster-a";
const CLUSTER: &str = "eu-1";

fn inventory(name: &str) -> InventoryKey {
    InventoryKey::new("team-a", name)
}

fn key(target: &str, uid: &str) -> RowKey {
    RowKey {
        target: target.into(),
        uid: uid.into(),
    }
}

fn row_in(namespace: &str, target: &str, uid: &str, attributes: Value) -> (RowKey, Arc<Row>) {
    let Value::Object(attributes) = attributes else {
        return (
            key(target, uid),
            Arc::new(Row::new(&identity(namespace, target, uid), &Map::new())),
        );
    };
    (
        key(target, uid),
        Arc::new(Row::new(&identity(namespace, target, uid), &attributes)),
    )
}

fn identity<'a>(namespace: &'a str, target: &'a str, uid: &'a str) -> RowIdentity<'a> {
    RowIdentity {
        target_namespace: "team-a",
        target_name: target,
        namespace,
        name: uid,
        group: "apps",
        version: "v1",
        kind: "Deployment",
        uid,
    }
}

fn row(target: &str, uid: &str, replicas: i64) -> (RowKey, Arc<Row>) {
    row_in("shop", target, uid, json!({ "replicas": replicas }))
}

/// A delivery of these rows and deletes, in the order that the port asks for.
fn delivery(mut upserts: Vec<(RowKey, Arc<Row>)>, mut deletes: Vec<RowKey>) -> Delivery {
    upserts.sort_by(|a, b| a.0.cmp(&b.0));
    deletes.sort();
    Delivery {
        purge: Purge::Nothing,
        upserts,
        deletes,
    }
}

async fn claimed(harness: &dyn SinkHarness, names: &[&str]) -> Arc<dyn Sink> {
    let sink = harness.sink(WRITER, CLUSTER).await;
    for name in names {
        sink.claim(&inventory(name))
            .await
            .expect("a free inventory can be claimed");
    }
    sink
}

async fn deliver(sink: &Arc<dyn Sink>, name: &str, delivery: &Delivery) -> Receipt {
    sink.deliver(&inventory(name), delivery)
        .await
        .expect("a claimed inventory can be delivered")
}

async fn held(sink: &Arc<dyn Sink>, name: &str, target: &str) -> Vec<HeldRow> {
    let batches: Vec<Vec<HeldRow>> = sink
        .resume(&inventory(name), target)
        .try_collect()
        .await
        .expect("what is stored can be read");
    let mut rows = batches.concat();
    rows.sort_by(|a, b| a.uid.cmp(&b.uid));
    rows
}

/// What the sink holds of the rows, as it should be.
fn expected(rows: &[(RowKey, Arc<Row>)]) -> Vec<HeldRow> {
    let mut held: Vec<HeldRow> = rows
        .iter()
        .map(|(key, row)| HeldRow {
            uid: key.uid.clone(),
            namespace: row.namespace().into(),
            digest: row.digest(),
        })
        .collect();
    held.sort_by(|a, b| a.uid.cmp(&b.uid));
    held
}

/// Keys of the stored rows of one inventory under a cluster label, sorted.
async fn stored(harness: &dyn SinkHarness, cluster: &str, name: &str) -> Vec<RowKey> {
    let rows = harness.rows().await;
    let own = rows
        .into_iter()
        .filter(|row| row.cluster == cluster && row.inventory == inventory(name));
    let mut keys: Vec<RowKey> = own.map(|row| row.key).collect();
    keys.sort();
    keys
}
