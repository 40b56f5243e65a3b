//! `KollectTarget` to its definition.

use kollect_domain::config::Invalid;
use kollect_domain::config::target::{LabelSelector, Requirement, ResourceRule, TargetSpec, WatchMode};
use kollect_domain::ids::Gvk;

use super::Configured;
use crate::kube::crd;

impl Configured for crd::KollectTarget {
    type Spec = TargetSpec;

    fn validated(&self) -> Result<TargetSpec, Invalid> {
        let crd::KollectTargetSpec {
            profile_ref,
            namespace_selector,
            filter,
            label_selector,
            names,
            suspend,
            watch_mode,
        } = &self.spec;
        Ok(TargetSpec {
            profile: profile_ref.trim().into(),
            namespace_selector: namespace_selector.as_ref().map(selector),
            label_selector: label_selector.as_ref().map(selector),
            names: names.clone(),
            suspend: *suspend,
            watch_mode: match watch_mode {
                crd::WatchMode::All => WatchMode::All,
                crd::WatchMode::OptIn => WatchMode::OptIn,
            },
            ..filtered(filter)
        })
    }

    fn stored_conditions(&self) -> &[crd::Condition] {
        self.status.as_ref().map_or(&[], |status| &status.conditions)
    }
}

/// The part of a definition that both kinds of targets share.
pub(super) fn filtered(stored: &crd::CollectionFilter) -> TargetSpec {
    let crd::CollectionFilter {
        included_namespaces,
        excluded_namespaces,
        namespace_exclude_selector,
        resource_rules,
    } = stored;
    TargetSpec {
        included_namespaces: included_namespaces.clone(),
        excluded_namespaces: excluded_namespaces.clone(),
        namespace_exclude_selector: namespace_exclude_selector.as_ref().map(selector),
        resource_rules: resource_rules.iter().map(rule).collect(),
        ..TargetSpec::default()
    }
}

pub(super) fn selector(stored: &crd::LabelSelector) -> LabelSelector {
    LabelSelector {
        match_labels: stored.match_labels.clone(),
        match_expressions: requirements(&stored.match_expressions),
    }
}

fn requirements(stored: &[crd::LabelRequirement]) -> Vec<Requirement> {
    stored
        .iter()
        .map(|requirement| Requirement {
            key: requirement.key.clone(),
            operator: requirement.operator.clone(),
            values: requirement.values.clone(),
        })
        .collect()
}

fn rule(stored: &crd::ResourceRule) -> ResourceRule {
    ResourceRule {
        gvk: gvk(&stored.gvk),
        namespace_selector: stored.namespace_selector.as_ref().map(selector),
        labels: LabelSelector {
            match_labels: stored.match_labels.clone(),
            match_expressions: requirements(&stored.match_expressions),
        },
        match_policy: stored.match_policy.clone(),
    }
}

/// A kind as written; surrounding blanks do not count.
pub(super) fn gvk(stored: &crd::GroupVersionKind) -> Gvk {
    Gvk::new(stored.group.trim(), stored.version.trim(), stored.kind.trim())
}
