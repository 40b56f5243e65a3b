//! A sink in memory.

mod database;
mod gate;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use kollect_domain::condition::reason;
use kollect_domain::config::sink::SinkSpec;
use kollect_domain::filing::{self, Writer};
use kollect_domain::ids::{InventoryKey, SinkKey};
use kollect_domain::status::preview::{DestinationPreview, TablePreview};

pub use database::{Call, FakeDatabase, FakeRow};
pub use gate::Hold;

use crate::error::{ErrorClass, PortError};
use crate::sink::{Claim, Delivery, HeldRow, Receipt, Sink, SinkFactory, SyncRecord};

/// Rows of one batch that is read back.
const BATCH_ROWS: usize = 100;

/// A sink over a [`FakeDatabase`], with one writer identity and one cluster label.
#[derive(Debug)]
pub struct FakeSink {
    database: Arc<FakeDatabase>,
    writer: Writer,
    cluster: Arc<str>,
    /// Inventories that this sink claimed since its connection was made.
    claimed: Mutex<(u64, BTreeSet<InventoryKey>)>,
}

impl FakeSink {
    /// A sink over a database.
    pub fn new(database: Arc<FakeDatabase>, writer: &str, cluster: &str) -> Self {
        Self {
            database,
            writer: Writer::new(writer),
            cluster: cluster.into(),
            claimed: Mutex::default(),
        }
    }

    /// The claims of the present connection; those of an earlier one are forgotten.
    fn claimed(&self) -> MutexGuard<'_, (u64, BTreeSet<InventoryKey>)> {
        let mut claimed = self.claimed.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = self.database.connection();
        if claimed.0 != connection {
            *claimed = (connection, BTreeSet::new());
        }
        claimed
    }

    /// Whether this sink may write the inventory.
    fn check(&self, inventory: &InventoryKey) -> Result<(), PortError> {
        match self.database.holder(&self.cluster, &filed(inventory)) {
            Some(holder) if holder != *self.writer.of(inventory) => Err(conflict(inventory, &holder)),
            Some(_) if self.claimed().1.contains(inventory) => Ok(()),
            _ => Err(PortError::new(
                ErrorClass::Unavailable,
                reason::EXPORT_FAILED,
                "the connection or the claim was lost; the inventory is claimed and compared again",
            )),
        }
    }

    fn take(&self, inventory: &InventoryKey) -> Result<(), PortError> {
        self.database
            .take_claim(&self.cluster, &filed(inventory), self.writer.of(inventory))
            .map_err(|holder| conflict(inventory, &holder))?;
        self.claimed().1.insert(inventory.clone());
        Ok(())
    }
}

/// The inventory as it is stored.
fn filed(inventory: &InventoryKey) -> InventoryKey {
    InventoryKey {
        namespace: filing::namespace(inventory).into(),
        name: inventory.name.clone(),
    }
}

fn conflict(inventory: &InventoryKey, holder: &str) -> PortError {
    let message = format!("inventory {inventory} is written by {holder}");
    PortError::new(ErrorClass::Misconfigured, reason::WRITER_CONFLICT, message)
}

#[async_trait]
impl Sink for FakeSink {
    async fn claim(&self, inventory: &InventoryKey) -> Result<Claim, PortError> {
        self.database.begin(Call::Claim).await?;
        self.take(inventory)?;
        Ok(Claim {
            targets: self.database.targets(&self.cluster, &filed(inventory)),
        })
    }

    fn resume(&self, inventory: &InventoryKey, target: &str) -> BoxStream<'static, Result<Vec<HeldRow>, PortError>> {
        let (database, cluster) = (self.database.clone(), self.cluster.clone());
        let (inventory, target) = (filed(inventory), target.to_owned());
        let batches = async move {
            if let Err(error) = database.begin(Call::Resume).await {
                return stream::iter(vec![Err(error)]);
            }
            let held = database.held(&cluster, &inventory, &target);
            stream::iter(
                held.chunks(BATCH_ROWS)
                    .map(|batch| Ok(batch.to_vec()))
                    .collect::<Vec<_>>(),
            )
        };
        stream::once(batches).flatten().boxed()
    }

    async fn deliver(&self, inventory: &InventoryKey, delivery: &Delivery) -> Result<Receipt, PortError> {
        self.database.begin(Call::Deliver).await?;
        if delivery.purge == crate::sink::Purge::Inventory {
            self.take(inventory)?;
        }
        self.check(inventory)?;
        Ok(self.database.apply(&self.cluster, &filed(inventory), delivery))
    }

    async fn record(&self, inventory: &InventoryKey, records: &[SyncRecord]) -> Result<(), PortError> {
        self.database.begin(Call::Record).await?;
        self.check(inventory)?;
        self.database.keep(&filed(inventory), records);
        Ok(())
    }
}

/// Builds a [`FakeSink`] for every definition, each sink object with a database of its own.
#[derive(Debug)]
pub struct FakeSinkFactory {
    writer: Arc<str>,
    databases: Mutex<BTreeMap<SinkKey, Arc<FakeDatabase>>>,
}

impl FakeSinkFactory {
    /// A factory for one writer.
    pub fn new(writer: &str) -> Self {
        Self {
            writer: writer.into(),
            databases: Mutex::default(),
        }
    }

    /// The database behind a sink object, there before the sink is built.
    pub fn database(&self, key: &SinkKey) -> Arc<FakeDatabase> {
        let mut databases = self.databases.lock().unwrap_or_else(PoisonError::into_inner);
        databases.entry(key.clone()).or_default().clone()
    }
}

impl SinkFactory for FakeSinkFactory {
    fn build(&self, key: &SinkKey, spec: &Arc<SinkSpec>) -> Result<Arc<dyn Sink>, PortError> {
        Ok(Arc::new(FakeSink::new(self.database(key), &self.writer, &spec.cluster)))
    }

    /// Shows the cluster's label as the table's definition.
    fn preview(&self, _: &SinkKey, spec: &Arc<SinkSpec>) -> Result<DestinationPreview, PortError> {
        Ok(DestinationPreview {
            postgres: Some(TablePreview {
                expected_ddl: spec.cluster.to_string(),
            }),
        })
    }
}
