//! Which inventory is exported to which sink.

use std::sync::Arc;
use std::time::Duration;

use super::{Blocked, Decisions, cluster_inventories};
use crate::ceiling::Ceiling;
use crate::condition::reason;
use crate::config::{Configuration, DeletionPolicy, InventorySpec, Resource, SinkRef};
use crate::engine::{BindingPlan, Closing};
use crate::fault::{ErrorClass, Fault};
use crate::ids::{BindingKey, NamespacedName, SinkFamily, SinkKey};

/// What becomes of one inventory.
#[derive(Debug, Clone)]
pub struct InventoryDecision {
    /// Why nothing is exported.
    pub blocked: Option<Blocked>,
    /// The bound sinks in the order of the definition, and why one cannot be used.
    pub sinks: Vec<(SinkKey, Option<Fault>)>,
    /// True while the inventory is being deleted; without bindings in the plan nothing is left to clean.
    pub deleting: bool,
}

/// Plans all inventories; sinks must be planned before.
pub fn plan(configuration: &Configuration, decisions: &mut Decisions) {
    for resource in configuration.inventories.values() {
        let decision = decide(resource, configuration, decisions);
        decisions.inventories.insert(resource.key.clone(), decision);
    }
}

fn decide(
    resource: &Resource<InventorySpec>,
    configuration: &Configuration,
    decisions: &mut Decisions,
) -> InventoryDecision {
    let nothing = |blocked| InventoryDecision {
        blocked: Some(blocked),
        sinks: Vec::new(),
        deleting: resource.deleting,
    };
    let spec = match &resource.spec {
        Ok(spec) => spec.clone(),
        Err(invalid) => return nothing((reason::INVALID_INVENTORY, invalid.message.clone())),
    };
    let ceiling = Ceiling::over(&resource.key.namespace, configuration);
    // Clean-up of a deleted inventory runs although it is suspended or its policy is not known.
    let blocked = match &ceiling {
        _ if resource.deleting => None,
        _ if spec.suspend => {
            let message = "spec.suspend is true: nothing is exported and exported rows stay as they are";
            Some((reason::SUSPENDED, message.to_owned()))
        }
        Err(message) => Some((reason::SCOPE_LOOKUP_FAILED, message.clone())),
        Ok(_) => None,
    };
    if resource.key.is_cluster_scoped() {
        match cluster_inventories::view(&spec.gather, configuration) {
            Ok(view) => drop(decisions.plan.views.insert(resource.key.clone(), Arc::new(view))),
            // What is cleaned up does not depend on what was shown.
            Err(_) if resource.deleting => {}
            Err(blocked) => return nothing(blocked),
        }
    }
    let sinks = spec
        .sinks
        .iter()
        .map(|reference| {
            let key = SinkKey {
                family: reference.family,
                object: NamespacedName {
                    namespace: reference.namespace.as_ref().unwrap_or(&resource.key.namespace).clone(),
                    name: reference.name.clone(),
                },
            };
            let bound = match ceiling
                .as_ref()
                .ok()
                .and_then(|ceiling| denial(ceiling, resource, &key))
            {
                Some(denied) => Err(denied),
                None => bind(resource, &spec, reference, &key, blocked.is_some(), decisions),
            };
            (key, bound.err())
        })
        .collect();
    InventoryDecision {
        blocked,
        sinks,
        deleting: resource.deleting,
    }
}

/// Why policy does not let an inventory be exported to a sink; clean-up is always allowed.
fn denial(ceiling: &Ceiling, resource: &Resource<InventorySpec>, sink: &SinkKey) -> Option<Fault> {
    if resource.deleting {
        return None;
    }
    let namespace = &sink.object.namespace;
    let elsewhere = (*namespace != resource.key.namespace).then(|| ceiling.reference_denial(namespace));
    let (reason, denial) = match elsewhere.flatten() {
        Some(denial) => (reason::SINK_NAMESPACE_DENIED, denial),
        None => (
            reason::SCOPE_SINK_DENIED,
            ceiling.sink_denial(sink.family, &sink.object.name)?,
        ),
    };
    let message = format!("{denial}: nothing is exported to it; change the reference or the scope");
    Some(Fault::new(ErrorClass::Misconfigured, reason, message))
}

fn bind(
    resource: &Resource<InventorySpec>,
    spec: &Arc<InventorySpec>,
    reference: &SinkRef,
    key: &SinkKey,
    blocked: bool,
    decisions: &mut Decisions,
) -> Result<(), Fault> {
    let sink = match decisions.sinks.get(key) {
        Some(Ok(sink)) => sink,
        Some(Err(fault)) => return Err(fault.clone()),
        None => {
            let message = format!(
                "{} sink {} does not exist in namespace {}: create it, or correct the reference",
                key.family.id(),
                key.object.name,
                key.object.namespace
            );
            return Err(Fault::new(ErrorClass::Misconfigured, reason::SINK_NOT_FOUND, message));
        }
    };
    if blocked {
        return Ok(());
    }
    let spacing = reference
        .min_change_interval
        .or(sink.spec.min_change_interval)
        .unwrap_or(default_spacing(key.family));
    let plan = BindingPlan {
        revision: sink.revision,
        spacing,
        closing: resource
            .deleting
            .then(|| closing(reference.deletion_policy, spec.deletion_policy, key.family)),
    };
    let binding = BindingKey {
        inventory: resource.key.clone(),
        sink: key.clone(),
    };
    decisions.plan.bindings.insert(binding, plan);
    Ok(())
}

/// Least time between two deliveries of changes, unless a reference or the sink says otherwise. Rows and messages go
/// out at once; documents are rewritten whole.
fn default_spacing(family: SinkFamily) -> Duration {
    match family {
        SinkFamily::Database | SinkFamily::Event => Duration::ZERO,
        SinkFamily::Snapshot => Duration::from_secs(10),
    }
}

fn closing(reference: DeletionPolicy, inventory: DeletionPolicy, family: SinkFamily) -> Closing {
    let by_family = match family {
        SinkFamily::Database => Closing::Purge,
        SinkFamily::Snapshot | SinkFamily::Event => Closing::Retain,
    };
    match (reference, inventory) {
        (DeletionPolicy::Purge, _) | (DeletionPolicy::FamilyDefault, DeletionPolicy::Purge) => Closing::Purge,
        (DeletionPolicy::Retain, _) | (DeletionPolicy::FamilyDefault, DeletionPolicy::Retain) => Closing::Retain,
        (DeletionPolicy::FamilyDefault, DeletionPolicy::FamilyDefault) => by_family,
    }
}
