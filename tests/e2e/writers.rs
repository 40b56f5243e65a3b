//! Two clusters that write under one name.

use crate::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn a_second_cluster_is_refused_and_the_first_one_s_rows_stay() {
    let world = World::new().await;
    world.collect_maps();
    world.objects.fill(5).await;
    let first = world.start_with(&["--cluster-id", "harbour-3"]).await;
    world.assert_level().await;
    let rows = world.table.rows().await;
    assert_eq!(first.terminate(), "0");

    // The same definitions seen from another cluster, where the objects are others.
    world.objects.remove("m00001").await;
    world.objects.put("m00002", "elsewhere").await;
    let second = world.start_with(&["--cluster-id", "harbour-4"]).await;
    let message = world
        .wait_for("kollectinventory", "estate", "Degraded", "True", "WriterConflict")
        .await;
    assert!(message.contains("harbour-3"), "the holder is named: {message}");
    assert_eq!(world.table.rows().await, rows);
    assert_eq!(second.terminate(), "0");

    let _first = world.start_with(&["--cluster-id", "harbour-3"]).await;
    world.assert_level().await;
    world.kubectl_wait_ready("kollectinventory", "estate");
}
