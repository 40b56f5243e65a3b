//! Names and keys: what identifies a kind, a target, an inventory, a sink and a row.
//!
//! All keys order bytewise, so everything that iterates over them is deterministic.

use std::fmt;
use std::sync::Arc;

/// A kind of the Kubernetes API.
///
/// **Shape**: `group` is empty for the core group.
/// **Source**: Kubernetes API concepts, "API groups and versioning".
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gvk {
    /// API group, empty for the core group.
    pub group: Arc<str>,
    /// API version, for example `v1`.
    pub version: Arc<str>,
    /// Kind, for example `Deployment`.
    pub kind: Arc<str>,
}

impl Gvk {
    /// A kind from its three parts.
    pub fn new(group: &str, version: &str, kind: &str) -> Self {
        Self {
            group: group.into(),
            version: version.into(),
            kind: kind.into(),
        }
    }

    /// As objects carry it: `group/version`, `v1` in the core group.
    pub fn api_version(&self) -> String {
        match &*self.group {
            "" | "core" => self.version.to_string(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// True for the core `Secret` kind, whose data must never be collected by accident.
    pub fn is_core_secret(&self) -> bool {
        (self.group.is_empty() || &*self.group == "core") && &*self.kind == "Secret"
    }
}

impl fmt::Display for Gvk {
    /// `group/version/Kind`, with a leading slash for the core group.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.group, self.version, self.kind)
    }
}

/// Namespace and name of an object; the namespace of a cluster-scoped one is empty, as the Kubernetes API writes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamespacedName {
    /// Namespace; empty for a cluster-scoped object.
    pub namespace: Arc<str>,
    /// Name.
    pub name: Arc<str>,
}

impl NamespacedName {
    /// Whether the object is cluster-scoped.
    pub fn is_cluster_scoped(&self) -> bool {
        self.namespace.is_empty()
    }

    /// A key from its two parts.
    pub fn new(namespace: &str, name: &str) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }
}

impl fmt::Display for NamespacedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_cluster_scoped() {
            return f.write_str(&self.name);
        }
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// A `KollectTarget`, or a `KollectClusterTarget` with an empty namespace.
pub type TargetKey = NamespacedName;
/// A `KollectProfile`.
pub type ProfileKey = NamespacedName;
/// A `KollectInventory`, or a `KollectClusterInventory` with an empty namespace.
pub type InventoryKey = NamespacedName;

/// The three families of sinks; each is a custom resource kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SinkFamily {
    /// Whole documents: Git and object stores.
    Snapshot,
    /// Rows: databases.
    Database,
    /// Messages: event streams.
    Event,
}

impl SinkFamily {
    /// The family's identifier in statuses and keys.
    pub fn id(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::Database => "database",
            Self::Event => "event",
        }
    }
}

/// A sink object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SinkKey {
    /// Family, which names the kind of the object.
    pub family: SinkFamily,
    /// Namespace and name of the object.
    pub object: NamespacedName,
}

impl fmt::Display for SinkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.family.id(), self.object.name)
    }
}

/// One inventory exported to one sink: the unit of delivery.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BindingKey {
    /// The inventory.
    pub inventory: InventoryKey,
    /// The sink.
    pub sink: SinkKey,
}

/// Identity of a row inside one inventory.
///
/// Two targets that select the same object give two rows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowKey {
    /// Name of the target that collected the object.
    pub target: Arc<str>,
    /// Kubernetes uid of the object.
    pub uid: Arc<str>,
}

/// A part of the cluster that one list covers: all namespaces, or one.
///
/// Completeness is known per (target, watch scope): rows are deleted only inside scopes whose list finished.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WatchScope {
    /// One list over the whole cluster (all namespaces, or a cluster-scoped kind).
    Cluster,
    /// One list in one namespace.
    Namespace(Arc<str>),
}

impl WatchScope {
    /// Whether a list of this scope would contain an object of `namespace`.
    pub fn covers(&self, namespace: &str) -> bool {
        match self {
            Self::Cluster => true,
            Self::Namespace(own) => &**own == namespace,
        }
    }
}

/// Number of one registration of a target. Later registrations have greater numbers;
/// events of an earlier one are dropped, so a late batch cannot revive a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);
