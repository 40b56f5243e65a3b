//! Our own resources and the namespaces of the cluster, watched and handed on as one configuration.
//!
//! These objects are few and small, so they are kept; everything that is collected is not.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use k8s_openapi::api::core::v1::Namespace as CoreNamespace;
use kollect_domain::config::{Configuration, Namespace, Resource};
use kollect_domain::ids::NamespacedName;
use kollect_ports::resources::ConfigurationSource;
use kube::Client;
use kube::api::{Api, PartialObjectMeta};
use kube::core::{DeserializeGuard, NamespaceResourceScope};
use kube::runtime::watcher::Event;
use kube::runtime::{WatchStreamExt, watcher};

use super::convert::Configured;
use super::crd;

mod cluster_kinds;
mod failure;
mod namespaces;
mod part;
mod table;

use cluster_kinds::ClusterKinds;
use part::{Known, Part, Resources};
use table::{Definition, Table};

/// Which part of the cluster is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Breadth {
    /// All of it.
    Cluster,
    /// These namespaces, and the cluster kinds.
    Namespaces(Vec<String>),
    /// These namespaces, without any request that needs a right to more.
    Tenant(Vec<String>),
}

/// The API server as the source of the configuration.
#[derive(Clone)]
pub struct KubeConfigurationSource {
    client: Client,
    breadth: Breadth,
}

impl std::fmt::Debug for KubeConfigurationSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KubeConfigurationSource")
            .field("breadth", &self.breadth)
            .finish_non_exhaustive()
    }
}

impl KubeConfigurationSource {
    /// Watches our resources in that part of the cluster.
    pub fn new(client: Client, breadth: Breadth) -> Self {
        Self { client, breadth }
    }

    /// The parts, by namespace; an empty name is the whole cluster.
    fn parts(&self) -> Vec<Arc<str>> {
        match &self.breadth {
            Breadth::Cluster => vec!["".into()],
            Breadth::Namespaces(names) | Breadth::Tenant(names) => {
                names.iter().map(|name| name.as_str().into()).collect()
            }
        }
    }

    fn changes(&self) -> Vec<BoxStream<'static, Change>> {
        let client = &self.client;
        let mut changes = Vec::new();
        for part in self.parts() {
            changes.push(watched(of(client, &part), &part, Change::Profile));
            changes.push(watched(of(client, &part), &part, Change::Target));
            changes.push(watched(of(client, &part), &part, Change::Inventory));
            changes.push(watched(of(client, &part), &part, Change::DatabaseSink));
            changes.push(watched(of(client, &part), &part, Change::Scope));
        }
        if !matches!(self.breadth, Breadth::Tenant(_)) {
            changes.push(watched_everywhere(client, |_, seen| Change::ClusterTarget(seen)));
            changes.push(watched_everywhere(client, |_, seen| Change::ClusterInventory(seen)));
            changes.push(watched_everywhere(client, |_, seen| Change::ClusterScope(seen)));
        }
        changes.push(match &self.breadth {
            Breadth::Cluster => namespaces::watched(client.clone()).map(Change::Namespace).boxed(),
            Breadth::Namespaces(names) | Breadth::Tenant(names) => namespaces::asked(client.clone(), names.clone())
                .map(Change::Namespace)
                .boxed(),
        });
        changes
    }
}

/// What was seen of a kind: an event, or why it may not be read.
type Seen<K> = Result<Event<DeserializeGuard<K>>, String>;

/// A change of one of the watched kinds in one part of the cluster.
#[expect(
    clippy::large_enum_variant,
    reason = "few are alive at a time, and each is taken apart at once"
)]
enum Change {
    Profile(Arc<str>, Seen<crd::KollectProfile>),
    Target(Arc<str>, Seen<crd::KollectTarget>),
    Inventory(Arc<str>, Seen<crd::KollectInventory>),
    DatabaseSink(Arc<str>, Seen<crd::KollectDatabaseSink>),
    Scope(Arc<str>, Seen<crd::KollectScope>),
    ClusterTarget(Seen<crd::KollectClusterTarget>),
    ClusterInventory(Seen<crd::KollectClusterInventory>),
    ClusterScope(Seen<crd::KollectClusterScope>),
    Namespace(Event<PartialObjectMeta<CoreNamespace>>),
}

impl ConfigurationSource for KubeConfigurationSource {
    fn watch(&self) -> BoxStream<'static, Arc<Configuration>> {
        let state = State {
            parts: self.parts().into_iter().map(|part| (part, Part::default())).collect(),
            cluster_kinds: (!matches!(self.breadth, Breadth::Tenant(_))).then(ClusterKinds::default),
            namespaces: Table::default(),
        };
        let changes = stream::select_all(self.changes());
        stream::unfold((state, changes), |(mut state, mut changes)| async move {
            loop {
                let mut is_new = state.apply(changes.next().await?);
                // Changes that came together are one configuration.
                while let Some(Some(change)) = changes.next().now_or_never() {
                    is_new |= state.apply(change);
                }
                if is_new && state.is_settled() {
                    let configuration = Arc::new(state.configuration());
                    return Some((configuration, (state, changes)));
                }
            }
        })
        .boxed()
    }
}

