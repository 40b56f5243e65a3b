//! The sink port over one PostgreSQL table.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use kollect_domain::filing::Writer;
use kollect_domain::ids::InventoryKey;
use kollect_ports::error::PortError;
use kollect_ports::sink::{Claim, Delivery, HeldRow, Purge, Receipt, Sink, SyncRecord};
use tokio::time::timeout;
use tokio_postgres::RowStream;

use super::claim::Holder;
use super::connection::Connection;
use super::deliver::Change;
use super::failure::{Failure, during};
use super::schema::column;
use super::statements::Statements;
use super::worker::{Access, Job, Worker};
use super::{record, resume};
use crate::freshness::Freshness;

/// Time for work whose size does not matter.
const DEADLINE: Duration = Duration::from_mins(1);
/// More time for each row of a delivery, some ten times what it takes.
const DEADLINE_PER_ROW: Duration = Duration::from_millis(1);

/// An inventory table in PostgreSQL.
///
/// All calls share one session, one after the other. A stream of [`Sink::resume`] uses it until it ends or is dropped.
pub struct PostgresSink {
    worker: Arc<Worker>,
    writer: Writer,
    cluster: Arc<str>,
    deadline: Duration,
    freshness: Freshness,
}

impl PostgresSink {
    pub(super) fn new(access: Access, writer: Writer, cluster: Arc<str>) -> Self {
        Self {
            worker: Arc::new(Worker::new(access)),
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

    fn holder<'a>(&'a self, inventory: &'a InventoryKey) -> Holder<'a> {
        Holder {
            cluster: &self.cluster,
            inventory,
            writer: self.writer.of(inventory),
        }
    }
}

impl fmt::Debug for PostgresSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresSink")
            .field("cluster", &self.cluster)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Sink for PostgresSink {
    async fn claim(&self, inventory: &InventoryKey) -> Result<Claim, PortError> {
        self.worker
            .perform(&Claiming(self.holder(inventory)), self.deadline)
            .await
    }

    fn resume(&self, inventory: &InventoryKey, target: &str) -> BoxStream<'static, Result<Vec<HeldRow>, PortError>> {
        let (worker, inventory, deadline) = (self.worker.clone(), inventory.clone(), self.deadline);
        let (writer, cluster, target) = (
            self.writer.of(&inventory).clone(),
            self.cluster.clone(),
            target.to_owned(),
        );
        let opened = async move {
            let holder = Holder {
                cluster: &cluster,
                inventory: &inventory,
                writer: &writer,
            };
            let (rows, session) = worker
                .begin(
                    &Resuming {
                        holder,
                        target: &target,
                    },
                    deadline,
                )
                .await?;
            let guarded = futures::stream::unfold(Some((resume::batches(rows), session)), move |state| async move {
                let (mut batches, mut session) = state?;
                let failure = match timeout(deadline, batches.next()).await {
                    Ok(None) => return None,
                    Ok(Some(Ok(batch))) => return Some((Ok(batch), Some((batches, session)))),
                    Ok(Some(Err(failure))) => failure,
                    Err(_) => Failure::reconnect("postgres resume: the server stopped answering"),
                };
                // What the session would answer next is not known.
                *session = None;
                Some((Err(failure.error), None))
            });
            Ok::<_, PortError>(guarded)
        };
        futures::stream::once(opened).try_flatten().boxed()
    }

    async fn deliver(&self, inventory: &InventoryKey, delivery: &Delivery) -> Result<Receipt, PortError> {
        let limit = self.deadline + for_rows(delivery);
        let change = Change {
            holder: self.holder(inventory),
            delivery,
            limit,
        };
        let receipt = self.worker.perform(&change, limit).await?;
        if delivery.purge == Purge::Inventory {
            self.freshness.forget(inventory);
        } else if receipt.written > 0 {
            self.freshness.refreshed(inventory);
        }
        Ok(receipt)
    }

    async fn record(&self, inventory: &InventoryKey, records: &[SyncRecord]) -> Result<(), PortError> {
        let touch = self.freshness.wants_touch(inventory, records);
        let recording = Recording {
            holder: self.holder(inventory),
            records,
            touch,
        };
        self.worker.perform(&recording, self.deadline).await?;
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

struct Claiming<'a>(Holder<'a>);

impl Job for Claiming<'_> {
    type Output = Claim;

    async fn run(&self, connection: &mut Connection, statements: &Statements) -> Result<Claim, Failure> {
        self.0.claim(connection, statements).await?;
        let values = self.0.values("");
        let rows = connection
            .query(&statements.targets, &values.inventory())
            .await
            .map_err(during("postgres claim"))?;
        let mut targets = Vec::with_capacity(rows.len());
        for row in &rows {
            targets.push(column::<&str>(row, 0)?.into());
        }
        // The database orders by its own collation.
        targets.sort_unstable();
        Ok(Claim { targets })
    }
}

struct Resuming<'a> {
    holder: Holder<'a>,
    target: &'a str,
}

impl Job for Resuming<'_> {
    type Output = RowStream;

    async fn run(&self, connection: &mut Connection, statements: &Statements) -> Result<RowStream, Failure> {
        resume::open(&self.holder, self.target, connection, statements).await
    }
}

impl Job for Change<'_> {
    type Output = Receipt;

    async fn run(&self, connection: &mut Connection, statements: &Statements) -> Result<Receipt, Failure> {
        self.apply(connection, statements).await
    }
}

struct Recording<'a> {
    holder: Holder<'a>,
    records: &'a [SyncRecord],
    touch: bool,
}

impl Job for Recording<'_> {
    type Output = ();

    async fn run(&self, connection: &mut Connection, statements: &Statements) -> Result<(), Failure> {
        if self.records.is_empty() {
            return Ok(());
        }
        if !record::write(&self.holder, self.records, connection, statements).await? {
            self.holder.renew(connection, statements).await?;
            if !record::write(&self.holder, self.records, connection, statements).await? {
                return Err(super::claim::contended());
            }
        }
        if self.touch {
            // Freshness is not worth an error: another session took the claim meanwhile and touches rows itself.
            record::touch(&self.holder, connection, statements).await?;
        }
        Ok(())
    }
}
