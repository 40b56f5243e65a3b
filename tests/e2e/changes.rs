//! Objects that come, change, move in and out of a selection, and go.

use serde_json::json;

use crate::objects::Objects;
use crate::table::Rows;
use crate::world::{World, attributes, inventory, profile};

#[tokio::test(flavor = "multi_thread")]
async fn created_changed_and_deleted_objects_reach_the_table() {
    let world = World::new().await;
    world.objects.put("before", "1").await;
    world.collect_maps();
    let operator = world.start().await;
    world.assert_level().await;
    world.objects.put("after", "2").await;
    world.objects.put("before", "3").await;
    world.assert_level().await;
    world.objects.remove("before").await;
    world.assert_level().await;
    assert_eq!(operator.terminate(), "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses_are_truthful_and_scripts_can_wait_for_them() {
    let world = World::new().await;
    world.objects.put("a", "1").await;
    world.collect_maps();
    let _operator = world.start().await;
    world.kubectl_wait_ready("kollecttarget", "maps");
    world.kubectl_wait_ready("kollectinventory", "estate");
    world.assert_level().await;
    let rows = world.objects.expected().await.len().to_string();
    let columns = |kind: &str, name: &str| {
        let line = world.kubectl(&["get", kind, name, "-n", &world.namespace, "--no-headers"]);
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let until_columns = async |kind: &str, name: &str, expected: &[&str]| {
        crate::world::until(&format!("columns of {kind} {name}: {expected:?}"), async || {
            let found = columns(kind, name);
            (found[..expected.len()] == *expected).then_some(())
        })
        .await;
    };
    until_columns("kollecttarget", "maps", &["maps", "maps", "True", "Collecting", &rows]).await;
    until_columns("kollectinventory", "estate", &["estate", &rows, "True", "Exported"]).await;
    until_columns(
        "kollectdatabasesink",
        "lake",
        &["lake", "postgres", "True", "ConnectionOK"],
    )
    .await;
    until_columns("kollectprofile", "maps", &["maps", "ConfigMap", "True", "Valid"]).await;
    let message = world
        .wait_for("kollecttarget", "maps", "Ready", "True", "Collecting")
        .await;
    assert!(message.contains(&format!("collecting {rows} resource")), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_enter_and_leave_a_selection_with_their_labels() {
    let world = World::new().await;
    let selected = json!({"labelSelector": {"matchLabels": {"tier": "web"}}});
    world.apply_all(&[
        profile("maps", &attributes()),
        world.target("labelled", &selected),
        inventory(),
    ]);
    world.objects.put("a", "1").await;
    world.objects.put("b", "2").await;
    world.objects.label("a", Some("web")).await;
    let _operator = world.start().await;
    let level = async || {
        let expected = async || {
            world
                .objects
                .expected_of("labelled", |map| {
                    map.metadata
                        .labels
                        .as_ref()
                        .and_then(|labels| labels.get("tier"))
                        .is_some_and(|t| t == "web")
                })
                .await
        };
        world.table.equals(expected).await;
    };
    level().await;
    assert_eq!(world.table.rows().await.len(), 1);
    world.objects.label("a", Some("batch")).await;
    world.objects.label("b", Some("web")).await;
    level().await;
    world.objects.label("b", None).await;
    level().await;
    assert_eq!(world.table.rows().await.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_enters_and_leaves_a_selection_with_its_labels() {
    let world = World::new().await;
    world.objects.put("a", "1").await;
    let by_label = json!({
        "includedNamespaces": [],
        "namespaceSelector": {"matchLabels": {"estate": world.namespace}},
    });
    world.apply_all(&[
        profile("maps", &attributes()),
        world.target("maps", &by_label),
        inventory(),
    ]);
    let _operator = world.start().await;
    let label = format!("estate={}", world.namespace);
    assert!(
        world.table.rows().await.is_empty(),
        "an empty selection collects nothing"
    );
    world.kubectl(&["label", "namespace", &world.namespace, &label]);
    world.assert_level().await;
    assert!(!world.table.rows().await.is_empty());
    world.kubectl(&["label", "namespace", &world.namespace, "estate-"]);
    world.table.equals(async || Rows::new()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_of_a_thousand_objects_is_deleted() {
    let world = World::new().await;
    world.collect_maps();
    // The inventory lives elsewhere: what is deleted here are only the objects.
    let workload = format!("{}-load", world.namespace);
    world.kubectl(&["create", "namespace", &workload]);
    world.apply(&world.target("maps", &json!({"includedNamespaces": [workload]})));
    let load = Objects {
        namespace: workload.clone(),
        ..world.objects.clone()
    };
    load.fill(1_000).await;
    let _operator = world.start().await;
    world.table.equals(async || load.expected().await).await;
    assert!(world.table.rows().await.len() >= 1_000);
    world.kubectl(&["delete", "namespace", &workload, "--wait=true", "--timeout=120s"]);
    world.table.equals(async || Rows::new()).await;
}
