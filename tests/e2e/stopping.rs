//! A stop on request.

use std::time::{Duration, Instant};

use crate::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_under_load_delivers_what_is_known_and_ends_in_time() {
    let world = World::new().await;
    world.collect_maps();
    world.objects.fill(200).await;
    let operator = world.start().await;
    world.assert_level().await;
    let objects = world.objects.clone();
    let load = tokio::spawn(async move {
        for round in 0.. {
            objects
                .put(&format!("m{:05}", round % 200), &format!("round {round}"))
                .await;
        }
    });
    tokio::time::sleep(Duration::from_secs(2)).await;
    let asked = Instant::now();
    assert_eq!(operator.terminate(), "0");
    assert!(
        asked.elapsed() < Duration::from_secs(25),
        "within the grace time: {:?}",
        asked.elapsed()
    );
    load.abort();
    let _operator = world.start().await;
    world.assert_level().await;
}
