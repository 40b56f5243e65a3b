//! Inventories have a finalizer while they live, so that their rows can be removed; targets need none.

use std::sync::Arc;

use kollect_domain::config::{Configuration, InventorySpec, Resource};
use kollect_domain::engine::Plan;
use kollect_domain::ids::{InventoryKey, TargetKey};
use kollect_ports::resources::{FinalizerChange, ResourceKind};

fn of_inventory(key: &InventoryKey) -> &'static str {
    if key.is_cluster_scoped() {
        "kollect.dev/cluster-inventory-cleanup"
    } else {
        "kollect.dev/inventory-cleanup"
    }
}

/// Earlier versions put these on targets.
fn of_target(key: &TargetKey) -> &'static str {
    if key.is_cluster_scoped() {
        "kollect.dev/cluster-target-cleanup"
    } else {
        "kollect.dev/target-cleanup"
    }
}

/// The finalizers that are to be added or removed.
pub(super) fn changes(configuration: &Configuration, plan: &Plan) -> Vec<FinalizerChange> {
    let inventories = configuration.inventories.values().filter_map(|resource| {
        let has = has(&resource.finalizers, of_inventory(&resource.key));
        let wrong = if resource.deleting {
            has && !needs_cleaning(resource, plan)
        } else {
            !has
        };
        wrong.then(|| FinalizerChange {
            present: !resource.deleting,
            ..released(resource.key.clone())
        })
    });
    let targets = configuration.targets.values().filter_map(|resource| {
        let finalizer = of_target(&resource.key);
        has(&resource.finalizers, finalizer).then(|| FinalizerChange {
            kind: ResourceKind::of_target(&resource.key),
            object: resource.key.clone(),
            finalizer,
            present: false,
        })
    });
    inventories.chain(targets).collect()
}

/// The finalizer of an inventory whose rows were removed, or stay on purpose.
pub(super) fn released(inventory: InventoryKey) -> FinalizerChange {
    FinalizerChange {
        kind: ResourceKind::of_inventory(&inventory),
        finalizer: of_inventory(&inventory),
        object: inventory,
        present: false,
    }
}

fn needs_cleaning(resource: &Resource<InventorySpec>, plan: &Plan) -> bool {
    plan.bindings.keys().any(|binding| binding.inventory == resource.key)
}

fn has(finalizers: &[Arc<str>], finalizer: &str) -> bool {
    finalizers.iter().any(|present| &**present == finalizer)
}
