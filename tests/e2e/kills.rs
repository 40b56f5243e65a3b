//! `kill -9` at any moment, while objects change and a reader looks on.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::operator::Operator;
use crate::table::Table;
use crate::world::World;

/// Objects that exist throughout; each changes again and again.
const STANDING: usize = 60;
const KILLS: u64 = 20;

#[tokio::test(flavor = "multi_thread")]
async fn twenty_kills_under_churn_never_hide_a_live_object_from_a_reader() {
    let world = World::new().await;
    world.collect_maps();
    world.objects.fill(STANDING).await;
    let first = world.start().await;
    world.assert_level().await;
    let standing: BTreeSet<String> = world.table.rows().await.into_keys().map(|(_, uid)| uid).collect();
    assert!(standing.len() >= STANDING);

    let reader = tokio::spawn(watch(world.table.clone(), world.namespace.clone(), standing));
    let churn = tokio::spawn(churn(world.objects.clone()));
    let mut operator = first;
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    for _ in 0..KILLS {
        // Between "not connected yet" and "well under way".
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        tokio::time::sleep(Duration::from_millis(100 + (random >> 33) % 1_400)).await;
        operator.kill();
        assert!(!reader.is_finished(), "the reader missed a row of a live object");
        operator = Operator::start(world.cluster.kubeconfig_path(), &[]);
    }
    churn.abort();
    world.assert_level().await;
    assert!(!reader.is_finished(), "the reader missed a row of a live object");
    reader.abort();
}

/// Reads the table again and again; ends with a panic when a row of a standing object is missing.
async fn watch(table: Table, namespace: String, standing: BTreeSet<String>) {
    let client = table.connect().await.unwrap();
    loop {
        let seen = Table::uids(&client, &namespace).await;
        let missing: Vec<&String> = standing.difference(&seen).collect();
        assert!(missing.is_empty(), "missing: {missing:?}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Changes standing objects, and creates and deletes others, for ever.
async fn churn(objects: crate::objects::Objects) {
    for round in 0_u64.. {
        let standing = round % STANDING as u64;
        objects.put(&format!("m{standing:05}"), &format!("round {round}")).await;
        let passing = format!("passing-{}", round % 7);
        if round % 14 < 7 {
            objects.put(&passing, "here").await;
        } else {
            objects.remove(&passing).await;
        }
        tokio::time::sleep(Duration::from_millis(15)).await;
    }
}
