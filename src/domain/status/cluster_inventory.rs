//! Status of a `KollectClusterInventory`: that of an inventory, with what is gathered.

use serde::Serialize;

use super::Status;
use super::inventory::{self, Facts};
use crate::condition::{ConditionStatus, Wanted, kind, reason};
use crate::engine::rollup::Shard;

/// Most namespaces that a status lists.
const SHARDS_LIMIT: usize = 500;
/// Most targets that a message names.
const NAMED_LIMIT: usize = 10;

/// What a cluster inventory gathers, beyond what any inventory does.
#[derive(Debug)]
pub struct Gathered {
    /// Targets that are selected and exist.
    pub targets: usize,
    /// Whether the inventory is new, so that targets may be yet to come.
    pub new: bool,
    /// Targets that are selected and cannot be collected as they should, each with the reason; suspended ones are not.
    pub degraded: Vec<String>,
    /// What each namespace contributes, ascending.
    pub shards: Vec<Shard>,
}

/// Fields of the status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fields {
    #[serde(flatten)]
    inventory: inventory::Fields,
    target_count: usize,
    namespace_shard_count: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    namespace_shards: Vec<Shard>,
}

/// Computes the status.
pub fn status(facts: &Facts<'_>, gathered: Gathered) -> Status<Fields> {
    let base = inventory::status(facts);
    let conditions = if facts.blocked.is_some() {
        base.conditions
    } else {
        conditions(facts, &gathered, base.conditions)
    };
    let Gathered {
        targets, mut shards, ..
    } = gathered;
    let namespace_shard_count = shards.len();
    shards.truncate(SHARDS_LIMIT);
    Status {
        conditions,
        fields: Fields {
            inventory: base.fields,
            target_count: targets,
            namespace_shard_count,
            namespace_shards: shards,
        },
    }
}

fn conditions(facts: &Facts<'_>, gathered: &Gathered, base: Vec<Wanted>) -> Vec<Wanted> {
    let mut conditions = base;
    for condition in &mut conditions {
        if condition.reason == reason::NO_EXPORT {
            reason::ROLLED_UP.clone_into(&mut condition.reason);
        }
    }
    conditions.extend(export_succeeded(facts, gathered, &conditions));
    if gathered.targets == 0 {
        no_targets(gathered, conditions)
    } else if gathered.degraded.is_empty() {
        conditions
    } else {
        target_degraded(gathered, conditions)
    }
}

/// A type that only cluster inventories have. It says nothing while it is not known.
fn export_succeeded(facts: &Facts<'_>, gathered: &Gathered, conditions: &[Wanted]) -> Option<Wanted> {
    if facts.bindings.is_empty() {
        return None;
    }
    let reachable = conditions.iter().find(|c| c.kind == kind::SINK_REACHABLE)?;
    let some = conditions.iter().any(|c| c.kind == kind::READY);
    let (holds, reason) = match (reachable.status, some) {
        (ConditionStatus::True, _) if gathered.degraded.is_empty() => (true, reason::EXPORTED),
        (ConditionStatus::True, _) | (_, true) => (true, reason::PARTIALLY_SYNCED),
        (_, false) => (false, reachable.reason.as_str()),
    };
    Some(Wanted::new(
        kind::EXPORT_SUCCEEDED,
        holds,
        reason,
        reachable.message.clone(),
    ))
}

fn no_targets(gathered: &Gathered, mut conditions: Vec<Wanted>) -> Vec<Wanted> {
    let message = "no KollectClusterTarget is selected, so no row is exported: create one, or correct spec.targetRefs \
                   or spec.targetSelector";
    conditions.retain(|c| ![kind::READY, kind::SYNCED, kind::DEGRADED].contains(&c.kind));
    conditions.push(Wanted::new(kind::SYNCED, false, reason::NO_TARGETS, message));
    if !gathered.new {
        conditions.push(Wanted::new(kind::DEGRADED, true, reason::NO_TARGETS, message));
    }
    conditions
}

/// What can be exported is; that some is missing or stale is said. Faults of sinks are said first.
fn target_degraded(gathered: &Gathered, mut conditions: Vec<Wanted>) -> Vec<Wanted> {
    conditions.retain(|c| c.kind != kind::READY);
    if conditions.iter().any(|c| c.kind == kind::DEGRADED) {
        return conditions;
    }
    let named = gathered.degraded.iter().take(NAMED_LIMIT).cloned().collect::<Vec<_>>();
    let message = format!(
        "{} of the selected targets cannot be collected as they should; their last known rows stay, and the others are \
         exported: {}",
        gathered.degraded.len(),
        named.join("; ")
    );
    conditions.retain(|c| c.kind != kind::SYNCED);
    conditions.push(Wanted::new(
        kind::SYNCED,
        false,
        reason::TARGET_DEGRADED,
        message.clone(),
    ));
    conditions.push(Wanted::new(kind::DEGRADED, true, reason::TARGET_DEGRADED, message));
    conditions
}