/// A namespaced kind of ours in one namespace, or in all.
fn of<K>(client: &Client, part: &str) -> Api<DeserializeGuard<K>>
where
    K: kube::Resource<DynamicType = (), Scope = NamespaceResourceScope>,
{
    if part.is_empty() {
        Api::all(client.clone())
    } else {
        Api::namespaced(client.clone(), part)
    }
}

/// One kind of ours, endlessly; faults are logged and retried with backoff.
fn watched<K>(
    api: Api<DeserializeGuard<K>>,
    part: &Arc<str>,
    wrap: fn(Arc<str>, Seen<K>) -> Change,
) -> BoxStream<'static, Change>
where
    K: kube::Resource<DynamicType = ()> + Clone + std::fmt::Debug + serde::de::DeserializeOwned + Send + Sync + 'static,
{
    let kind = K::kind(&()).into_owned();
    let part = part.clone();
    watcher(api, watcher::Config::default())
        .default_backoff()
        .filter_map(move |event| {
            let seen = failure::seen(&kind, &part, event);
            std::future::ready(seen.map(|seen| wrap(part.clone(), seen)))
        })
        .boxed()
}

/// A cluster-scoped kind of ours.
fn watched_everywhere<K>(client: &Client, wrap: fn(Arc<str>, Seen<K>) -> Change) -> BoxStream<'static, Change>
where
    K: kube::Resource<DynamicType = ()> + Clone + std::fmt::Debug + serde::de::DeserializeOwned + Send + Sync + 'static,
{
    watched(Api::all(client.clone()), &Arc::default(), wrap)
}

struct State {
    /// By namespace; an empty name is the whole cluster.
    parts: BTreeMap<Arc<str>, Part>,
    /// Where they are served.
    cluster_kinds: Option<ClusterKinds>,
    namespaces: Table<String, Namespace>,
}

impl State {
    /// Takes a change; true if the configuration may be another now.
    fn apply(&mut self, change: Change) -> bool {
        match change {
            Change::Profile(part, seen) => self.take(&part, |part| &mut part.profiles, seen),
            Change::Target(part, seen) => self.take(&part, |part| &mut part.targets, seen),
            Change::Inventory(part, seen) => self.take(&part, |part| &mut part.inventories, seen),
            Change::DatabaseSink(part, seen) => {
                let part = self.parts.get_mut(&part);
                part.is_some_and(|part| take(&mut part.database_sinks, seen, part::database_sink))
            }
            Change::Scope(part, seen) => self.take(&part, |part| &mut part.scopes, seen),
            Change::ClusterTarget(seen) => self.take_cluster(|kinds| &mut kinds.targets, seen),
            Change::ClusterInventory(seen) => self.take_cluster(|kinds| &mut kinds.inventories, seen),
            Change::ClusterScope(seen) => self.take_cluster(|kinds| &mut kinds.scopes, seen),
            Change::Namespace(event) => self.namespaces.apply(event, namespaces::namespace),
        }
    }

    fn take<K: Configured>(&mut self, part: &str, table: fn(&mut Part) -> &mut Resources<K>, seen: Seen<K>) -> bool
    where
        Resource<K::Spec>: Definition,
    {
        let part = self.parts.get_mut(part);
        part.is_some_and(|part| take(table(part), seen, part::guarded))
    }

    fn take_cluster<K: Configured>(&mut self, table: fn(&mut ClusterKinds) -> &mut Resources<K>, seen: Seen<K>) -> bool
    where
        Resource<K::Spec>: Definition,
    {
        let kinds = self.cluster_kinds.as_mut();
        kinds.is_some_and(|kinds| take(table(kinds), seen, part::guarded))
    }

    /// Whether what is missing does not exist, or may not be read for good.
    fn is_settled(&self) -> bool {
        let is_known = |(name, part): (&Arc<str>, &Part)| match part.known() {
            Known::Whole => true,
            Known::Refused => !name.is_empty(),
            Known::Waiting => false,
        };
        self.parts.iter().all(is_known)
            && self.cluster_kinds.as_ref().is_none_or(ClusterKinds::is_settled)
            && self.namespaces.is_complete()
    }

    fn configuration(&self) -> Configuration {
        let mut configuration = Configuration {
            namespaces: Arc::new(self.namespaces.rows().clone()),
            ..Configuration::default()
        };
        for (name, part) in self.parts.iter().filter(|(_, part)| part.known() == Known::Whole) {
            part.add_to(&mut configuration, name);
        }
        if let Some(kinds) = &self.cluster_kinds {
            kinds.add_to(&mut configuration);
        }
        configuration
    }
}

fn take<K, V: Definition>(
    table: &mut Table<NamespacedName, V>,
    seen: Seen<K>,
    row: impl Fn(&DeserializeGuard<K>) -> (NamespacedName, V),
) -> bool {
    match seen {
        Ok(event) => table.apply(event, row),
        Err(why) => table.refuse(why),
    }
}
