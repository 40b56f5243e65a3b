//! What a fake sink writes to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kollect_domain::ids::{InventoryKey, RowKey};
use kollect_domain::row::Row;

use super::gate::{Gate, Hold};
use crate::error::PortError;
use crate::sink::{Delivery, HeldRow, Purge, Receipt, SyncRecord};

/// The calls of a sink, for scripts and logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Call {
    /// [`Sink::claim`](crate::sink::Sink::claim)
    Claim,
    /// [`Sink::resume`](crate::sink::Sink::resume)
    Resume,
    /// [`Sink::deliver`](crate::sink::Sink::deliver)
    Deliver,
    /// [`Sink::record`](crate::sink::Sink::record)
    Record,
}

/// Rows in memory, with a script of faults and a log of what was delivered.
///
/// Several sinks may share one. A test that ends with faults left in the script fails.
#[derive(Debug, Default)]
pub struct FakeDatabase {
    state: Mutex<State>,
    gate: Arc<Gate>,
}

/// A stored row.
#[derive(Debug, Clone, PartialEq)]
pub struct FakeRow {
    /// Label of the cluster it is filed under.
    pub cluster: Arc<str>,
    /// Inventory it is filed under.
    pub inventory: InventoryKey,
    /// Target and uid it is filed under.
    pub key: RowKey,
    /// Namespace it is filed under.
    pub namespace: String,
    /// The row.
    pub row: Arc<Row>,
}

type Scope = (Arc<str>, InventoryKey);

#[derive(Debug, Default)]
struct State {
    rows: BTreeMap<(Scope, RowKey), Arc<Row>>,
    claims: BTreeMap<Scope, Arc<str>>,
    connection: u64,
    faults: BTreeMap<Call, VecDeque<PortError>>,
    refused_text: Option<String>,
    delivered: Vec<(InventoryKey, Delivery)>,
    records: Vec<(InventoryKey, SyncRecord)>,
}

impl FakeDatabase {
    /// Makes the next call of this kind fail without an effect; several faults come one after the other.
    pub fn fail_next(&self, call: Call, error: PortError) {
        self.state().faults.entry(call).or_default().push_back(error);
    }

    /// Makes calls wait while the result exists.
    pub fn hold(&self) -> Hold {
        self.gate.hold()
    }

    /// Calls that wait at present.
    pub fn waiting(&self) -> usize {
        self.gate.waiting()
    }

    /// Ends the connections of all sinks: each has to claim again.
    pub fn disconnect(&self) {
        self.state().connection += 1;
    }

    /// Refuses rows whose payload contains this text from now on.
    pub fn refuse_rows_with(&self, text: &str) {
        self.state().refused_text = Some(text.to_owned());
    }

    /// Deliveries that were applied, in order.
    pub fn delivered(&self) -> Vec<(InventoryKey, Delivery)> {
        self.state().delivered.clone()
    }

    /// The latest sync state of each (inventory, target, kind, scope), in the order in which they first came.
    pub fn records(&self) -> Vec<(InventoryKey, SyncRecord)> {
        self.state().records.clone()
    }

    /// All rows, sorted.
    pub fn rows(&self) -> Vec<FakeRow> {
        let stored = |(((cluster, inventory), key), row): (&(Scope, RowKey), &Arc<Row>)| FakeRow {
            cluster: cluster.clone(),
            inventory: inventory.clone(),
            key: key.clone(),
            namespace: filed_under(row, inventory).to_owned(),
            row: row.clone(),
        };
        self.state().rows.iter().map(stored).collect()
    }

    /// Waits at the gate, then takes the next fault of the script.
    pub(super) async fn begin(&self, call: Call) -> Result<(), PortError> {
        self.gate.pass().await;
        let fault = self.state().faults.get_mut(&call).and_then(VecDeque::pop_front);
        fault.map_or(Ok(()), Err)
    }

    pub(super) fn connection(&self) -> u64 {
        self.state().connection
    }

    pub(super) fn holder(&self, cluster: &Arc<str>, inventory: &InventoryKey) -> Option<Arc<str>> {
        self.state().claims.get(&(cluster.clone(), inventory.clone())).cloned()
    }

