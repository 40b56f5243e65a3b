//! `KollectClusterTarget` to its definition.

use kollect_domain::config::Invalid;
use kollect_domain::config::target::{TargetSpec, WatchMode};

use super::Configured;
use super::target::{filtered, selector};
use crate::kube::crd;

impl Configured for crd::KollectClusterTarget {
    type Spec = TargetSpec;

    fn validated(&self) -> Result<TargetSpec, Invalid> {
        let crd::KollectClusterTargetSpec {
            profile_ref,
            namespace_selector,
            filter,
            suspend,
        } = &self.spec;
        Ok(TargetSpec {
            profile: profile_ref.name.trim().into(),
            // An empty one is no namespace; there is none to fall back to.
            profile_namespace: Some(profile_ref.namespace.trim().into()),
            namespace_selector: namespace_selector.as_ref().map(selector),
            suspend: *suspend,
            watch_mode: WatchMode::All,
            ..filtered(filter)
        })
    }

    fn stored_conditions(&self) -> &[crd::Condition] {
        self.status.as_ref().map_or(&[], |status| &status.conditions)
    }
}

#[cfg(test)]
mod tests {
    use kollect_domain::ids::NamespacedName;
    use serde_json::json;

    use super::super::resource;
    use super::*;

    #[test]
    fn a_cluster_target_names_its_profile_with_a_namespace_and_keeps_its_labels() {
        let target: crd::KollectClusterTarget = serde_json::from_value(json!({
            "apiVersion": "kollect.dev/v1alpha1",
            "kind": "KollectClusterTarget",
            "metadata": {"name": "all-stores", "labels": {"rollup": "estate"}},
            "spec": {
                "profileRef": {"name": "stateful-stores", "namespace": "estate-hub"},
                "namespaceSelector": {"matchLabels": {"estate": "tracked"}},
                "excludedNamespaces": ["estate-sandbox"],
                "resourceRules": [{"gvk": {"group": "apps", "version": "v1", "kind": "StatefulSet"}}],
                "suspend": true,
            },
        }))
        .unwrap();
        let resource = resource(&target);
        assert_eq!(resource.key, NamespacedName::new("", "all-stores"));
        assert_eq!(resource.labels["rollup"], "estate");
        let spec = resource.spec.unwrap();
        assert_eq!(
            (&*spec.profile, spec.profile_namespace.as_deref()),
            ("stateful-stores", Some("estate-hub"))
        );
        assert_eq!(
            spec.namespace_selector.as_ref().unwrap().match_labels["estate"],
            "tracked"
        );
        assert_eq!(spec.excluded_namespaces, ["estate-sandbox"]);
        assert_eq!(spec.resource_rules.len(), 1);
        assert!(spec.suspend);
    }
}
