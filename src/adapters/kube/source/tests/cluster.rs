//! Sources on a real API server.

use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream::BoxStream;
use kollect_domain::extract::mask::Mask;
use kollect_domain::ids::{Gvk, WatchScope};
use kollect_ports::source::{ObjectEvent, ObjectSource, SourceEvent, SourceFailure, WatchRequest};
use kollect_testbed::{ControlPlane, required};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

use super::super::KubeObjectSource;
use super::super::decoder::Everything;
use super::super::machine::{Machine, Wanted};
use super::super::page_size::PageSize;
use super::super::run;
use crate::kube::client::{ConnectOptions, connect};

/// Longest time that anything on a real server may take here.
const DEADLINE: Duration = Duration::from_mins(1);

/// A namespace of its own on the shared API server.
struct Bed {
    cluster: &'static ControlPlane,
    namespace: &'static str,
}

impl Bed {
    /// `None` when the control plane is left out on purpose.
    fn new(namespace: &'static str) -> Option<Self> {
        if !required("control-plane") {
            return None;
        }
        let cluster = ControlPlane::shared().unwrap();
        cluster.kubectl(&["create", "namespace", namespace], None).unwrap();
        Some(Self { cluster, namespace })
    }

    fn run(&self, arguments: &str) -> String {
        let mut words: Vec<&str> = arguments.split(' ').collect();
        words.extend(["--namespace", self.namespace]);
        self.cluster.kubectl(&words, None).unwrap()
    }

    fn apply(&self, object: &Value) {
        apply(self.cluster, object);
    }

    fn config_map(&self, name: &str, label: &str, data: &str) {
        self.apply(&json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": {"key": data},
            "metadata": {"name": name, "namespace": self.namespace, "labels": {"collect": label}},
        }));
    }

    /// A source of the labelled `ConfigMap`s of the namespace.
    async fn config_maps(&self) -> Watched {
        let request = WatchRequest {
            gvk: Gvk::new("", "v1", "ConfigMap"),
            scope: WatchScope::Namespace(self.namespace.into()),
            mask: keep("data"),
            label_selector: Some("collect=yes".to_owned()),
        };
        Watched::open(self.cluster.kubeconfig_path(), request).await
    }
}

fn apply(cluster: &ControlPlane, object: &Value) {
    cluster
        .kubectl(&["apply", "--server-side", "-f", "-"], Some(&object.to_string()))
        .unwrap();
}

fn keep(member: &str) -> Arc<Mask> {
    let mut mask = Mask::default();
    mask.keep([member]);
    Arc::new(mask)
}

/// A running source.
struct Watched {
    stream: BoxStream<'static, SourceEvent>,
    /// Names of the objects that were seen, by uid.
    names: std::collections::BTreeMap<Arc<str>, String>,
}

impl Watched {
    async fn open(kubeconfig: &Path, request: WatchRequest) -> Self {
        let options = ConnectOptions {
            kubeconfig: Some(kubeconfig.to_owned()),
            context: None,
        };
        let client = connect(&options).await.unwrap();
        Self::of(KubeObjectSource::new(client).open(request))
    }

    fn of(stream: BoxStream<'static, SourceEvent>) -> Self {
        Self {
            stream,
            names: std::collections::BTreeMap::new(),
        }
    }

    async fn next_within(&mut self, deadline: Duration) -> SourceEvent {
        let event = tokio::time::timeout(deadline, self.stream.next()).await;
        event.expect("the source reports nothing").expect("the source ended")
    }

    async fn next(&mut self) -> SourceEvent {
        self.next_within(DEADLINE).await
    }

    /// The next event as lines: `started`, `seen NAME DATA`, `gone NAME`, `done`, `failed CLASS`, `resumed`.
    async fn lines(&mut self) -> Vec<String> {
        match self.next().await {
            SourceEvent::ListStarted => vec!["started".to_owned()],
            SourceEvent::ListDone => vec!["done".to_owned()],
            SourceEvent::ListIncomplete { .. } => vec!["incomplete".to_owned()],
            SourceEvent::Resumed => vec!["resumed".to_owned()],
            SourceEvent::Failed { failure, .. } => vec![format!("failed {failure:?}")],
            SourceEvent::Objects(objects) => objects.into_iter().map(|object| self.line(object)).collect(),
        }
    }

