//! What a binding asked its sink for and has no answer to yet.

use std::sync::Arc;

use crate::ids::RowKey;

/// The operation in flight.
#[derive(Debug)]
pub enum Operation {
    /// Claiming the inventory.
    Claim,
    /// Reading back the rows of a target.
    Read {
        /// Name of the target.
        target: Arc<str>,
    },
    /// Delivering.
    Deliver {
        /// Keys that are written or deleted.
        keys: Vec<RowKey>,
        /// Targets that are purged.
        purged: Vec<Arc<str>>,
    },
    /// Removing the whole inventory.
    Close,
    /// Recording state.
    Record,
}
