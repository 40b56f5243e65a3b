//! Finalizers: what must be cleaned up before an object of ours may go.

use kollect_domain::ids::{BindingKey, NamespacedName};
use kollect_ports::resources::{FinalizerChange, ResourceKind};

use super::Operator;

/// Finalizer of inventories.
const INVENTORY_FINALIZER: &str = "kollect.dev/inventory-cleanup";
/// Finalizer that earlier versions put on targets, which need none.
const TARGET_FINALIZER: &str = "kollect.dev/target-cleanup";

impl Operator {
    /// A binding of a deleted inventory is done: with the last one the inventory may go.
    pub(super) fn closed(&self, binding: &BindingKey) {
        let mut bindings = self.decisions.plan.bindings.keys();
        let still_open = bindings.any(|other| other.inventory == binding.inventory && !self.engine.is_closed(other));
        if !still_open {
            let inventory = binding.inventory.clone();
            self.finalizer(ResourceKind::Inventory, inventory, INVENTORY_FINALIZER, false);
        }
    }

    /// Inventories have a finalizer while they live, so that their rows can be removed; targets need none.
    pub(super) fn set_finalizers(&self) {
        for (key, resource) in &self.configuration.inventories {
            let has = resource.finalizers.iter().any(|f| &**f == INVENTORY_FINALIZER);
            let nothing_to_clean = !self
                .decisions
                .plan
                .bindings
                .keys()
                .any(|binding| binding.inventory == *key);
            if resource.deleting && has && nothing_to_clean {
                self.finalizer(ResourceKind::Inventory, key.clone(), INVENTORY_FINALIZER, false);
            } else if !resource.deleting && !has {
                self.finalizer(ResourceKind::Inventory, key.clone(), INVENTORY_FINALIZER, true);
            }
        }
        for (key, resource) in &self.configuration.targets {
            if resource.finalizers.iter().any(|f| &**f == TARGET_FINALIZER) {
                self.finalizer(ResourceKind::Target, key.clone(), TARGET_FINALIZER, false);
            }
        }
    }

    fn finalizer(&self, kind: ResourceKind, object: NamespacedName, finalizer: &'static str, present: bool) {
        self.outbox.put_finalizer(FinalizerChange {
            kind,
            object,
            finalizer,
            present,
        });
    }
}
