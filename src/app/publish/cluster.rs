//! What the statuses of the cluster kinds need beyond those of the namespaced ones.

use std::time::Duration;

use kollect_domain::condition::reason;
use kollect_domain::config::{InventorySpec, Resource};
use kollect_domain::engine::report::TargetReport;
use kollect_domain::engine::rollup::Rollup;
use kollect_domain::ids::{InventoryKey, TargetKey};
use kollect_domain::status::cluster_inventory::Gathered;
use kollect_domain::time::Now;

use super::View;

/// How long a cluster inventory may be without targets before that counts as a mistake.
const BOOTSTRAP: Duration = Duration::from_mins(5);

impl View<'_> {
    /// Brings what is known about namespaces up to date. Returns when the status must be looked at again although
    /// nothing may happen until then.
    pub(super) fn refresh(&self, key: &InventoryKey, rollup: &mut Rollup, now: Now) -> Option<Duration> {
        let resource = self.configuration.inventories.get(key)?;
        let view = self.decisions.plan.views.get(key)?;
        let selected = self.selected(key);
        let again = if selected.iter().all(|target| self.is_listed(target)) {
            rollup.refresh(self.engine, key, view, now.monotonic)
        } else {
            None
        };
        let grown = bootstrap_left(resource, now).filter(|_| selected.is_empty());
        again.into_iter().chain(grown.map(|left| now.monotonic + left)).min()
    }

    /// What a cluster inventory gathers, and how many rows it shows.
    pub(super) fn gathered(&self, resource: &Resource<InventorySpec>, rollup: &Rollup, now: Now) -> (Gathered, u64) {
        let key = &resource.key;
        let selected = self.selected(key);
        let view = self.decisions.plan.views.get(key);
        let missing = view
            .and_then(|view| view.targets.as_ref())
            .into_iter()
            .flatten()
            .filter(|name| selected.iter().all(|target| target.name != **name))
            .map(|name| format!("{name} (does not exist)"));
        let degraded = selected.iter().filter_map(|target| self.trouble(target)).chain(missing);
        let rows = match view {
            Some(view) if view.dedupe => rollup.shards().map(|shard| shard.item_count).sum(),
            Some(view) => self.engine.rows_of(key, view),
            None => 0,
        };
        let gathered = Gathered {
            targets: selected.len(),
            new: bootstrap_left(resource, now).is_some(),
            degraded: degraded.collect(),
            shards: rollup.shards().cloned().collect(),
        };
        (gathered, rows)
    }

    /// The targets that an inventory shows rows of, ascending.
    pub(super) fn selected(&self, inventory: &InventoryKey) -> Vec<&TargetKey> {
        let view = self.decisions.plan.views.get(inventory);
        let targets = self.configuration.targets.values().filter(|target| !target.deleting);
        targets
            .map(|target| &target.key)
            .filter(|key| key.namespace == inventory.namespace && view.is_none_or(|view| view.selects(&key.name)))
            .collect()
    }

    /// Whether nothing of a target is under way.
    pub(super) fn is_listed(&self, target: &TargetKey) -> bool {
        let is_under_way = |report: TargetReport| !report.listed && report.fault.is_none();
        !self.decisions.registrations.contains_key(target) || !self.engine.target(target).is_some_and(is_under_way)
    }

    /// Why a target is not collected as it should; nothing is wrong with one that is switched off or being listed.
    fn trouble(&self, key: &TargetKey) -> Option<String> {
        let reason = match self.decisions.blocked_targets.get(key) {
            Some((reason::SUSPENDED, _)) => return None,
            Some((reason, _)) => reason,
            None => {
                let report = self.engine.target(key)?;
                match report.fault {
                    Some(fault) => fault.reason,
                    None if report.complete && report.failures > 0 => reason::EXTRACTION_FAILED,
                    None => return None,
                }
            }
        };
        Some(format!("{} ({reason})", key.name))
    }
}

/// How long an inventory still counts as new.
fn bootstrap_left<S>(resource: &Resource<S>, now: Now) -> Option<Duration> {
    let age = now.wall.duration_since(resource.created?);
    let left = BOOTSTRAP.checked_sub(Duration::try_from(age).unwrap_or_default())?;
    (!left.is_zero()).then_some(left)
}
