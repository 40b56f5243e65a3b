//! What becomes of rows.

use super::{
    Arc, CLUSTER, Delivery, Purge, Row, RowKey, SinkHarness, Value, WRITER, claimed, deliver, delivery, expected, held,
    inventory, json, key, row, row_in, stored,
};

/// Upserts and deletes of one delivery are all applied.
pub async fn a_delivery_is_applied_as_a_whole(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps"]).await;
    deliver(
        &sink,
        "apps",
        &delivery(vec![row("deploys", "u-1", 1), row("deploys", "u-2", 1)], vec![]),
    )
    .await;
    let change = delivery(
        vec![row("deploys", "u-2", 5), row("pods", "u-3", 1)],
        vec![key("deploys", "u-1")],
    );
    let receipt = deliver(&sink, "apps", &change).await;
    assert_eq!((receipt.written, receipt.deleted), (2, 1));
    let mut rows = harness.rows().await;
    rows.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(rows.len(), 2);
    let (first, second) = (&rows[0], &rows[1]);
    assert_eq!(first.key, key("deploys", "u-2"));
    assert_eq!(first.payload["attributes"]["replicas"], 5);
    assert_eq!((first.cluster.as_str(), first.namespace.as_str()), (CLUSTER, "shop"));
    assert_eq!(
        (&second.key, &second.inventory),
        (&key("pods", "u-3"), &inventory("apps"))
    );
}

/// Idempotence: the second delivery of a state is not a change.
pub async fn delivering_the_same_again_writes_nothing(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps"]).await;
    let change = delivery(
        vec![row("deploys", "u-1", 1), row("deploys", "u-2", 2)],
        vec![key("deploys", "u-9")],
    );
    assert_eq!(deliver(&sink, "apps", &change).await.written, 2);
    let before = harness.rows().await;
    let receipt = deliver(&sink, "apps", &change).await;
    assert_eq!((receipt.written, receipt.deleted), (0, 0));
    assert_eq!(receipt.refused, []);
    assert_eq!(harness.rows().await, before);
}

/// Receipts count rows that were really changed, and bytes that were really sent.
pub async fn counts_say_what_changed(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps"]).await;
    deliver(
        &sink,
        "apps",
        &delivery(
            vec![row("t", "same", 1), row("t", "other", 1), row("t", "gone", 1)],
            vec![],
        ),
    )
    .await;
    let upserts = vec![row("t", "same", 1), row("t", "other", 2), row("t", "new", 1)];
    let sent: usize = upserts.iter().map(|(_, row)| row.payload().len()).sum();
    let receipt = deliver(
        &sink,
        "apps",
        &delivery(upserts, vec![key("t", "gone"), key("t", "never-there")]),
    )
    .await;
    assert_eq!((receipt.written, receipt.deleted, receipt.bytes), (2, 1, sent as u64));
}

/// A cluster-scoped object is filed under the inventory's namespace; moving a row counts as a change.
pub async fn a_changed_namespace_alone_is_a_change(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps"]).await;
    deliver(
        &sink,
        "apps",
        &delivery(vec![row_in("", "nodes", "u-1", json!({}))], vec![]),
    )
    .await;
    assert_eq!(harness.rows().await[0].namespace, "team-a");
    let moved = delivery(vec![row_in("shop", "nodes", "u-1", json!({}))], vec![]);
    assert_eq!(deliver(&sink, "apps", &moved).await.written, 1);
    assert_eq!(harness.rows().await[0].namespace, "shop");
}

/// Nothing in, nothing out.
pub async fn an_empty_delivery_does_nothing(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps"]).await;
    assert_eq!(
        deliver(&sink, "apps", &Delivery::default()).await,
        crate::sink::Receipt::default()
    );
}

/// A purge of targets removes exactly their rows.
pub async fn purging_targets_leaves_the_others(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps", "other"]).await;
    let rows = vec![
        row("a", "u-1", 1),
        row("a", "u-2", 1),
        row("b", "u-1", 1),
        row("c", "u-1", 1),
    ];
    deliver(&sink, "apps", &delivery(rows.clone(), vec![])).await;
    deliver(&sink, "other", &delivery(rows, vec![])).await;
    let purge = Delivery {
        purge: Purge::Targets(vec!["a".into(), "c".into()]),
        ..Delivery::default()
    };
    assert_eq!(deliver(&sink, "apps", &purge).await.deleted, 3);
    assert_eq!(stored(harness, CLUSTER, "apps").await, [key("b", "u-1")]);
    assert_eq!(stored(harness, CLUSTER, "other").await.len(), 4);
}

