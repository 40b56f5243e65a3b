//! The reading ports over one PostgreSQL table.
//!
//! Every question is a transaction that may only read. That is said for each transaction, not for the session: behind
//! a pooler sessions are shared with programs that write.

mod answers;
mod pool;
mod queries;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kollect_domain::condition::reason;
use kollect_domain::config::sink::{PostgresTable, Tls};
use kollect_domain::ids::RowKey;
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::query::{
    HealthReader, InventoryId, InventoryReader, InventorySummary, Page, PageRequest, ScopeState, StoredRow, View,
};
use kollect_ports::secrets::SecretReader;

use super::identifier::TableName;
use super::schema::SYNC_SUFFIX;
use crate::endpoint::EndpointPolicy;
use crate::listing;
use answers::{InventoriesQuestion, PageQuestion, RowQuestion, StatesQuestion};
use pool::{Access, Pool};
use queries::Queries;

/// Longest work of the server on one statement.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Reads an inventory table in PostgreSQL.
#[derive(Debug)]
pub struct PostgresReader {
    pool: Pool,
}

impl PostgresReader {
    /// A reader of this table. Nothing is connected and no Secret is read before it is asked something.
    ///
    /// # Errors
    /// `Misconfigured` when no table can have this name.
    pub fn new(
        table: &PostgresTable,
        tls: Tls,
        secrets: Arc<dyn SecretReader>,
        policy: Arc<EndpointPolicy>,
    ) -> Result<Self, PortError> {
        if [&table.schema, &table.table]
            .iter()
            .any(|name| name.trim().is_empty() || name.contains('\0'))
        {
            let message = "schema and table must be names";
            return Err(PortError::new(ErrorClass::Misconfigured, reason::INVALID_SINK, message));
        }
        let main = TableName::new(&table.schema, &table.table);
        let queries = Queries::new(&main, &main.sibling(SYNC_SUFFIX));
        let access = Access {
            secrets,
            policy,
            database: table.database.clone(),
            tls,
        };
        Ok(Self {
            pool: Pool::new(access, queries, TIME_LIMIT),
        })
    }

    /// The same reader with another time limit.
    #[must_use]
    pub fn with_time_limit(self, limit: Duration) -> Self {
        Self {
            pool: self.pool.with_time_limit(limit),
        }
    }
}

#[async_trait]
impl InventoryReader for PostgresReader {
    async fn inventories(&self, view: &View) -> Result<Vec<InventorySummary>, PortError> {
        listing::only_now(view)?;
        self.pool.ask(&InventoriesQuestion(&view.visibility)).await
    }

    async fn page(&self, request: &PageRequest, view: &View) -> Result<Page, PortError> {
        listing::only_now(view)?;
        let question = PageQuestion::new(request, &view.visibility)?;
        self.pool.ask(&question).await
    }

    async fn row(&self, inventory: &InventoryId, key: &RowKey, view: &View) -> Result<Option<StoredRow>, PortError> {
        listing::only_now(view)?;
        let question = RowQuestion {
            inventory,
            key,
            visibility: &view.visibility,
        };
        self.pool.ask(&question).await
    }
}

#[async_trait]
impl HealthReader for PostgresReader {
    async fn states(&self, inventory: &InventoryId, view: &View) -> Result<Vec<ScopeState>, PortError> {
        listing::only_now(view)?;
        let question = StatesQuestion {
            inventory,
            visibility: &view.visibility,
        };
        self.pool.ask(&question).await
    }
}
