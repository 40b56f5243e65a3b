//! When rows of an inventory have to look recent without having changed.
//!
//! Readers of the main table alone take `max(exported_at)` for a sign of life. One row is touched when the newest one
//! of an inventory that is known to be current may look old.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use kollect_domain::ids::InventoryKey;
use kollect_ports::sink::SyncRecord;

/// How old the newest row of an inventory that is known to be current may look.
const TOUCH_INTERVAL: Duration = Duration::from_mins(10);

/// When rows of each inventory were last written or touched by this process.
#[derive(Debug, Default)]
pub(crate) struct Freshness(Mutex<BTreeMap<InventoryKey, Instant>>);

impl Freshness {
    /// Whether a row has to be touched along with these states.
    ///
    /// A row of an inventory with a fault must not look recent.
    pub(crate) fn wants_touch(&self, inventory: &InventoryKey, records: &[SyncRecord]) -> bool {
        let complete = !records.is_empty() && records.iter().all(|record| record.state == "Complete");
        complete && self.looks_old(inventory)
    }

    /// Rows of the inventory were written or touched.
    pub(crate) fn refreshed(&self, inventory: &InventoryKey) {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.insert(inventory.clone(), Instant::now());
    }

    /// The inventory is gone.
    pub(crate) fn forget(&self, inventory: &InventoryKey) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(inventory);
    }

    fn looks_old(&self, inventory: &InventoryKey) -> bool {
        let written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written
            .get(inventory)
            .is_none_or(|written| written.elapsed() >= TOUCH_INTERVAL)
    }
}