/// Rows of a purged target that come with the purge are there afterwards.
pub async fn a_purge_comes_before_the_rows_of_its_delivery(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps"]).await;
    deliver(
        &sink,
        "apps",
        &delivery(vec![row("a", "old", 1), row("b", "old", 1)], vec![]),
    )
    .await;
    let mut change = delivery(vec![row("a", "new", 1)], vec![]);
    change.purge = Purge::Targets(vec!["a".into()]);
    deliver(&sink, "apps", &change).await;
    assert_eq!(
        stored(harness, CLUSTER, "apps").await,
        [key("a", "new"), key("b", "old")]
    );
    change.purge = Purge::Inventory;
    deliver(&sink, "apps", &change).await;
    assert_eq!(stored(harness, CLUSTER, "apps").await, [key("a", "new")]);
    let receipt = deliver(&sink, "apps", &delivery(vec![row("a", "newer", 1)], vec![])).await;
    assert_eq!(receipt.written, 1, "the claim survives a purge that leaves rows");
}

/// A purge of an inventory is total, local, and harmless when done twice or by a process that never claimed.
pub async fn purging_an_inventory_leaves_the_others_and_may_be_repeated(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps", "other"]).await;
    for name in ["apps", "other"] {
        deliver(
            &sink,
            name,
            &delivery(vec![row("a", "u-1", 1), row("b", "u-2", 1)], vec![]),
        )
        .await;
    }
    let purge = Delivery {
        purge: Purge::Inventory,
        ..Delivery::default()
    };
    assert_eq!(deliver(&sink, "apps", &purge).await.deleted, 2);
    assert_eq!(deliver(&sink, "apps", &purge).await.deleted, 0);
    let another = harness.sink(WRITER, CLUSTER).await;
    assert_eq!(deliver(&another, "apps", &purge).await.deleted, 0);
    assert_eq!(stored(harness, CLUSTER, "apps").await, []);
    assert_eq!(stored(harness, CLUSTER, "other").await.len(), 2);
}

/// The same key in another inventory or under another cluster label is another row.
pub async fn deletes_stay_within_the_inventory_and_the_cluster(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps", "other"]).await;
    let elsewhere = harness.sink("cluster-b", "us-1").await;
    elsewhere
        .claim(&inventory("apps"))
        .await
        .expect("another label is another inventory");
    let rows = delivery(vec![row("t", "u-1", 1), row("t", "u-2", 1)], vec![]);
    deliver(&sink, "apps", &rows).await;
    deliver(&sink, "other", &rows).await;
    deliver(&elsewhere, "apps", &rows).await;
    deliver(&sink, "apps", &delivery(vec![], vec![key("t", "u-1")])).await;
    assert_eq!(stored(harness, CLUSTER, "apps").await, [key("t", "u-2")]);
    deliver(
        &sink,
        "apps",
        &Delivery {
            purge: Purge::Inventory,
            ..Delivery::default()
        },
    )
    .await;
    assert_eq!(stored(harness, CLUSTER, "apps").await, []);
    assert_eq!(stored(harness, CLUSTER, "other").await.len(), 2);
    assert_eq!(stored(harness, "us-1", "apps").await.len(), 2);
}

/// What is read back has the digests, uids and namespaces of what was delivered.
pub async fn held_rows_equal_the_delivered_ones(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps", "other"]).await;
    let rows = vec![
        row("t", "u-1", 1),
        row_in("", "t", "u-2", json!({ "a": null })),
        row("t", "u-3", 3),
    ];
    let others = vec![row("u", "u-1", 1)];
    deliver(&sink, "apps", &delivery([rows.clone(), others].concat(), vec![])).await;
    deliver(&sink, "other", &delivery(vec![row("t", "u-9", 1)], vec![])).await;
    assert_eq!(held(&sink, "apps", "t").await, expected(&rows));
    assert_eq!(held(&sink, "apps", "unknown").await, []);
}

/// Values that databases and JSON libraries like to change.
pub async fn odd_values_come_back_unchanged(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps"]).await;
    let rows: Vec<(RowKey, Arc<Row>)> = odd_values()
        .into_iter()
        .enumerate()
        .map(|(number, value)| row_in("shop", "t", &format!("u-{number:02}"), json!({ "value": value })))
        .collect();
    let change = delivery(rows.clone(), vec![]);
    let receipt = deliver(&sink, "apps", &change).await;
    assert_eq!(receipt.refused, []);
    assert_eq!(held(&sink, "apps", "t").await, expected(&rows));
    assert_eq!(deliver(&sink, "apps", &change).await.written, 0);
}

