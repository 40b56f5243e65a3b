//! Definitions that change, and objects that stop fitting them.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::world::{World, attributes, profile, until};

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_profile_replaces_its_rows_at_once_and_never_shows_half_a_table() {
    let world = World::new().await;
    world.collect_maps();
    world.objects.fill(300).await;
    let _operator = world.start().await;
    world.assert_level().await;
    let rows = world.table.rows().await.len();
    world.apply(&profile("maps", &json!([{"name": "only", "path": "$.data.v"}])));
    let end = Instant::now() + Duration::from_mins(1);
    loop {
        let seen = world.table.rows().await;
        let new = seen
            .values()
            .filter(|row| row["attributes"].get("only").is_some())
            .count();
        assert_eq!(seen.len(), rows, "every object has a row throughout");
        assert!(new == 0 || new == rows, "{new} of {rows} rows are new: half a table");
        if new == rows {
            break;
        }
        assert!(Instant::now() < end, "the new rows never came");
    }
    world.apply(&profile("maps", &attributes()));
    world.assert_level().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_starts_to_fail_keeps_its_last_good_row_also_after_a_restart() {
    let world = World::new().await;
    world.collect_maps();
    world.apply(&profile(
        "maps",
        &json!([{"name": "number", "path": "cel:int(object.data.v)"}]),
    ));
    world.objects.put("good", "1").await;
    world.objects.put("doomed", "2").await;
    // The cluster's own ConfigMap has no such key and fails from the beginning: it never has a row.
    let number = |rows: &crate::table::Rows, name: &str| {
        rows.values()
            .find(|row| row["name"] == name)
            .map(|row| row["attributes"]["number"].clone())
    };
    let operator = world.start().await;
    until("two rows", async || (world.table.rows().await.len() == 2).then_some(())).await;
    world.objects.put("doomed", "not a number").await;
    let message = world
        .wait_for("kollecttarget", "maps", "Degraded", "True", "ExtractionFailed")
        .await;
    assert!(message.contains("number"), "the attribute is named: {message}");
    world.objects.put("good", "3").await;
    until("the good object's change", async || {
        (number(&world.table.rows().await, "good") == Some(json!(3))).then_some(())
    })
    .await;
    assert_eq!(number(&world.table.rows().await, "doomed"), Some(json!(2)));

    operator.kill();
    let _operator = world.start().await;
    world.objects.put("good", "4").await;
    until("the next change after the restart", async || {
        (number(&world.table.rows().await, "good") == Some(json!(4))).then_some(())
    })
    .await;
    assert_eq!(number(&world.table.rows().await, "doomed"), Some(json!(2)));
    world.objects.put("doomed", "5").await;
    until("the healed object", async || {
        (number(&world.table.rows().await, "doomed") == Some(json!(5))).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn suspending_and_deleting_remove_rows_as_documented() {
    let world = World::new().await;
    world.collect_maps();
    world.objects.fill(5).await;
    let _operator = world.start().await;
    world.assert_level().await;
    world.apply(&world.target("maps", &json!({"suspend": true})));
    world.table.equals(async || crate::table::Rows::new()).await;
    world
        .wait_for("kollecttarget", "maps", "Degraded", "True", "Suspended")
        .await;
    world.apply(&world.target("maps", &json!({"suspend": false})));
    world.assert_level().await;
    world.delete("kollectprofile", "maps");
    world
        .wait_for("kollecttarget", "maps", "Degraded", "True", "ProfileNotFound")
        .await;
    assert!(!world.table.rows().await.is_empty(), "a missing profile keeps rows");
    world.apply(&profile("maps", &attributes()));
    world.assert_level().await;
    world.kubectl(&[
        "delete",
        "kollectinventory",
        "estate",
        "-n",
        &world.namespace,
        "--timeout=60s",
    ]);
    assert!(
        world.table.rows().await.is_empty(),
        "a deleted inventory takes its rows along"
    );
}
