//! The control plane of the bed, started for real.

#![expect(clippy::unwrap_used, reason = "a test file: the helpers fail as its tests do")]

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use kollect_testbed::{ControlPlane, eventually, required};

const SOON: Duration = Duration::from_mins(1);

fn config_map(namespace: &str, name: &str) -> String {
    format!(
        r#"{{"apiVersion": "v1", "kind": "ConfigMap", "data": {{"kept": "yes"}},
            "metadata": {{"name": "{name}", "namespace": "{namespace}"}}}}"#
    )
}

fn kubectl_as(cluster: &ControlPlane, kubeconfig: &Path, arguments: &[&str]) -> Output {
    Command::new(cluster.kubectl_path())
        .args(arguments)
        .env("KUBECONFIG", kubeconfig)
        .output()
        .unwrap()
}

#[test]
fn a_namespace_is_emptied_and_removed_as_in_any_cluster() {
    if !required("control-plane") {
        return;
    }
    let cluster = ControlPlane::shared().unwrap();
    cluster.kubectl(&["create", "namespace", "short-lived"], None).unwrap();
    let object = config_map("short-lived", "inside");
    cluster
        .kubectl(&["apply", "--server-side", "-f", "-"], Some(&object))
        .unwrap();
    cluster
        .kubectl(&["delete", "namespace", "short-lived", "--wait=false"], None)
        .unwrap();
    eventually(SOON, "the namespace is gone", || {
        let left = cluster.kubectl(&["get", "namespace", "short-lived", "--ignore-not-found"], None);
        left.unwrap().is_empty().then_some(())
    })
    .unwrap();
}

#[test]
fn a_deployment_makes_no_replica_set_by_default_and_one_on_request() {
    if !required("control-plane") {
        return;
    }
    let replica_sets =
        |cluster: &ControlPlane| cluster.kubectl(&["get", "replicasets", "--output=name"], None).unwrap();
    let create = ["create", "deployment", "web", "--image=web:1"];
    let quiet = ControlPlane::shared().unwrap();
    let busy = ControlPlane::builder().every_controller().start().unwrap();
    quiet.kubectl(&create, None).unwrap();
    busy.kubectl(&create, None).unwrap();
    eventually(SOON, "the replica set exists", || {
        (!replica_sets(&busy).is_empty()).then_some(())
    })
    .unwrap();
    // The quiet one had as long as the busy one needed, and started earlier.
    assert_eq!(replica_sets(quiet), "");
}

#[test]
fn a_token_gives_the_rights_of_its_service_account_and_no_more() {
    if !required("control-plane") {
        return;
    }
    let cluster = ControlPlane::shared().unwrap();
    let run = |arguments: &str| {
        let words: Vec<&str> = arguments.split(' ').collect();
        cluster.kubectl(&words, None).unwrap()
    };
    run("create namespace tokens");
    run("create serviceaccount reader --namespace=tokens");
    run("create role reads --verb=list --resource=configmaps --namespace=tokens");
    run("create rolebinding reads --role=reads --serviceaccount=tokens:reader --namespace=tokens");
    let token = run("create token reader --namespace=tokens");
    let kubeconfig = cluster.kubeconfig_for_token(&token).unwrap();

    let list = |what| kubectl_as(cluster, &kubeconfig, &["get", what, "--namespace=tokens"]);
    let allowed = list("configmaps");
    let complaint = String::from_utf8_lossy(&allowed.stderr).into_owned();
    assert!(allowed.status.success(), "{complaint}");
    let refused = list("secrets");
    let complaint = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success());
    assert!(complaint.contains("system:serviceaccount:tokens:reader"), "{complaint}");
}

#[test]
fn the_api_server_keeps_its_port_and_objects_when_stopped_and_when_killed() {
    if !required("control-plane") {
        return;
    }
    let cluster = ControlPlane::start().unwrap();
    let object = config_map("default", "kept");
    cluster
        .kubectl(&["apply", "--server-side", "-f", "-"], Some(&object))
        .unwrap();
    let read = || cluster.kubectl(&["get", "configmap", "kept", "--output=jsonpath={.data.kept}"], None);

    cluster.stop_apiserver().unwrap();
    read().unwrap_err();
    cluster.start_apiserver().unwrap();
    assert_eq!(read().unwrap(), "yes");
    cluster.kill_apiserver().unwrap();
    read().unwrap_err();
    cluster.start_apiserver().unwrap();
    assert_eq!(read().unwrap(), "yes");
}

#[test]
fn a_stopped_controller_manager_leaves_a_deleted_namespace_until_it_is_back() {
    if !required("control-plane") {
        return;
    }
    let cluster = ControlPlane::start().unwrap();
    let run = |arguments: &str| {
        let words: Vec<&str> = arguments.split(' ').collect();
        cluster.kubectl(&words, None).unwrap()
    };
    run("create namespace waiting");
    cluster.stop_controller_manager().unwrap();
    run("delete namespace waiting --wait=false");
    let phase = "get namespace waiting --ignore-not-found --output=jsonpath={.status.phase}";
    assert_eq!(run(phase), "Terminating");
    cluster.start_controller_manager().unwrap();
    eventually(SOON, "the namespace is gone", || run(phase).is_empty().then_some(())).unwrap();
}

#[test]
fn a_paused_api_server_is_silent_until_resumed() {
    if !required("control-plane") {
        return;
    }
    let cluster = ControlPlane::start().unwrap();
    let ask = ["get", "--raw=/readyz", "--request-timeout=2s"];
    cluster.pause_apiserver().unwrap();
    let silence = cluster.kubectl(&ask, None).unwrap_err().to_string();
    assert!(!silence.contains("refused"), "{silence}");
    cluster.resume_apiserver().unwrap();
    assert_eq!(cluster.kubectl(&ask, None).unwrap(), "ok");
}
