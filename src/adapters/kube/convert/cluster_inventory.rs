//! `KollectClusterInventory` to its definition.

use kollect_domain::config::gather::Gather;
use kollect_domain::config::{Invalid, InventorySpec};

use super::inventory::{policy, sinks};
use super::target::selector;
use super::{Configured, Problems};
use crate::kube::crd;

/// Namespace of sinks where neither a reference nor the inventory names one.
const SINK_NAMESPACE: &str = "kollect-system";

impl Configured for crd::KollectClusterInventory {
    type Spec = InventorySpec;

    fn validated(&self) -> Result<InventorySpec, Invalid> {
        let crd::KollectClusterInventorySpec {
            // It has no effect on rows.
            profile_ref: _,
            target_refs,
            target_selector,
            namespace_selector,
            namespaces,
            snapshot_sink_refs: _,
            database_sink_refs: _,
            event_sink_refs: _,
            sink_namespace,
            export_min_interval,
            dedupe,
            deletion_policy,
            suspend,
        } = &self.spec;
        let mut problems = Problems::default();
        let sink_namespace = match sink_namespace.trim() {
            "" => SINK_NAMESPACE,
            namespace => namespace,
        };
        let sinks = sinks(self.spec.sink_refs(), Some(sink_namespace), &mut problems);
        let export_min_interval = problems.interval("spec.exportMinInterval", Some(export_min_interval));
        problems.into_result(InventorySpec {
            sinks,
            export_min_interval,
            suspend: *suspend,
            deletion_policy: policy(*deletion_policy),
            gather: Gather {
                targets: target_refs.iter().map(|name| name.trim().into()).collect(),
                target_selector: target_selector.as_ref().map(selector),
                namespace_selector: namespace_selector.as_ref().map(selector),
                namespaces: namespaces.clone(),
                dedupe: *dedupe == crd::Dedupe::ByResourceUid,
            },
        })
    }

    fn stored_conditions(&self) -> &[crd::Condition] {
        self.status.as_ref().map_or(&[], |status| &status.conditions)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn converted(spec: &Value) -> Result<InventorySpec, Invalid> {
        let inventory: crd::KollectClusterInventory = serde_json::from_value(json!({
            "apiVersion": "kollect.dev/v1alpha1",
            "kind": "KollectClusterInventory",
            "metadata": {"name": "estate-rollup"},
            "spec": spec,
        }))
        .unwrap();
        inventory.validated()
    }

    #[test]
    fn sinks_are_in_the_namespace_of_the_reference_or_of_the_inventory_or_of_the_platform() {
        let namespaces = |spec: Value| -> Vec<String> {
            let spec = converted(&spec).unwrap();
            spec.sinks
                .iter()
                .map(|sink| format!("{}/{}", sink.namespace.as_deref().unwrap(), sink.name))
                .collect()
        };
        let refs = json!(["asset-lake", {"name": "audit", "namespace": "ledger-prod"}]);
        assert_eq!(
            namespaces(json!({"databaseSinkRefs": refs, "sinkNamespace": "estate-hub"})),
            ["estate-hub/asset-lake", "ledger-prod/audit"]
        );
        assert_eq!(
            namespaces(json!({"databaseSinkRefs": refs})),
            ["kollect-system/asset-lake", "ledger-prod/audit"]
        );
    }

    #[test]
    fn what_is_gathered_is_taken_over() {
        let spec = converted(&json!({
            "targetRefs": ["stores"],
            "targetSelector": {"matchLabels": {"rollup": "estate"}},
            "namespaceSelector": {"matchLabels": {"estate": "tracked"}},
            "namespaces": ["ledger-prod"],
            "dedupe": "byResourceUID",
        }))
        .unwrap();
        assert_eq!(spec.gather.targets, ["stores".into()]);
        assert_eq!(spec.gather.target_selector.unwrap().match_labels["rollup"], "estate");
        assert_eq!(
            spec.gather.namespace_selector.unwrap().match_labels["estate"],
            "tracked"
        );
        assert_eq!(spec.gather.namespaces, ["ledger-prod"]);
        assert!(spec.gather.dedupe);
        assert!(
            !converted(&json!({})).unwrap().gather.dedupe,
            "every row is kept by default"
        );
    }

    #[test]
    fn one_sink_twice_is_refused_also_where_only_one_reference_names_the_namespace() {
        let refs = json!(["lake", {"name": "lake", "namespace": "kollect-system"}]);
        let invalid = converted(&json!({"databaseSinkRefs": refs})).unwrap_err();
        assert!(invalid.message.contains("referred to twice"), "{}", invalid.message);
    }
}
