//! A sink that keeps rows in memory until they are taken.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use kollect_domain::condition::reason;
use kollect_domain::config::sink::{Destination, SinkSpec};
use kollect_domain::ids::{InventoryKey, RowKey, SinkKey};
use kollect_domain::row::Row;
use kollect_domain::status::preview::DestinationPreview;
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::sink::{Claim, Delivery, HeldRow, Purge, Receipt, Sink, SinkFactory, SyncRecord};

type Rows = BTreeMap<InventoryKey, BTreeMap<RowKey, Arc<Row>>>;

/// Rows by inventory and key, shared with the engine, so that they exist once.
#[derive(Debug, Default)]
pub struct RowBuffer {
    rows: Mutex<Rows>,
}

impl RowBuffer {
    fn locked(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes all rows, in canonical order.
    pub fn take(&self) -> Vec<Arc<Row>> {
        let inventories = std::mem::take(&mut *self.locked());
        let mut rows: Vec<Arc<Row>> = inventories.into_values().flat_map(BTreeMap::into_values).collect();
        rows.sort_by(|a, b| a.canonical_cmp(b));
        rows
    }
}

#[async_trait]
impl Sink for RowBuffer {
    async fn claim(&self, inventory: &InventoryKey) -> Result<Claim, PortError> {
        let rows = self.locked();
        let held = rows.get(inventory).into_iter().flat_map(BTreeMap::keys);
        let mut targets: Vec<Arc<str>> = held.map(|key| key.target.clone()).collect();
        targets.dedup();
        Ok(Claim { targets })
    }

    fn resume(&self, inventory: &InventoryKey, target: &str) -> BoxStream<'static, Result<Vec<HeldRow>, PortError>> {
        let rows = self.locked();
        let held = rows.get(inventory).into_iter().flatten();
        let batch: Vec<HeldRow> = held
            .filter(|(key, _)| &*key.target == target)
            .map(|(key, row)| HeldRow {
                uid: key.uid.clone(),
                namespace: row.namespace().into(),
                digest: row.digest(),
            })
            .collect();
        stream::iter([Ok(batch)]).boxed()
    }

    async fn deliver(&self, inventory: &InventoryKey, delivery: &Delivery) -> Result<Receipt, PortError> {
        let mut all = self.locked();
        let rows = all.entry(inventory.clone()).or_default();
        let before = rows.len();
        match &delivery.purge {
            Purge::Nothing => {}
            Purge::Targets(targets) => rows.retain(|key, _| !targets.contains(&key.target)),
            Purge::Inventory => rows.clear(),
        }
        for key in &delivery.deletes {
            rows.remove(key);
        }
        let mut receipt = Receipt {
            deleted: (before - rows.len()) as u64,
            ..Receipt::default()
        };
        for (key, row) in &delivery.upserts {
            receipt.bytes += row.payload().len() as u64;
            let old = rows.insert(key.clone(), row.clone());
            receipt.written += u64::from(old.is_none_or(|old| old.digest() != row.digest()));
        }
        Ok(receipt)
    }

    async fn record(&self, _: &InventoryKey, _: &[SyncRecord]) -> Result<(), PortError> {
        // Whoever takes the rows is told about faults otherwise.
        Ok(())
    }
}

/// Gives the one buffer to every sink of destination [`Destination::Caller`].
#[derive(Debug, Default)]
pub struct RowBufferFactory(pub Arc<RowBuffer>);

impl SinkFactory for RowBufferFactory {
    fn build(&self, key: &SinkKey, spec: &Arc<SinkSpec>) -> Result<Arc<dyn Sink>, PortError> {
        match spec.destination {
            Destination::Caller => Ok(self.0.clone()),
            _ => Err(PortError::new(
                ErrorClass::Misconfigured,
                reason::SINK_TYPE_UNAVAILABLE,
                format!("sink {key} is not for whoever started the program"),
            )),
        }
    }

    fn preview(&self, _: &SinkKey, _: &Arc<SinkSpec>) -> Result<DestinationPreview, PortError> {
        Ok(DestinationPreview::default())
    }
}
