//! What became of everything.

use std::collections::BTreeMap;
use std::sync::Arc;

use kollect_domain::engine::Engine;
use kollect_domain::engine::report::{BindingReport, TargetReport};
use kollect_domain::fault::Fault;
use kollect_domain::ids::{BindingKey, TargetKey};
use kollect_domain::plan::registration::Registration;
use kollect_domain::plan::{Blocked, Decisions};

/// What became of everything when the operator stopped.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The targets that were collected, as they were understood.
    pub registrations: BTreeMap<TargetKey, Arc<Registration>>,
    /// Targets; a condition reason and a message for those that could not be collected at all.
    pub targets: BTreeMap<TargetKey, Result<TargetReport, Blocked>>,
    /// Inventories and their sinks; a fault for sinks that could not be used at all.
    pub bindings: BTreeMap<BindingKey, Result<BindingReport, Fault>>,
}

impl Outcome {
    /// As the engine sees it.
    pub(super) fn of(decisions: &Decisions, engine: &Engine) -> Self {
        let Decisions {
            registrations,
            blocked_targets,
            inventories,
            ..
        } = decisions;
        let collected = registrations
            .keys()
            .filter_map(|key| Some((key.clone(), Ok(engine.target(key)?))));
        let blocked = blocked_targets
            .iter()
            .map(|(key, blocked)| (key.clone(), Err(blocked.clone())));
        let bindings = inventories.iter().flat_map(|(inventory, decision)| {
            decision.sinks.iter().filter_map(|(sink, fault)| {
                let key = BindingKey {
                    inventory: inventory.clone(),
                    sink: sink.clone(),
                };
                let result = match fault {
                    Some(fault) => Err(fault.clone()),
                    None => Ok(engine.binding(&key)?),
                };
                Some((key, result))
            })
        });
        Self {
            registrations: registrations.clone(),
            targets: collected.chain(blocked).collect(),
            bindings: bindings.collect(),
        }
    }
}
