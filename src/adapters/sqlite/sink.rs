//! The sink port over one table of a `SQLite` file.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use kollect_domain::filing::Writer;
use kollect_domain::ids::InventoryKey;
use kollect_ports::error::PortError;
use kollect_ports::sink::{Claim, Delivery, HeldRow, Purge, Receipt, Sink, SyncRecord};

use super::claim::Holder;
use super::deliver::Change;
use super::worker::{Access, Worker};
use super::{record, resume};
use crate::freshness::Freshness;

/// Time for work whose size does not matter.
const DEADLINE: Duration = Duration::from_secs(30);
/// More time for each row of a delivery, some fifty times what it takes on a local disk.
const DEADLINE_PER_ROW: Duration = Duration::from_millis(1);

/// An inventory table in a `SQLite` file.
///
/// All calls share one open file, one after the other. They run on threads that may block; a call that is cancelled
/// ends its work and undoes it.
pub struct SqliteSink {
    worker: Worker,
    writer: Writer,
    cluster: Arc<str>,
    deadline: Duration,
    freshness: Freshness,
}

impl SqliteSink {
    pub(super) fn new(access: Access, writer: Writer, cluster: Arc<str>) -> Self {
        Self {
            worker: Worker::new(access),
            writer,
            cluster,
            deadline: DEADLINE,
            freshness: Freshness::default(),
        }
    }

    /// The same sink with another time limit for work whose size does not matter.
    #[cfg(test)]
    pub(super) fn with_deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    fn holder(&self, inventory: &InventoryKey) -> Holder {
        Holder {
            cluster: self.cluster.clone(),
            inventory: inventory.clone(),
            writer: self.writer.of(inventory).clone(),
        }
    }
}

impl fmt::Debug for SqliteSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteSink")
            .field("worker", &self.worker)
            .field("cluster", &self.cluster)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Sink for SqliteSink {
    async fn claim(&self, inventory: &InventoryKey) -> Result<Claim, PortError> {
        let holder = self.holder(inventory);
        self.worker
            .perform(self.deadline, move |session, statements| {
                let targets = session.transaction(|session| {
                    holder.take(session, statements)?;
                    holder.targets(session, statements)
                })?;
                session.claimed.insert(holder.inventory.clone());
                Ok(Claim { targets })
            })
            .await
    }

    fn resume(&self, inventory: &InventoryKey, target: &str) -> BoxStream<'static, Result<Vec<HeldRow>, PortError>> {
        let (worker, deadline) = (self.worker.clone(), self.deadline);
        let (holder, target): (_, Arc<str>) = (self.holder(inventory), target.into());
        let batches = futures::stream::unfold(Some(String::new()), move |last| {
            let (worker, holder, target) = (worker.clone(), holder.clone(), target.clone());
            async move {
                let last = last?;
                let read = worker.perform(deadline, move |session, statements| {
                    resume::read((&holder, &target, &last), session, statements)
                });
                Some(match read.await {
                    Ok(batch) => (Ok(batch.rows), batch.next),
                    Err(error) => (Err(error), None),
                })
            }
        });
        batches
            .filter(|batch| std::future::ready(!matches!(batch, Ok(rows) if rows.is_empty())))
            .boxed()
    }

    async fn deliver(&self, inventory: &InventoryKey, delivery: &Delivery) -> Result<Receipt, PortError> {
        let limit = self.deadline + for_rows(delivery);
        // Rows are shared, so this copies keys.
        let change = Change {
            holder: self.holder(inventory),
            delivery: Arc::new(delivery.clone()),
        };
        let receipt = self
            .worker
            .perform(limit, move |session, statements| change.apply(session, statements))
            .await?;
        if delivery.purge == Purge::Inventory {
            self.freshness.forget(inventory);
        } else if receipt.written > 0 {
            self.freshness.refreshed(inventory);
        }
        Ok(receipt)
    }

    async fn record(&self, inventory: &InventoryKey, records: &[SyncRecord]) -> Result<(), PortError> {
        if records.is_empty() {
            return Ok(());
        }
        let touch = self.freshness.wants_touch(inventory, records);
        let (holder, records) = (self.holder(inventory), records.to_vec());
        self.worker
            .perform(self.deadline, move |session, statements| {
                session.transaction(|session| {
                    holder.hold(session, statements)?;
                    record::write(&holder, &records, session, statements)?;
                    if touch {
                        record::touch(&holder, session, statements)?;
                    }
                    Ok(())
                })
            })
            .await?;
        if touch {
            self.freshness.refreshed(inventory);
        }
        Ok(())
    }
}

/// More time for a delivery with many rows.
fn for_rows(delivery: &Delivery) -> Duration {
    let rows = delivery.upserts.len() + delivery.deletes.len();
    DEADLINE_PER_ROW * u32::try_from(rows).unwrap_or(u32::MAX)
}
