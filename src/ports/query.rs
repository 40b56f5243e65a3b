//! Reading what a database sink holds: the ports of everything that shows inventories.
//!
//! Readers never write. Every question is asked under a [`View`]; answers leave out what the view does not show, in
//! counts as well.

use std::fmt::Debug;

use async_trait::async_trait;
use kollect_domain::ids::RowKey;
pub use kollect_domain::query::{
    Cursor, GroupKind, InvalidCursor, InventoryId, InventorySummary, Order, Page, PageRequest, ScopeState, SortBy,
    StoredRow, View, Visibility,
};

use crate::error::PortError;

/// Reason of a question about a moment that is not kept.
pub const HISTORY_UNAVAILABLE: &str = "HistoryUnavailable";
/// Reason of a question whose answer took too long.
pub const QUERY_TIMEOUT: &str = "QueryTimeout";
/// Reason of a question with a cursor that does not fit.
pub const INVALID_CURSOR: &str = "InvalidCursor";

/// Inventories and their rows.
///
/// # Errors
/// Every method: `Rejected` with reason [`HISTORY_UNAVAILABLE`] for a moment in the past that is not kept, `Throttled` or
/// `Transient` with reason [`QUERY_TIMEOUT`] when the answer took too long, `Misconfigured` when the database is not an
/// inventory, `Unavailable` when it cannot be reached.
#[async_trait]
pub trait InventoryReader: Debug + Send + Sync + 'static {
    /// All inventories with visible rows or recorded states, ascending by id.
    async fn inventories(&self, view: &View) -> Result<Vec<InventorySummary>, PortError>;

    /// One page of an inventory's rows. An inventory that does not exist has no rows.
    ///
    /// # Errors
    /// Also `Rejected` with reason [`INVALID_CURSOR`].
    async fn page(&self, request: &PageRequest, view: &View) -> Result<Page, PortError>;

    /// One row; `None` when it does not exist or cannot be seen.
    async fn row(&self, inventory: &InventoryId, key: &RowKey, view: &View) -> Result<Option<StoredRow>, PortError>;
}

/// How current inventories are.
#[async_trait]
pub trait HealthReader: Debug + Send + Sync + 'static {
    /// The states of an inventory's targets and watch scopes, ascending by target, kind and scope; empty when nothing
    /// was recorded. Scopes of a namespace that cannot be seen are left out, those of the whole cluster are not.
    ///
    /// # Errors
    /// As [`InventoryReader`].
    async fn states(&self, inventory: &InventoryId, view: &View) -> Result<Vec<ScopeState>, PortError>;
}
