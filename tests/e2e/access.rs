//! Rights that are taken away and given back.

use crate::objects::Objects;
use crate::operator::Operator;
use crate::rights::Rights;
use crate::world::{World, until};

#[tokio::test(flavor = "multi_thread")]
async fn rows_survive_a_revoked_right_also_across_a_restart_and_the_status_says_why() {
    let world = World::new().await;
    let rights = Rights::documented(&world);
    let grant = rights.may_read_maps_everywhere();
    world.apply_all(&grant);
    let kubeconfig = rights.kubeconfig();
    world.collect_maps();
    world.objects.fill(5).await;
    let operator = Operator::start(&kubeconfig, &[]);
    operator.wait_until_ready().await;
    world.assert_level().await;
    let before = world.table.rows().await;

    rights.delete(&grant[1]);
    let message = world
        .wait_for("kollecttarget", "maps", "Degraded", "True", "ScopeForbidden")
        .await;
    assert!(message.contains("configmaps"), "the resource is named: {message}");
    world.objects.remove("m00001").await;
    world.objects.put("m00002", "changed unseen").await;
    operator.kill();
    let operator = Operator::start(&kubeconfig, &[]);
    operator.wait_until_ready().await;
    world
        .wait_for("kollecttarget", "maps", "Degraded", "True", "ScopeForbidden")
        .await;
    until("the restarted operator reached the sink", async || {
        world.condition("kollectdatabasesink", "lake", "ConnectionVerified", "True")
    })
    .await;
    assert_eq!(world.table.rows().await, before, "rows stay as they were");

    world.apply(&grant[1]);
    world.assert_level().await;
    world.kubectl_wait_ready("kollecttarget", "maps");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_is_collected_where_it_may_be_read_and_the_rest_is_named() {
    let world = World::new().await;
    let rights = Rights::documented(&world);
    let kubeconfig = rights.kubeconfig();
    let more: Vec<Objects> = ["open", "closed"].map(|name| world.more_objects(name)).into();
    let (open, closed) = (&more[0], &more[1]);
    world.collect_maps_by_label(&[&world.objects, open, closed]).await;
    rights.grant_maps_of(&world.namespace);
    let granted = rights.grant_maps_of(&open.namespace);
    let operator = Operator::start(&kubeconfig, &[]);
    operator.wait_until_ready().await;
    let readable = async || world.objects.expected_with(&[open]).await;
    world.table.equals(readable).await;
    let message = world
        .wait_for("kollecttarget", "maps", "Synced", "True", "ScopeForbidden")
        .await;
    assert!(message.contains(&closed.namespace), "{message}");
    assert!(!message.contains(&open.namespace), "{message}");
    world.kubectl_wait_ready("kollecttarget", "maps");
    open.put("b", "later").await;
    world.table.equals(readable).await;

    rights.grant_maps_of(&closed.namespace);
    let all = async || world.objects.expected_with(&[open, closed]).await;
    world.table.equals(all).await;
    world
        .wait_for("kollecttarget", "maps", "Synced", "True", "Collecting")
        .await;
    let before = world.table.rows().await;
    rights.delete(&granted[1]);
    let message = world
        .wait_for("kollecttarget", "maps", "Synced", "True", "ScopeForbidden")
        .await;
    assert!(message.contains(&open.namespace), "{message}");
    closed.put("b", "later").await;
    world.table.equals(all).await;
    assert!(world.table.rows().await.len() > before.len(), "the others go on");
}
