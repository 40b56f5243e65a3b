//! Servers that go away and come back.

use std::time::Duration;

use crate::world::World;

/// How long a server stays away.
const AWAY: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_was_away_is_caught_up() {
    let world = World::with_own_postgres().await;
    world.collect_maps();
    world.objects.fill(50).await;
    let _operator = world.start().await;
    world.assert_level().await;
    world.postgres.own().stop().unwrap();
    world.objects.put("m00001", "changed meanwhile").await;
    world.objects.put("born-meanwhile", "1").await;
    world.objects.remove("m00002").await;
    let message = world
        .wait_for("kollectinventory", "estate", "Degraded", "True", "Progressing")
        .await;
    assert!(message.contains("database/lake"), "the sink is named: {message}");
    assert!(!message.contains("kollect-test"), "no password in a status: {message}");
    assert!(
        world.condition("kollecttarget", "maps", "Ready", "True").is_some(),
        "the target goes on"
    );
    tokio::time::sleep(AWAY).await;
    world.postgres.own().start_again().unwrap();
    world.assert_level().await;
    world.kubectl_wait_ready("kollectinventory", "estate");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_killed_is_caught_up() {
    let world = World::with_own_postgres().await;
    world.collect_maps();
    world.objects.fill(50).await;
    let _operator = world.start().await;
    world.assert_level().await;
    world.postgres.own().kill().unwrap();
    world.objects.put("m00001", "changed meanwhile").await;
    world.postgres.own().start_again().unwrap();
    world.assert_level().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_api_server_that_was_away_is_watched_again_and_no_row_is_lost() {
    let world = World::new().await;
    world.collect_maps();
    world.objects.fill(50).await;
    let _operator = world.start().await;
    world.assert_level().await;
    let before = world.table.rows().await;
    world.cluster.stop_apiserver().unwrap();
    tokio::time::sleep(AWAY).await;
    assert_eq!(
        world.table.rows().await,
        before,
        "rows stay while the API server is away"
    );
    world.cluster.start_apiserver().unwrap();
    crate::world::until("the API server answers", async || {
        world.cluster.kubectl(&["get", "--raw", "/readyz"], None).ok()
    })
    .await;
    world.objects.put("m00001", "changed afterwards").await;
    world.objects.remove("m00002").await;
    world.assert_level().await;
    world.kubectl_wait_ready("kollecttarget", "maps");
}
