//! Our own resources and the namespaces of the cluster, watched and handed on as one configuration.
//!
//! These objects are few and small, so they are kept; everything that is collected is not.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use k8s_openapi::api::core::v1::Namespace as CoreNamespace;
use kollect_domain::config::{Configuration, Invalid, Namespace, Resource};
use kollect_domain::ids::{NamespacedName, SinkFamily, SinkKey};
use kollect_domain::selection::watch::NAMESPACE_WATCH_ANNOTATION;
use kollect_ports::resources::ConfigurationSource;
use kube::api::{Api, PartialObjectMeta};
use kube::core::DeserializeGuard;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, ResourceExt};

use super::convert::{self, Configured};
use super::crd;

mod table;

use table::{Definition, Table};

/// The API server as the source of the configuration.
#[derive(Clone)]
pub struct KubeConfigurationSource {
    client: Client,
}

impl std::fmt::Debug for KubeConfigurationSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KubeConfigurationSource").finish_non_exhaustive()
    }
}

impl KubeConfigurationSource {
    /// Watches all namespaces.
    pub fn new(client: Client) -> Self {
        Self { client }
    }
}

/// A change of one of the watched kinds.
#[expect(
    clippy::large_enum_variant,
    reason = "few are alive at a time, and each is taken apart at once"
)]
enum Change {
    Profile(watcher::Event<DeserializeGuard<crd::KollectProfile>>),
    Target(watcher::Event<DeserializeGuard<crd::KollectTarget>>),
    ClusterTarget(watcher::Event<DeserializeGuard<crd::KollectClusterTarget>>),
    Inventory(watcher::Event<DeserializeGuard<crd::KollectInventory>>),
    ClusterInventory(watcher::Event<DeserializeGuard<crd::KollectClusterInventory>>),
    DatabaseSink(watcher::Event<DeserializeGuard<crd::KollectDatabaseSink>>),
    Namespace(watcher::Event<PartialObjectMeta<CoreNamespace>>),
}

impl ConfigurationSource for KubeConfigurationSource {
    fn watch(&self) -> BoxStream<'static, Arc<Configuration>> {
        let changes = stream::select_all([
            watched(self.client.clone(), Change::Profile),
            watched(self.client.clone(), Change::Target),
            watched(self.client.clone(), Change::ClusterTarget),
            watched(self.client.clone(), Change::Inventory),
            watched(self.client.clone(), Change::ClusterInventory),
            watched(self.client.clone(), Change::DatabaseSink),
            watched_metadata(self.client.clone()),
        ]);
        stream::unfold((State::default(), changes), |(mut state, mut changes)| async move {
            loop {
                let mut is_new = state.apply(changes.next().await?);
                // Changes that came together are one configuration.
                while let Some(Some(change)) = changes.next().now_or_never() {
                    is_new |= state.apply(change);
                }
                if is_new && state.is_complete() {
                    let configuration = Arc::new(state.configuration());
                    return Some((configuration, (state, changes)));
                }
            }
        })
        .boxed()
    }
}

/// One kind of ours, endlessly; faults are logged and retried with backoff.
fn watched<K>(client: Client, wrap: fn(watcher::Event<DeserializeGuard<K>>) -> Change) -> BoxStream<'static, Change>
where
    K: kube::Resource<DynamicType = ()> + Clone + std::fmt::Debug + serde::de::DeserializeOwned + Send + Sync + 'static,
{
    let kind = K::kind(&()).into_owned();
    watcher(Api::<DeserializeGuard<K>>::all(client), watcher::Config::default())
        .default_backoff()
        .filter_map(move |event| std::future::ready(logged(&kind, event).map(wrap)))
        .boxed()
}

fn watched_metadata(client: Client) -> BoxStream<'static, Change> {
    watcher(
        Api::<PartialObjectMeta<CoreNamespace>>::all(client),
        watcher::Config::default(),
    )
    .default_backoff()
    .filter_map(|event| std::future::ready(logged("Namespace", event).map(Change::Namespace)))
    .boxed()
}

fn logged<E>(kind: &str, event: watcher::Result<E>) -> Option<E> {
    match event {
        Ok(event) => Some(event),
        Err(error) => {
            tracing::warn!(
                resource.kind = kind,
                "cannot watch {kind}, trying again: {}; is its CRD installed (kollect crd | kubectl apply -f -), and may \
                 the operator list and watch it?",
                chain(&error)
            );
            None
        }
    }
}

/// An error and its causes on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

/// A status that somebody wrote is no change of the definition, so our own writes do not come back as work.
impl<S: PartialEq> Definition for Resource<S> {
    fn is_same(&self, other: &Self) -> bool {
        let Self {
            key,
            labels,
            created: _,
            uid,
            generation,
            deleting,
            finalizers,
            spec,
            conditions: _,
        } = self;
        *key == other.key
            && *labels == other.labels
            && *uid == other.uid
            && *generation == other.generation
            && *deleting == other.deleting
            && *finalizers == other.finalizers
            && *spec == other.spec
    }
}

