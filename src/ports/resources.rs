//! Our own resources: read as one configuration, written one status at a time.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::BoxStream;
use kollect_domain::config::Configuration;
use kollect_domain::ids::{InventoryKey, NamespacedName, TargetKey};
use serde_json::Value;

use crate::error::PortError;

/// Reads the configuration.
pub trait ConfigurationSource: Debug + Send + Sync + 'static {
    /// An endless stream of the latest configuration.
    ///
    /// The first item comes when every resource kind was listed whole, so what is missing in it does not exist. Changes
    /// that come close together give one item. A kind that cannot be read for a while keeps its last state. Faults are
    /// retried inside.
    fn watch(&self) -> BoxStream<'static, Arc<Configuration>>;
}

/// The kinds that have a status written by the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceKind {
    /// `KollectProfile`.
    Profile,
    /// `KollectTarget`.
    Target,
    /// `KollectClusterTarget`.
    ClusterTarget,
    /// `KollectInventory`.
    Inventory,
    /// `KollectClusterInventory`.
    ClusterInventory,
    /// `KollectDatabaseSink`.
    DatabaseSink,
}

impl ResourceKind {
    /// The kind of a target.
    pub fn of_target(key: &TargetKey) -> Self {
        if key.is_cluster_scoped() {
            Self::ClusterTarget
        } else {
            Self::Target
        }
    }

    /// The kind of an inventory.
    pub fn of_inventory(key: &InventoryKey) -> Self {
        if key.is_cluster_scoped() {
            Self::ClusterInventory
        } else {
            Self::Inventory
        }
    }
}

/// A status to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusUpdate {
    /// Kind of the object.
    pub kind: ResourceKind,
    /// The object.
    pub object: NamespacedName,
    /// The complete status.
    pub status: Value,
    /// True when the stored status has parts that another writer left and that must go.
    pub replace: bool,
}

/// Writes statuses and finalizers.
#[async_trait]
pub trait ResourceWriter: Debug + Send + Sync + 'static {
    /// Stores a status. An object that does not exist any more is no error.
    ///
    /// # Errors
    /// `Misconfigured` when it may not be written or the stored schema refuses it, `Transient` or `Unavailable`
    /// otherwise.
    async fn write_status(&self, update: &StatusUpdate) -> Result<(), PortError>;

    /// Adds or removes a finalizer, touching nothing else of the object.
    ///
    /// # Errors
    /// As [`ResourceWriter::write_status`].
    async fn set_finalizer(&self, change: &FinalizerChange) -> Result<(), PortError>;
}

/// A finalizer to be added or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinalizerChange {
    /// Kind of the object.
    pub kind: ResourceKind,
    /// The object.
    pub object: NamespacedName,
    /// The finalizer.
    pub finalizer: &'static str,
    /// Whether the object should have it.
    pub present: bool,
}
