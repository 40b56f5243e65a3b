//! Kinds that appear after their target, and vanish again.

use serde_json::{Value, json};

use crate::world::{World, inventory, resource, until};

/// A kind whose plural nobody can guess.
fn definition(group: &str) -> Value {
    with_versions(group, &[("v1", true)])
}

/// The same with these versions, each served or not; the first is the one that is stored.
fn with_versions(group: &str, versions: &[(&str, bool)]) -> Value {
    let versions: Vec<Value> = versions
        .iter()
        .enumerate()
        .map(|(at, (name, served))| {
            json!({
                "name": name, "served": served, "storage": at == 0,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            })
        })
        .collect();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("mousepads.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {"kind": "Mouse", "listKind": "MouseList", "plural": "mousepads", "singular": "mouse"},
            "versions": versions,
        },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_that_appears_later_is_collected_and_its_removal_is_survived() {
    let world = World::new().await;
    let group = format!("{}.example.org", world.namespace);
    let kind = json!({"group": group, "version": "v1", "kind": "Mouse"});
    let mice = json!({"targetGVK": kind, "attributes": [{"name": "buttons", "path": "$.spec.buttons"}]});
    world.apply_all(&[
        resource("KollectProfile", "mice", &mice),
        world.target("mice", &json!({"profileRef": "mice"})),
        inventory(),
    ]);
    // Another kind must not notice.
    world.collect_maps();
    world.objects.put("a", "1").await;
    let _operator = world.start().await;
    let message = world
        .wait_for(
            "kollecttarget",
            "mice",
            "Degraded",
            "True",
            "InformerRegistrationFailed",
        )
        .await;
    assert!(message.contains("Mouse"), "the kind is named: {message}");
    world.kubectl_wait_ready("kollecttarget", "maps");

    world.apply(&definition(&group));
    let name = format!("mousepads.{group}");
    world.kubectl(&[
        "wait",
        "--for=condition=Established",
        "--timeout=30s",
        &format!("crd/{name}"),
    ]);
    let mouse = json!({
        "apiVersion": format!("{group}/v1"), "kind": "Mouse",
        "metadata": {"name": "m"}, "spec": {"buttons": 3},
    });
    until("the kind is served", async || {
        let arguments = ["apply", "-n", &world.namespace, "-f", "-"];
        world.cluster.kubectl(&arguments, Some(&mouse.to_string())).ok()
    })
    .await;
    let rows_of_mice = async || {
        let rows = world.table.rows().await;
        rows.into_iter()
            .filter(|((target, _), _)| target == "mice")
            .map(|(_, row)| row)
            .collect::<Vec<_>>()
    };
    until("the mouse has a row", async || {
        let rows = rows_of_mice().await;
        (rows.len() == 1 && rows[0]["attributes"] == json!({"buttons": 3})).then_some(())
    })
    .await;
    world.kubectl_wait_ready("kollecttarget", "mice");

    world.kubectl(&["delete", "crd", &name, "--timeout=60s"]);
    world
        .wait_for(
            "kollecttarget",
            "mice",
            "Degraded",
            "True",
            "InformerRegistrationFailed",
        )
        .await;
    until("the mouse's row is gone with the mouse", async || {
        rows_of_mice().await.is_empty().then_some(())
    })
    .await;
    world.objects.put("a", "2").await;
    let maps = async || {
        let rows = world.table.rows().await;
        rows.into_iter()
            .filter(|((target, _), _)| target == "maps")
            .collect::<crate::table::Rows>()
    };
    until("the other kind goes on", async || {
        (maps().await == world.objects.expected().await).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_goes_on_in_another_version_when_the_profile_s_is_not_served_any_more() {
    let world = World::new().await;
    let group = format!("{}.example.org", world.namespace);
    let name = format!("mousepads.{group}");
    let apply = |served: bool| {
        world.apply(&with_versions(&group, &[("v1", true), ("v1beta1", served)]));
        let condition = "--for=condition=Established";
        world.kubectl(&["wait", condition, "--timeout=30s", &format!("crd/{name}")]);
    };
    let put = |mouse: &str, buttons: u32| {
        world.apply(&json!({
            "apiVersion": format!("{group}/v1"), "kind": "Mouse",
            "metadata": {"name": mouse}, "spec": {"buttons": buttons},
        }));
    };
    let rows = async || -> Vec<(String, String, Value)> {
        let rows = world.table.rows().await.into_values();
        let text = |row: &Value, member: &str| row[member].as_str().unwrap_or_default().to_owned();
        let shown = |row: Value| {
            (
                text(&row, "name"),
                text(&row, "version"),
                row["attributes"]["buttons"].clone(),
            )
        };
        let mut rows: Vec<_> = rows.map(shown).collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        rows
    };
    apply(true);
    until("the kind is served", async || {
        world
            .cluster
            .kubectl(&["get", &name, "-n", &world.namespace], None)
            .ok()
    })
    .await;
    put("a", 3);
    let kind = json!({"group": group, "version": "v1beta1", "kind": "Mouse"});
    let mice = json!({"targetGVK": kind, "attributes": [{"name": "buttons", "path": "$.spec.buttons"}]});
    world.apply_all(&[
        resource("KollectProfile", "mice", &mice),
        world.target("mice", &json!({"profileRef": "mice"})),
        inventory(),
    ]);
    let _operator = world.start().await;
    let row = |name: &str, buttons: u32| (name.to_owned(), "v1beta1".to_owned(), json!(buttons));
    until("the first row", async || (rows().await == [row("a", 3)]).then_some(())).await;

    apply(false);
    put("b", 5);
    until("the row of an object that came later", async || {
        (rows().await == [row("a", 3), row("b", 5)]).then_some(())
    })
    .await;
    world.kubectl_wait_ready("kollecttarget", "mice");
    world.kubectl(&["delete", "crd", &name, "--wait=false"]);
}
