//! An exported inventory in memory, to be read.

mod filed;
mod listing;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use kollect_domain::ids::RowKey;

use crate::error::{ErrorClass, PortError};
use crate::query::{
    HISTORY_UNAVAILABLE, HealthReader, InventoryId, InventoryReader, InventorySummary, Page, PageRequest, ScopeState,
    StoredRow, View,
};

/// What the next call does instead of answering.
#[derive(Debug)]
enum Fault {
    Error(PortError),
    Silence,
}

#[derive(Debug, Default)]
struct State {
    rows: BTreeMap<(InventoryId, RowKey), StoredRow>,
    states: BTreeMap<InventoryId, Vec<ScopeState>>,
    faults: VecDeque<Fault>,
}

/// Rows and states that a test puts in, read as the real readers read a database.
///
/// It keeps no history, so every question about a moment is refused. Scripted faults that no call met fail the test
/// when the fake is dropped.
#[derive(Debug, Default)]
pub struct FakeReader {
    state: Mutex<State>,
}

impl FakeReader {
    /// Adds a row, or replaces the one with its inventory and key.
    pub fn put(&self, row: StoredRow) {
        self.state().rows.insert((row.inventory.clone(), row.key.clone()), row);
    }

    /// Takes a row away; false if there was none.
    pub fn remove(&self, inventory: &InventoryId, key: &RowKey) -> bool {
        self.state().rows.remove(&(inventory.clone(), key.clone())).is_some()
    }

    /// Replaces the states of an inventory, in any order.
    pub fn record(&self, inventory: &InventoryId, mut states: Vec<ScopeState>) {
        states.sort_by(|a, b| (&a.target, &a.kind, &a.scope).cmp(&(&b.target, &b.kind, &b.scope)));
        self.state().states.insert(inventory.clone(), states);
    }

    /// Makes one more of the next calls fail.
    pub fn fail(&self, error: PortError) {
        self.state().faults.push_back(Fault::Error(error));
    }

    /// Makes one more of the next calls never answer.
    pub fn stay_silent(&self) {
        self.state().faults.push_back(Fault::Silence);
    }

    /// What every call begins with: the script, then the moment.
    async fn begin(&self, view: &View) -> Result<(), PortError> {
        let fault = self.state().faults.pop_front();
        match fault {
            Some(Fault::Error(error)) => return Err(error),
            Some(Fault::Silence) => futures::future::pending().await,
            None => {}
        }
        if view.at.is_some() {
            let message = "no history is kept; ask for the present";
            return Err(PortError::new(ErrorClass::Rejected, HISTORY_UNAVAILABLE, message));
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn visible_rows<'a>(&'a self, inventory: &'a InventoryId, view: &'a View) -> impl Iterator<Item = &'a StoredRow> {
        self.rows
            .values()
            .filter(move |row| row.inventory == *inventory && filed::is_visible(row, &view.visibility))
    }

    fn visible_states(&self, inventory: &InventoryId, view: &View) -> Vec<ScopeState> {
        let is_visible = |state: &&ScopeState| {
            view.visibility.includes_cluster(&inventory.cluster)
                && (state.scope.is_empty() || view.visibility.includes_namespace(&state.scope))
        };
        let recorded = self.states.get(inventory).into_iter().flatten();
        recorded.filter(is_visible).cloned().collect()
    }

    fn summary(&self, inventory: &InventoryId, view: &View) -> Option<InventorySummary> {
        let mut kinds = BTreeMap::new();
        let mut exported_at = None;
        for row in self.visible_rows(inventory, view) {
            *kinds.entry(filed::kind(row)).or_insert(0) += 1;
            exported_at = exported_at.max(Some(row.exported_at));
        }
        let exists = exported_at.is_some() || !self.visible_states(inventory, view).is_empty();
        exists.then(|| InventorySummary {
            id: inventory.clone(),
            kinds: kinds.into_iter().collect(),
            exported_at,
        })
    }
}

#[async_trait]
impl InventoryReader for FakeReader {
    async fn inventories(&self, view: &View) -> Result<Vec<InventorySummary>, PortError> {
        self.begin(view).await?;
        let state = self.state();
        let with_rows = state.rows.keys().map(|(inventory, _)| inventory);
        let ids: BTreeSet<&InventoryId> = with_rows.chain(state.states.keys()).collect();
        Ok(ids.into_iter().filter_map(|id| state.summary(id, view)).collect())
    }

    async fn page(&self, request: &PageRequest, view: &View) -> Result<Page, PortError> {
        self.begin(view).await?;
        listing::page(self.state().visible_rows(&request.inventory, view), request)
    }

    async fn row(&self, inventory: &InventoryId, key: &RowKey, view: &View) -> Result<Option<StoredRow>, PortError> {
        self.begin(view).await?;
        let state = self.state();
        let row = state.rows.get(&(inventory.clone(), key.clone()));
        Ok(row.filter(|row| filed::is_visible(row, &view.visibility)).cloned())
    }
}

#[async_trait]
impl HealthReader for FakeReader {
    async fn states(&self, inventory: &InventoryId, view: &View) -> Result<Vec<ScopeState>, PortError> {
        self.begin(view).await?;
        Ok(self.state().visible_states(inventory, view))
    }
}

impl Drop for FakeReader {
    fn drop(&mut self) {
        let left = self.state().faults.len();
        assert!(
            left == 0 || std::thread::panicking(),
            "{left} scripted faults of a fake reader were never met"
        );
    }
}