impl Definition for Namespace {
    fn is_same(&self, other: &Self) -> bool {
        self == other
    }
}

#[derive(Default)]
struct State {
    profiles: Table<NamespacedName, Resource<<crd::KollectProfile as Configured>::Spec>>,
    targets: Table<NamespacedName, Resource<<crd::KollectTarget as Configured>::Spec>>,
    cluster_targets: Table<NamespacedName, Resource<<crd::KollectClusterTarget as Configured>::Spec>>,
    inventories: Table<NamespacedName, Resource<<crd::KollectInventory as Configured>::Spec>>,
    cluster_inventories: Table<NamespacedName, Resource<<crd::KollectClusterInventory as Configured>::Spec>>,
    database_sinks: Table<NamespacedName, Resource<<crd::KollectDatabaseSink as Configured>::Spec>>,
    namespaces: Table<String, Namespace>,
}

impl State {
    /// Takes a change; true if the configuration may be another now.
    fn apply(&mut self, change: Change) -> bool {
        match change {
            Change::Profile(event) => self.profiles.apply(event, guarded),
            Change::Target(event) => self.targets.apply(event, guarded),
            Change::ClusterTarget(event) => self.cluster_targets.apply(event, guarded),
            Change::Inventory(event) => self.inventories.apply(event, guarded),
            Change::ClusterInventory(event) => self.cluster_inventories.apply(event, guarded),
            Change::DatabaseSink(event) => self.database_sinks.apply(event, guarded),
            Change::Namespace(event) => self.namespaces.apply(event, namespace),
        }
    }

    fn is_complete(&self) -> bool {
        self.profiles.is_complete()
            && self.targets.is_complete()
            && self.cluster_targets.is_complete()
            && self.inventories.is_complete()
            && self.cluster_inventories.is_complete()
            && self.database_sinks.is_complete()
            && self.namespaces.is_complete()
    }

    fn configuration(&self) -> Configuration {
        let sinks = self.database_sinks.rows().iter().map(|(key, sink)| {
            let key = SinkKey {
                family: SinkFamily::Database,
                object: key.clone(),
            };
            (key, sink.clone())
        });
        Configuration {
            profiles: self.profiles.rows().clone(),
            targets: both(&self.targets, &self.cluster_targets),
            inventories: both(&self.inventories, &self.cluster_inventories),
            sinks: sinks.collect(),
            namespaces: Arc::new(self.namespaces.rows().clone()),
        }
    }
}

/// The objects of a namespaced kind and of its cluster-scoped sibling, which have no key in common.
fn both<S>(
    namespaced: &Table<NamespacedName, Resource<S>>,
    cluster: &Table<NamespacedName, Resource<S>>,
) -> BTreeMap<NamespacedName, Resource<S>>
where
    Resource<S>: Clone + Definition,
{
    let rows = namespaced.rows().iter().chain(cluster.rows());
    rows.map(|(key, resource)| (key.clone(), resource.clone())).collect()
}

/// An object of ours; one that does not decode is known by its metadata.
fn guarded<K: Configured>(object: &DeserializeGuard<K>) -> (NamespacedName, Resource<K::Spec>) {
    match &object.0 {
        Ok(object) => (convert::key(object), convert::resource(object)),
        Err(invalid) => {
            let metadata = &invalid.metadata;
            let key = NamespacedName::new(
                metadata.namespace.as_deref().unwrap_or_default(),
                metadata.name.as_deref().unwrap_or_default(),
            );
            let resource = Resource {
                key: key.clone(),
                labels: metadata.labels.clone().unwrap_or_default(),
                created: metadata.creation_timestamp.as_ref().map(|at| at.0),
                uid: metadata.uid.as_deref().unwrap_or_default().into(),
                generation: metadata.generation.unwrap_or_default(),
                deleting: metadata.deletion_timestamp.is_some(),
                finalizers: metadata
                    .finalizers
                    .iter()
                    .flatten()
                    .map(|f| f.as_str().into())
                    .collect(),
                spec: Err(Invalid::new(format!("the object cannot be read: {}", invalid.error))),
                conditions: Vec::new(),
            };
            (key, resource)
        }
    }
}

fn namespace(object: &PartialObjectMeta<CoreNamespace>) -> (String, Namespace) {
    let annotations: BTreeMap<String, String> = object
        .annotations()
        .iter()
        .filter(|(key, _)| *key == NAMESPACE_WATCH_ANNOTATION)
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let namespace = Namespace {
        labels: object.labels().clone(),
        annotations,
    };
    (object.name_any(), namespace)
}