    /// Gives the claim to a writer, or names the one who has it.
    pub(super) fn take_claim(
        &self,
        cluster: &Arc<str>,
        inventory: &InventoryKey,
        writer: &Arc<str>,
    ) -> Result<(), Arc<str>> {
        let mut state = self.state();
        let holder = state
            .claims
            .entry((cluster.clone(), inventory.clone()))
            .or_insert_with(|| writer.clone());
        if holder == writer { Ok(()) } else { Err(holder.clone()) }
    }

    pub(super) fn targets(&self, cluster: &Arc<str>, inventory: &InventoryKey) -> Vec<Arc<str>> {
        let scope = (cluster.clone(), inventory.clone());
        let state = self.state();
        let own = state.rows.keys().filter(|(of, _)| *of == scope);
        own.map(|(_, key)| key.target.clone())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    pub(super) fn held(&self, cluster: &Arc<str>, inventory: &InventoryKey, target: &str) -> Vec<HeldRow> {
        let scope = (cluster.clone(), inventory.clone());
        let state = self.state();
        let own = state
            .rows
            .iter()
            .filter(|((of, key), _)| *of == scope && &*key.target == target);
        own.map(|((_, key), row)| HeldRow {
            uid: key.uid.clone(),
            namespace: row.namespace().into(),
            digest: row.digest(),
        })
        .collect()
    }

    pub(super) fn apply(&self, cluster: &Arc<str>, inventory: &InventoryKey, delivery: &Delivery) -> Receipt {
        let scope = (cluster.clone(), inventory.clone());
        let mut state = self.state();
        let mut receipt = Receipt::default();
        let before = state.rows.len();
        state
            .rows
            .retain(|(of, key), _| *of != scope || !purges(&delivery.purge, &key.target));
        receipt.deleted += (before - state.rows.len()) as u64;
        state
            .records
            .retain(|(of, record)| of != inventory || !purges(&delivery.purge, &record.target));
        for key in &delivery.deletes {
            receipt.deleted += u64::from(state.rows.remove(&(scope.clone(), key.clone())).is_some());
        }
        for (key, row) in &delivery.upserts {
            if state
                .refused_text
                .as_ref()
                .is_some_and(|text| row.payload().contains(text))
            {
                receipt
                    .refused
                    .push((key.clone(), "the fake refuses this text".to_owned()));
                continue;
            }
            receipt.bytes += row.payload().len() as u64;
            let previous = state.rows.insert((scope.clone(), key.clone()), row.clone());
            receipt.written += u64::from(previous.is_none_or(|previous| previous.digest() != row.digest()));
        }
        if delivery.purge == Purge::Inventory && delivery.upserts.is_empty() {
            state.claims.remove(&scope);
        }
        state.delivered.push((inventory.clone(), delivery.clone()));
        receipt
    }

    pub(super) fn keep(&self, inventory: &InventoryKey, records: &[SyncRecord]) {
        let mut state = self.state();
        for record in records {
            let same = |(of, other): &&mut (InventoryKey, SyncRecord)| {
                of == inventory
                    && (&other.target, &other.kind, &other.scope) == (&record.target, &record.kind, &record.scope)
            };
            match state.records.iter_mut().find(same) {
                Some((_, known)) => *known = record.clone(),
                None => state.records.push((inventory.clone(), record.clone())),
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for FakeDatabase {
    fn drop(&mut self) {
        let left = self.state().faults.values().map(VecDeque::len).sum::<usize>();
        assert!(
            left == 0 || std::thread::panicking(),
            "{left} scripted faults of a fake sink were never met"
        );
    }
}

fn purges(purge: &Purge, target: &Arc<str>) -> bool {
    match purge {
        Purge::Nothing => false,
        Purge::Targets(targets) => targets.contains(target),
        Purge::Inventory => true,
    }
}

fn filed_under<'a>(row: &'a Row, inventory: &'a InventoryKey) -> &'a str {
    match row.namespace() {
        "" => &inventory.namespace,
        own => own,
    }
}