fn odd_values() -> Vec<Value> {
    vec![
        json!(9_007_199_254_740_993_u64),
        json!(9_223_372_036_854_775_808_u64),
        json!(18_446_744_073_709_551_615_u64),
        json!(-9_223_372_036_854_775_808_i64),
        json!(0.1),
        json!(1e300),
        json!(5e-324),
        json!(-0.0),
        json!(2.0),
        json!("a\u{0}b"),
        json!("o'reilly \\ \"quoted\" \n\t \u{1} \u{7f}"),
        json!("grüße, 世界, 👩‍👩‍👧, e\u{301}"),
        json!("x".repeat(10_240)),
        json!({ "b": 1, "a": { "": [], "z": {} }, "ä": null }),
        json!([true, false, null, [[]], {}]),
    ]
}

/// A size at which batching shows.
pub async fn five_thousand_rows_are_delivered_changed_and_deleted(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps"]).await;
    let rows = |replicas: i64| {
        (0..5_000)
            .map(|number| row("t", &format!("u-{number:05}"), replicas))
            .collect::<Vec<_>>()
    };
    let first = rows(1);
    assert_eq!(
        deliver(&sink, "apps", &delivery(first.clone(), vec![])).await.written,
        5_000
    );
    assert_eq!(held(&sink, "apps", "t").await, expected(&first));
    assert_eq!(deliver(&sink, "apps", &delivery(first, vec![])).await.written, 0);
    let second = rows(2);
    assert_eq!(
        deliver(&sink, "apps", &delivery(second.clone(), vec![])).await.written,
        5_000
    );
    let keys: Vec<RowKey> = second.iter().skip(1).map(|(key, _)| key.clone()).collect();
    assert_eq!(deliver(&sink, "apps", &delivery(vec![], keys)).await.deleted, 4_999);
    assert_eq!(held(&sink, "apps", "t").await, expected(&second[..1]));
}

/// Refused rows are named, all others and the deletes are done.
pub async fn a_refused_row_does_not_stop_the_others(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps"]).await;
    deliver(&sink, "apps", &delivery(vec![row("t", "gone", 1)], vec![])).await;
    harness.refuse_marked_rows().await;
    let refused = |uid: &str| row_in("shop", "t", uid, json!({ "refused": true }));
    let upserts = vec![
        row("t", "a", 1),
        refused("b"),
        row("t", "c", 1),
        refused("d"),
        row("t", "e", 1),
    ];
    let receipt = deliver(&sink, "apps", &delivery(upserts, vec![key("t", "gone")])).await;
    let named: Vec<&RowKey> = receipt.refused.iter().map(|(key, _)| key).collect();
    assert_eq!(named, [&key("t", "b"), &key("t", "d")]);
    assert!(receipt.refused.iter().all(|(_, reason)| !reason.is_empty()));
    assert_eq!((receipt.written, receipt.deleted), (3, 1));
    assert_eq!(
        stored(harness, CLUSTER, "apps").await,
        [key("t", "a"), key("t", "c"), key("t", "e")]
    );
    let alone = deliver(&sink, "apps", &delivery(vec![refused("b")], vec![])).await;
    assert_eq!((alone.written, alone.refused.len()), (0, 1));
    assert_eq!(alone.bytes, 0, "a refused row was not stored");
}

/// The way in which an empty inventory is filled isolates refused rows too.
pub async fn refused_rows_of_a_large_first_delivery_do_not_stop_the_others(harness: &dyn SinkHarness) {
    let sink = claimed(harness, &["apps"]).await;
    harness.refuse_marked_rows().await;
    let upserts = (0..3_000).map(|number| {
        let attributes = if number % 1_000 == 7 {
            json!({ "refused": true })
        } else {
            json!({ "n": number })
        };
        row_in("shop", "t", &format!("u-{number:05}"), attributes)
    });
    let receipt = deliver(&sink, "apps", &delivery(upserts.collect(), vec![])).await;
    let named: Vec<&str> = receipt.refused.iter().map(|(key, _)| &*key.uid).collect();
    assert_eq!(named, ["u-00007", "u-01007", "u-02007"]);
    assert_eq!(receipt.written, 2_997);
    assert_eq!(stored(harness, CLUSTER, "apps").await.len(), 2_997);
}
