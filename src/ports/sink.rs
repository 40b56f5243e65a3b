//! Where an inventory's rows are delivered to.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::BoxStream;
use kollect_domain::config::sink::SinkSpec;
use kollect_domain::ids::{InventoryKey, RowKey, SinkKey};
use kollect_domain::row::{Row, RowDigest};

use crate::error::PortError;

/// What the sink already holds of an inventory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Claim {
    /// Names of the targets that have rows in the sink, ascending, each once.
    pub targets: Vec<Arc<str>>,
}

/// One row that the sink already holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldRow {
    /// Kubernetes uid.
    pub uid: Arc<str>,
    /// Namespace of the object, empty for a cluster-scoped one.
    pub namespace: Arc<str>,
    /// Digest of the stored row, comparable with [`Row::digest`].
    pub digest: RowDigest,
}

/// Rows that a delivery removes as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Purge {
    /// Nothing.
    #[default]
    Nothing,
    /// All rows of these targets.
    Targets(Vec<Arc<str>>),
    /// All rows of the inventory, and what else the sink keeps about it.
    Inventory,
}

/// A change of an inventory: applied as one, readers see all of it or nothing.
///
/// **Shape**: `upserts` and `deletes` are each sorted by [`RowKey`], have no duplicates and no key in common; `purge`
/// is applied first.
#[derive(Debug, Clone, Default)]
pub struct Delivery {
    /// Rows to remove as a whole, before anything else.
    pub purge: Purge,
    /// Rows to write.
    pub upserts: Vec<(RowKey, Arc<Row>)>,
    /// Rows to remove.
    pub deletes: Vec<RowKey>,
}

/// What a sink acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Receipt {
    /// Rows that were inserted or changed.
    pub written: u64,
    /// Rows that were removed.
    pub deleted: u64,
    /// Bytes of payload that were sent.
    pub bytes: u64,
    /// Rows that the sink refused for what they contain, with the reason; all other rows were written.
    pub refused: Vec<(RowKey, String)>,
}

/// State of one (target, watch scope) as readers of the sink see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncRecord {
    /// Target.
    pub target: Arc<str>,
    /// `group/version/Kind`.
    pub kind: String,
    /// Namespace of the scope, empty for the whole cluster.
    pub scope: Arc<str>,
    /// `Complete`, `Listing`, `Degraded`.
    pub state: &'static str,
    /// Condition reason, empty while all is well.
    pub reason: String,
    /// When the last complete list finished.
    pub last_list: Option<jiff::Timestamp>,
    /// When the last event was applied.
    pub last_event: Option<jiff::Timestamp>,
    /// Rows of the scope.
    pub rows: u64,
    /// Sum of the row digests, as 32 hex digits; equal rows give equal sums.
    pub checksum: String,
}

/// A sink, connected to one destination with one writer identity.
///
/// All methods may be called again after any error or cancellation: calls are idempotent. Every call ends within a
/// deadline of the adapter's own. An adapter connects when it is used, not when it is built.
#[async_trait]
pub trait Sink: Debug + Send + Sync + 'static {
    /// Prepares the destination (creates or checks it) and claims the inventory for this writer.
    ///
    /// # Errors
    /// `Misconfigured` with reason `WriterConflict` when another writer holds the inventory, or with another reason
    /// when the destination cannot be used as it is; `Unavailable` or `Transient` otherwise.
    async fn claim(&self, inventory: &InventoryKey) -> Result<Claim, PortError>;

    /// Streams the rows that the sink holds for one target, in batches.
    ///
    /// The stream ends after its first error.
    fn resume(
        &self,
        inventory: &InventoryKey,
        target: &str,
    ) -> BoxStream<'static, Result<Vec<HeldRow>, PortError>>;

    /// Applies a change as one transaction.
    ///
    /// Writing a row that the sink already holds in this state changes nothing and is not counted as written.
    ///
    /// # Errors
    /// As [`Sink::claim`]. `Rejected` is never returned for single rows: those are reported in the receipt.
    async fn deliver(
        &self,
        inventory: &InventoryKey,
        delivery: &Delivery,
    ) -> Result<Receipt, PortError>;

    /// Records freshness and state for readers, and does the sink's own upkeep.
    ///
    /// # Errors
    /// As [`Sink::claim`].
    async fn record(
        &self,
        inventory: &InventoryKey,
        records: &[SyncRecord],
    ) -> Result<(), PortError>;
}

/// Builds sinks.
pub trait SinkFactory: Debug + Send + Sync + 'static {
    /// A sink for one definition. Nothing is connected and no Secret is read before the sink is used.
    ///
    /// # Errors
    /// `Misconfigured` when the definition cannot work, or its type is not served by this build.
    fn build(&self, key: &SinkKey, spec: &Arc<SinkSpec>) -> Result<Arc<dyn Sink>, PortError>;
}
