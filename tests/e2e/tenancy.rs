//! Scopes over a namespace, and operators that serve some namespaces only.

use serde_json::{Value, json};

use crate::operator::Operator;
use crate::rights::Rights;
use crate::table::Rows;
use crate::world::{World, attributes, inventory, profile, resource, until};

fn scope(spec: &Value) -> Value {
    resource("KollectScope", "boundary", spec)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scope_trims_what_a_target_only_happens_to_mean_and_lifting_it_brings_the_rows_back() {
    let world = World::new().await;
    let other = world.more_objects("other");
    world.collect_maps_by_label(&[&world.objects, &other]).await;
    let both = async || world.objects.expected_with(&[&other]).await;
    let _operator = world.start().await;
    world.table.equals(both).await;

    world.apply(&scope(&json!({"allowedNamespaces": [world.namespace]})));
    world.assert_level().await;
    world.kubectl_wait_ready("kollecttarget", "maps");
    let effective = format!("[\"{}\"]", world.namespace);
    until("the status tells what is left", async || {
        let status = world.field("kollecttarget", "maps", "{.status.effectiveNamespaces}");
        (status == effective).then_some(())
    })
    .await;
    other.put("b", "not collected").await;
    world.objects.put("b", "collected").await;
    world.assert_level().await;

    world.delete("kollectscope", "boundary");
    world.table.equals(both).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_scope_denies_outright_is_removed_at_once_and_said() {
    let world = World::new().await;
    world.collect_maps();
    world.objects.fill(3).await;
    let operator = world.start().await;
    world.assert_level().await;
    let none = async || Rows::new();

    world.apply(&scope(&json!({"deniedNamespaces": [world.namespace]})));
    let message = world
        .wait_for("kollecttarget", "maps", "Degraded", "True", "ScopeNamespaceDenied")
        .await;
    assert!(
        message.contains("deniedNamespaces of KollectScope boundary"),
        "{message}"
    );
    world.table.equals(none).await;
    world.apply(&scope(&json!({"deniedNamespaces": ["elsewhere"]})));
    world.assert_level().await;

    let deployments = json!({"allowedGVKs": [{"group": "apps", "version": "v1", "kind": "Deployment"}]});
    world.apply(&scope(&deployments));
    let message = world
        .wait_for("kollecttarget", "maps", "Degraded", "True", "ScopeGVKDenied")
        .await;
    assert!(message.contains("allowedGVKs"), "{message}");
    world.table.equals(none).await;
    // A second scope cannot lift what the first denies.
    world.apply(&resource("KollectScope", "aaa", &json!({})));
    operator.kill();
    let _operator = world.start().await;
    world
        .wait_for("kollecttarget", "maps", "Degraded", "True", "ScopeGVKDenied")
        .await;
    assert!(world.table.rows().await.is_empty());
    world.kubectl(&["delete", "kollectscopes", "--all", "-n", &world.namespace]);
    world.assert_level().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sink_outside_of_the_scope_gets_nothing_and_keeps_what_it_has() {
    let world = World::new().await;
    world.collect_maps();
    world.objects.fill(2).await;
    let _operator = world.start().await;
    world.assert_level().await;
    let before = world.table.rows().await;
    world.apply(&scope(&json!({"databaseSinkRefs": ["another"]})));
    let message = world
        .wait_for("kollectinventory", "estate", "Degraded", "True", "ScopeSinkDenied")
        .await;
    assert!(message.contains("databaseSinkRefs"), "{message}");
    world.objects.put("late", "1").await;
    until("the target collected it", async || {
        // The API server adds a ConfigMap of its own.
        let all = world.objects.expected().await.len().to_string();
        (world.field("kollecttarget", "maps", "{.status.itemCount}") == all).then_some(())
    })
    .await;
    assert_eq!(world.table.rows().await, before);
    world.apply(&scope(&json!({"databaseSinkRefs": ["another", "lake"]})));
    world.assert_level().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_needs_no_right_outside_of_its_namespaces() {
    let world = World::new().await;
    let second = world.more_objects("second");
    let third = world.more_objects("third");
    let stranger = world.more_objects("stranger");
    let rights = Rights::none(&world);
    for namespace in [&world.namespace, &second.namespace] {
        rights.tenant_in(namespace);
    }
    for objects in [&world.objects, &second, &third, &stranger] {
        objects.put("a", &objects.namespace).await;
    }
    let everything = json!({"includedNamespaces": []});
    world.apply_all(&[
        profile("maps", &attributes()),
        world.target("maps", &everything),
        inventory(),
    ]);
    let watched = format!("{},{},{}", world.namespace, second.namespace, third.namespace);
    let flags = [
        "--tenant-mode",
        "--watch-namespaces",
        &watched,
        "--cluster-id",
        "tenant",
    ];
    let operator = Operator::start(&rights.kubeconfig(), &flags);
    operator.wait_until_ready().await;
    let own = async || world.objects.expected_with(&[&second]).await;
    world.table.equals(own).await;
    let message = world
        .wait_for("kollecttarget", "maps", "Synced", "True", "ScopeForbidden")
        .await;
    assert!(message.contains(&third.namespace), "{message}");
    second.put("b", "later").await;
    world.objects.remove("a").await;
    world.table.equals(own).await;
    // What the API server refuses names the place that was asked for.
    let log = operator.log();
    let refused = log.lines().filter(|line| line.contains("forbidden"));
    for line in refused {
        assert!(
            line.contains(&third.namespace),
            "asked for more than its namespaces: {line}"
        );
    }

    let nodes = json!({"targetGVK": {"group": "", "version": "v1", "kind": "Node"}, "attributes": []});
    world.apply_all(&[
        resource("KollectProfile", "nodes", &nodes),
        resource("KollectTarget", "nodes", &json!({"profileRef": "nodes"})),
    ]);
    let message = world
        .wait_for("kollecttarget", "nodes", "Degraded", "True", "ScopeForbidden")
        .await;
    assert!(message.contains("tenant mode"), "{message}");
    assert_eq!(operator.terminate(), "0");
}
