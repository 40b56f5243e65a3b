//! Who may write.

use kollect_domain::condition::reason;
use kollect_domain::ids::InventoryKey;
use serde_json::Value;

use super::{
    CLUSTER, Delivery, Purge, SinkHarness, WRITER, claimed, deliver, delivery, expected, held, inventory, row, stored,
};
use crate::error::ErrorClass;

/// A claim says which targets the sink holds rows of.
pub async fn a_claim_lists_targets_with_rows(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["other"]).await;
    assert_eq!(
        sink.claim(&inventory("apps")).await.expect("a free inventory").targets,
        []
    );
    // Upper case, so that an order other than bytewise would show.
    let rows = ["b", "a", "Z", "a-b", "ab"].map(|target| row(target, "u-1", 1));
    deliver(&sink, "apps", &delivery(rows.to_vec(), vec![])).await;
    deliver(&sink, "other", &delivery(vec![row("elsewhere", "u-1", 1)], vec![])).await;
    let claim = sink
        .claim(&inventory("apps"))
        .await
        .expect("a claim may be taken again");
    let names: Vec<&str> = claim.targets.iter().map(AsRef::as_ref).collect();
    assert_eq!(names, ["Z", "a", "a-b", "ab", "b"]);
}

/// Two clusters with one label: the second is told, and changes nothing.
pub async fn a_second_writer_is_refused(harness: &dyn SinkHarness) {
    let first = claimed(harness, &["apps"]).await;
    deliver(&first, "apps", &delivery(vec![row("t", "u-1", 1)], vec![])).await;
    let second = harness.sink("cluster-b", CLUSTER).await;
    let purge = Delivery {
        purge: Purge::Inventory,
        ..Delivery::default()
    };
    let attempts = [
        second.claim(&inventory("apps")).await.map(|_| ()),
        second
            .deliver(&inventory("apps"), &delivery(vec![row("t", "u-2", 1)], vec![]))
            .await
            .map(|_| ()),
        second.deliver(&inventory("apps"), &purge).await.map(|_| ()),
    ];
    for attempt in attempts {
        let refusal = attempt.expect_err("the inventory belongs to another writer");
        assert_eq!(
            (refusal.class, refusal.reason),
            (ErrorClass::Misconfigured, reason::WRITER_CONFLICT)
        );
        assert!(
            refusal.message.contains(WRITER),
            "the message names the holder: {refusal}"
        );
    }
    assert_eq!(
        deliver(&first, "apps", &delivery(vec![row("t", "u-3", 1)], vec![]))
            .await
            .written,
        1
    );
    assert_eq!(stored(harness, CLUSTER, "apps").await.len(), 2);
}

/// Without a claim nothing is known about what the sink holds, so nothing is written; `Unavailable` asks the caller to
/// claim and compare.
pub async fn a_writer_without_a_claim_is_refused(harness: &dyn SinkHarness) {
    let sink = harness.sink(WRITER, CLUSTER).await;
    let change = delivery(vec![row("t", "u-1", 1)], vec![]);
    let refusal = sink
        .deliver(&inventory("apps"), &change)
        .await
        .expect_err("there is no claim");
    assert_eq!(refusal.class, ErrorClass::Unavailable);
    assert_eq!(harness.rows().await, []);
    sink.claim(&inventory("apps")).await.expect("a free inventory");
    assert_eq!(deliver(&sink, "apps", &change).await.written, 1);
}

