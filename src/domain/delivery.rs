//! What is exchanged with sinks: what they hold, what is delivered, what they acknowledge.

use std::sync::Arc;

use crate::ids::RowKey;
use crate::row::{Row, RowDigest};

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
    /// All changes up to this time are in the sink; `None` while some are not.
    pub as_of: Option<jiff::Timestamp>,
    /// Rows of the scope.
    pub rows: u64,
    /// Sum of the row digests, as 32 hex digits; equal rows give equal sums.
    pub checksum: String,
}
