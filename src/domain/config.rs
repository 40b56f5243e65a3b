//! The configuration as the engine sees it: our own resources, decoded once, without any Kubernetes type.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::condition::Condition;
use crate::ids::{InventoryKey, NamespacedName, ProfileKey, SinkFamily, SinkKey, TargetKey};

pub mod export;
pub mod gather;
pub mod profile;
pub mod scope;
pub mod sink;
pub mod target;

/// Everything that is configured, at one moment.
///
/// **Shape**: complete: what is missing does not exist.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Configuration {
    /// Profiles.
    pub profiles: BTreeMap<ProfileKey, Resource<profile::ProfileSpec>>,
    /// Targets; those of the cluster have an empty namespace.
    pub targets: BTreeMap<TargetKey, Resource<target::TargetSpec>>,
    /// Inventories; those of the cluster have an empty namespace.
    pub inventories: BTreeMap<InventoryKey, Resource<InventorySpec>>,
    /// Sinks.
    pub sinks: BTreeMap<SinkKey, Resource<sink::SinkSpec>>,
    /// Previews of sinks that ask for one or show one.
    pub previews: BTreeMap<SinkKey, sink::StoredPreview>,
    /// Scopes; those of the cluster kinds have an empty namespace.
    pub scopes: BTreeMap<NamespacedName, Resource<scope::ScopeSpec>>,
    /// Policy that could not be read, and why: what it would govern is refused.
    pub unread_policy: BTreeMap<PolicyArea, Invalid>,
    /// Namespaces of the cluster, by name.
    pub namespaces: Arc<BTreeMap<String, Namespace>>,
}

/// What a kind of scopes governs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PolicyArea {
    /// The cluster kinds.
    ClusterKinds,
    /// All namespaces.
    AllNamespaces,
    /// One namespace.
    Namespace(Arc<str>),
}

/// One of our resources, as last seen on the API server.
///
/// **Shape**: `spec` is the decoded definition, or why it cannot be decoded; an undecodable resource still exists, so
/// nothing that it stands for is deleted.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource<S> {
    /// Namespace and name.
    pub key: NamespacedName,
    /// `metadata.labels`.
    pub labels: BTreeMap<String, String>,
    /// `metadata.creationTimestamp`, if there is one.
    pub created: Option<Timestamp>,
    /// `metadata.uid`.
    pub uid: Arc<str>,
    /// `metadata.generation`.
    pub generation: i64,
    /// True once deletion was requested.
    pub deleting: bool,
    /// `metadata.finalizers`.
    pub finalizers: Vec<Arc<str>>,
    /// The definition, or what is wrong with it.
    pub spec: Result<Arc<S>, Invalid>,
    /// Conditions of the stored status: the source of transition times after a restart.
    pub conditions: Vec<Condition>,
}

/// Why a definition cannot be used.
///
/// **Shape**: field, offending value and remedy, ready for a condition message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Invalid {
    /// What is wrong and what to do about it.
    pub message: String,
}

impl Invalid {
    /// An invalid definition with a message for its condition.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

/// A namespace of the cluster, as far as selection needs it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Namespace {
    /// `metadata.labels`.
    pub labels: BTreeMap<String, String>,
    /// `metadata.annotations` that this program reads.
    pub annotations: BTreeMap<String, String>,
}

/// A `KollectInventory` or `KollectClusterInventory`: which rows go to which sinks, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InventorySpec {
    /// Bound sinks, in the order snapshot, database, event and in list order within each.
    pub sinks: Vec<SinkRef>,
    /// How long an unchanged payload stays unsent again; `None` = the default.
    pub export_min_interval: Option<Duration>,
    /// True while export is paused.
    pub suspend: bool,
    /// What becomes of the exported rows when the inventory is deleted.
    pub deletion_policy: DeletionPolicy,
    /// Which rows are shown; everything, except for a cluster inventory that chooses.
    pub gather: gather::Gather,
}

/// What becomes of exported rows when their inventory is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeletionPolicy {
    /// What the sink's family does by default: databases purge.
    #[default]
    FamilyDefault,
    /// The rows are removed.
    Purge,
    /// The rows stay.
    Retain,
}

/// A reference from an inventory to a sink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SinkRef {
    /// Family, given by the list that holds the reference.
    pub family: SinkFamily,
    /// Name of the sink object.
    pub name: Arc<str>,
    /// Namespace of the sink object; `None` = that of the inventory.
    pub namespace: Option<Arc<str>>,
    /// Overrides the inventory's interval.
    pub export_min_interval: Option<Duration>,
    /// Least time between two deliveries of changes; overrides the sink's.
    pub min_change_interval: Option<Duration>,
    /// Overrides the inventory's policy.
    pub deletion_policy: DeletionPolicy,
}
