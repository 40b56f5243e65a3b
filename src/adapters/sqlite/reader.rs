//! The reading ports over one table of a `SQLite` file.
//!
//! Files are opened read-only and never created. Every answer comes from one state of the file, whatever is written
//! meanwhile.

mod answers;
mod pool;
mod queries;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kollect_domain::condition::reason;
use kollect_domain::ids::RowKey;
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::query::{
    HealthReader, InventoryId, InventoryReader, InventorySummary, Page, PageRequest, ScopeState, StoredRow, View,
};

use super::identifier::{LONGEST_NAME_BYTES, TableName};
use super::schema::sync_table;
use crate::listing;
use pool::Pool;
use queries::Queries;

/// Longest wait for an answer.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Reads an inventory table in a `SQLite` file.
#[derive(Debug)]
pub struct SqliteReader {
    pool: Pool,
    queries: Arc<Queries>,
}

impl SqliteReader {
    /// A reader of this table. The file is opened when it is read.
    ///
    /// # Errors
    /// `Misconfigured` when no table can have this name.
    pub fn new(file: &Path, table: &str) -> Result<Self, PortError> {
        let main = TableName::new(table).ok_or_else(|| {
            let message = format!(
                "the table must have a name of at most {LONGEST_NAME_BYTES} bytes that does not begin with sqlite_"
            );
            PortError::new(ErrorClass::Misconfigured, reason::INVALID_SINK, message)
        })?;
        Ok(Self {
            pool: Pool::new(file.to_owned(), TIME_LIMIT),
            queries: Arc::new(Queries::new(&main, &sync_table(&main))),
        })
    }

    /// The same reader with another time limit.
    #[must_use]
    pub fn with_time_limit(self, limit: Duration) -> Self {
        Self {
            pool: self.pool.with_time_limit(limit),
            ..self
        }
    }
}

#[async_trait]
impl InventoryReader for SqliteReader {
    async fn inventories(&self, view: &View) -> Result<Vec<InventorySummary>, PortError> {
        listing::only_now(view)?;
        let (queries, visibility) = (self.queries.clone(), view.visibility.clone());
        self.pool
            .ask(move |file| answers::inventories(file, &queries, &visibility))
            .await
    }

    async fn page(&self, request: &PageRequest, view: &View) -> Result<Page, PortError> {
        listing::only_now(view)?;
        listing::place_after(request)?;
        let (queries, visibility, request) = (self.queries.clone(), view.visibility.clone(), request.clone());
        self.pool
            .ask(move |file| answers::page(file, &queries, (&request, &visibility)))
            .await
    }

    async fn row(&self, inventory: &InventoryId, key: &RowKey, view: &View) -> Result<Option<StoredRow>, PortError> {
        listing::only_now(view)?;
        let (queries, visibility) = (self.queries.clone(), view.visibility.clone());
        let (inventory, key) = (inventory.clone(), key.clone());
        self.pool
            .ask(move |file| answers::row(file, &queries, (&inventory, &key, &visibility)))
            .await
    }
}

#[async_trait]
impl HealthReader for SqliteReader {
    async fn states(&self, inventory: &InventoryId, view: &View) -> Result<Vec<ScopeState>, PortError> {
        listing::only_now(view)?;
        let (queries, visibility, inventory) = (self.queries.clone(), view.visibility.clone(), inventory.clone());
        self.pool
            .ask(move |file| answers::states(file, &queries, (&inventory, &visibility)))
            .await
    }
}