/// After a take-over the earlier writer is fenced, whatever it still has to deliver.
pub async fn a_writer_whose_claim_was_taken_over_writes_nothing(harness: &dyn SinkHarness) {
    let first = claimed(harness, &["apps"]).await;
    deliver(&first, "apps", &delivery(vec![row("t", "u-1", 1)], vec![])).await;
    let purge = Delivery {
        purge: Purge::Inventory,
        ..Delivery::default()
    };
    deliver(&first, "apps", &purge).await;
    let second = harness.sink("cluster-b", CLUSTER).await;
    second
        .claim(&inventory("apps"))
        .await
        .expect("the first writer gave the inventory up");
    deliver(&second, "apps", &delivery(vec![row("t", "u-2", 1)], vec![])).await;
    let late = first
        .deliver(&inventory("apps"), &delivery(vec![row("t", "u-3", 1)], vec![]))
        .await;
    assert_eq!(late.expect_err("the claim is lost").reason, reason::WRITER_CONFLICT);
    let large = (0..3_000).map(|number| row("t", &format!("v-{number}"), 1)).collect();
    let late = first.deliver(&inventory("apps"), &delivery(large, vec![])).await;
    assert_eq!(late.expect_err("the claim is lost").reason, reason::WRITER_CONFLICT);
    assert_eq!(stored(harness, CLUSTER, "apps").await, [super::key("t", "u-2")]);
}

/// A new process of the same cluster finds what the earlier one delivered.
pub async fn a_restarted_writer_goes_on(harness: &dyn SinkHarness) {
    let rows = vec![row("t", "u-1", 1), row("t", "u-2", 2)];
    let before = claimed(harness, &["apps"]).await;
    deliver(&before, "apps", &delivery(rows.clone(), vec![])).await;
    drop(before);
    let after = harness.sink(WRITER, CLUSTER).await;
    let claim = after
        .claim(&inventory("apps"))
        .await
        .expect("the claim belongs to the cluster, not to the process");
    assert_eq!(claim.targets, ["t".into()]);
    assert_eq!(held(&after, "apps", "t").await, expected(&rows));
    assert_eq!(
        deliver(&after, "apps", &delivery(vec![], vec![super::key("t", "u-1")]))
            .await
            .deleted,
        1
    );
}

/// Two sinks with one destination and one identity (two objects, or two processes during a change of leader) both work.
pub async fn two_sinks_of_one_writer_do_not_lock_each_other_out(harness: &dyn SinkHarness) {
    let first = claimed(harness, &["apps"]).await;
    let second = claimed(harness, &["apps"]).await;
    for (number, sink) in [&first, &second, &first, &second].into_iter().enumerate() {
        let change = delivery(vec![row("t", &format!("u-{number}"), 1)], vec![]);
        assert_eq!(deliver(sink, "apps", &change).await.written, 1);
    }
    assert_eq!(stored(harness, CLUSTER, "apps").await.len(), 4);
}

/// A cluster inventory is filed under the namespace `cluster`; an inventory of a namespace of that name, with the same
/// name, is refused while it is there, and the other way round.
pub async fn a_cluster_inventory_is_not_mistaken_for_one_of_a_namespace_called_cluster(harness: &dyn SinkHarness) {
    let (fleet, team) = (InventoryKey::new("", "apps"), InventoryKey::new("cluster", "apps"));
    for (first, second) in [(&fleet, &team), (&team, &fleet)] {
        let sink = harness.sink(WRITER, CLUSTER).await;
        sink.claim(first).await.expect("a free inventory");
        let rows = delivery(vec![super::row_in("", "t", "u-1", Value::Null)], vec![]);
        sink.deliver(first, &rows).await.expect("a claimed inventory");
        let stored = harness.rows().await;
        assert_eq!((stored.len(), &stored[0].inventory), (1, &team));
        assert_eq!(
            stored[0].namespace, "cluster",
            "objects without a namespace are filed under the inventory's"
        );
        let refusal = sink
            .claim(second)
            .await
            .expect_err("the other kind of inventory is there");
        assert_eq!(refusal.reason, reason::WRITER_CONFLICT);
        let purge = Delivery {
            purge: Purge::Inventory,
            ..Delivery::default()
        };
        let refusal = sink.deliver(second, &purge).await.expect_err("it has no claim");
        assert_eq!(refusal.reason, reason::WRITER_CONFLICT);
        assert_eq!(harness.rows().await.len(), 1);
        sink.deliver(first, &purge).await.expect("a claimed inventory");
    }
}