    fn line(&mut self, event: ObjectEvent) -> String {
        match event {
            ObjectEvent::Seen(object) => {
                self.names.insert(object.uid, object.name.to_string());
                let data = object.value["data"]["key"].as_str().unwrap_or("-");
                format!("seen {} {data}", object.name)
            }
            ObjectEvent::Gone { uid } => format!("gone {}", self.names[&uid]),
            ObjectEvent::Undecodable { uid, .. } => format!("undecodable {uid}"),
        }
    }

    /// The next lines must be exactly these, however they are batched.
    async fn expect(&mut self, expected: &[&str]) {
        let mut found = Vec::new();
        while found.len() < expected.len() {
            found.extend(self.lines().await);
        }
        assert_eq!(found, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_seen_in_the_order_in_which_they_happen() {
    let Some(bed) = Bed::new("source-order") else {
        return;
    };
    bed.config_map("before", "yes", "0");
    let mut watched = bed.config_maps().await;
    watched.expect(&["started", "seen before 0", "done"]).await;
    bed.config_map("a", "yes", "1");
    bed.config_map("a", "yes", "2");
    bed.run("delete configmap a");
    bed.config_map("a", "yes", "3");
    watched.expect(&["seen a 1", "seen a 2", "gone a", "seen a 3"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_leaves_the_selection_is_gone_and_comes_back() {
    let Some(bed) = Bed::new("source-labels") else {
        return;
    };
    bed.config_map("a", "yes", "1");
    bed.config_map("other", "no", "1");
    let mut watched = bed.config_maps().await;
    watched.expect(&["started", "seen a 1", "done"]).await;
    bed.config_map("a", "no", "1");
    watched.expect(&["gone a"]).await;
    bed.config_map("a", "yes", "1");
    watched.expect(&["seen a 1"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_several_pages_is_complete_and_carries_names_and_masked_values_only() {
    let Some(bed) = Bed::new("source-pages") else {
        return;
    };
    for name in ["a", "b", "c", "d", "e"] {
        bed.config_map(name, "yes", name);
    }
    let options = ConnectOptions {
        kubeconfig: Some(bed.cluster.kubeconfig_path().to_owned()),
        context: None,
    };
    let wanted = Wanted {
        gvk: Gvk::new("", "v1", "ConfigMap"),
        scope: WatchScope::Namespace(bed.namespace.into()),
        label_selector: Some("collect=yes".to_owned()),
        decoder: Everything,
        page_size: PageSize::starting_at(2),
    };
    let turns = Arc::new(tokio::sync::Semaphore::new(1));
    let machine = Machine::new(connect(&options).await.unwrap(), wanted, turns);
    let mut paged = Watched::of(run(machine).boxed());
    paged
        .expect(&[
            "started", "seen a a", "seen b b", "seen c c", "seen d d", "seen e e", "done",
        ])
        .await;

    let mut watched = bed.config_maps().await;
    assert_eq!(watched.next().await, SourceEvent::ListStarted);
    let SourceEvent::Objects(objects) = watched.next().await else {
        panic!("no objects");
    };
    let ObjectEvent::Seen(first) = &objects[0] else {
        panic!("{objects:?}");
    };
    let mut value = first.value.clone();
    let metadata = value["metadata"].as_object_mut().unwrap();
    assert_eq!(metadata.remove("uid"), Some(json!(&*first.uid)));
    assert!(metadata.remove("resourceVersion").is_some());
    assert_eq!(
        value,
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": {"key": "a"},
            "metadata": {"name": "a", "namespace": "source-pages"},
        })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_starts_with_its_definition_and_stops_with_it() {
    let Some(bed) = Bed::new("source-definition") else {
        return;
    };
    let request = WatchRequest {
        gvk: Gvk::new("source.example", "v1", "Gateway"),
        scope: WatchScope::Cluster,
        mask: keep("spec"),
        label_selector: None,
    };
    let mut watched = Watched::open(bed.cluster.kubeconfig_path(), request).await;
    watched.expect(&["failed NotServed"]).await;

    bed.apply(&gateway_definition());
    let defined = Instant::now();
    let event = watched.next_within(Duration::from_secs(5)).await;
    assert_eq!(event, SourceEvent::ListStarted, "after {:?}", defined.elapsed());
    watched.expect(&["done"]).await;

    let gateway = |name: &str| {
        json!({"apiVersion": "source.example/v1", "kind": "Gateway", "spec": {"x": 1},
            "metadata": {"name": name, "namespace": bed.namespace}})
    };
    bed.apply(&gateway("a"));
    watched.expect(&["seen a -"]).await;
    bed.apply(&gateway("b"));
    watched.expect(&["seen b -"]).await;

    bed.run("delete crd gateways.source.example");
    let mut last = Vec::new();
    while last.last().is_none_or(|line: &String| line.starts_with("gone")) {
        last.extend(watched.lines().await);
    }
    last.sort();
    assert_eq!(last, ["failed NotServed", "gone a", "gone b"]);

    bed.apply(&gateway_definition());
    watched.expect(&["started", "done"]).await;
}

fn gateway_definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gateways.source.example"},
        "spec": {
            "group": "source.example", "scope": "Namespaced",
            "names": {"kind": "Gateway", "plural": "gateways", "singular": "gateway"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": {"x": {"type": "integer"}}}},
            }}}],
        },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn withdrawn_rights_are_noticed_within_seconds_and_nothing_is_lost_when_they_return() {
    let Some(bed) = Bed::new("source-rights") else {
        return;
    };
    bed.run("create serviceaccount reader");
    bed.run("create role reads --verb=list,watch --resource=configmaps");
    let token = bed.run("create token reader");
    let kubeconfig = bed.cluster.kubeconfig_for_token(token.trim()).unwrap();
    bed.config_map("a", "yes", "1");
    let request = WatchRequest {
        gvk: Gvk::new("", "v1", "ConfigMap"),
        scope: WatchScope::Namespace(bed.namespace.into()),
        mask: keep("data"),
        label_selector: Some("collect=yes".to_owned()),
    };
    let mut watched = Watched::open(&kubeconfig, request).await;
    let SourceEvent::Failed { failure, message } = watched.next().await else {
        panic!("a denied list is no list");
    };
    assert_eq!(failure, SourceFailure::Forbidden);
    assert!(message.contains("configmaps in namespace source-rights"), "{message}");

    let bind = "create rolebinding reads --role=reads --serviceaccount=source-rights:reader";
    bed.run(bind);
    watched.expect(&["started", "seen a 1", "done"]).await;

    bed.run("delete rolebinding reads");
    let withdrawn = Instant::now();
    watched.expect(&["failed Forbidden"]).await;
    assert!(
        withdrawn.elapsed() < Duration::from_secs(15),
        "{:?}",
        withdrawn.elapsed()
    );
    bed.config_map("a", "yes", "2");

    bed.run(bind);
    let restored = Instant::now();
    watched.expect(&["resumed", "seen a 2"]).await;
    assert!(restored.elapsed() < Duration::from_secs(15), "{:?}", restored.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_api_server_that_restarts_costs_no_event() {
    if !required("control-plane") {
        return;
    }
    let cluster = ControlPlane::start().unwrap();
    let config_map = |name: &str| {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"key": "1"},
            "metadata": {"name": name, "namespace": "default", "labels": {"collect": "yes"}}})
    };
    apply(&cluster, &config_map("a"));
    let request = WatchRequest {
        gvk: Gvk::new("", "v1", "ConfigMap"),
        scope: WatchScope::Cluster,
        mask: keep("data"),
        label_selector: Some("collect=yes".to_owned()),
    };
    let mut watched = Watched::open(cluster.kubeconfig_path(), request).await;
    watched.expect(&["started", "seen a 1", "done"]).await;
    tokio::task::block_in_place(|| cluster.stop_apiserver()).unwrap();
    watched.expect(&["failed Unavailable"]).await;
    tokio::task::block_in_place(|| cluster.start_apiserver()).unwrap();
    apply(&cluster, &config_map("b"));
    // Whether the watch goes on or the server has forgotten its version and is listed again is up to the server.
    let mut lines = Vec::new();
    while !lines.contains(&"seen b 1".to_owned()) {
        lines.extend(watched.lines().await);
    }
    assert!(
        !lines
            .iter()
            .any(|line| line.starts_with("gone") || line.starts_with("failed")),
        "{lines:?}"
    );
}
