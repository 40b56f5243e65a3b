//! Which namespaces a target collects from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::labels::{self, Selector};
use crate::ceiling::Ceiling;
use crate::config::Namespace;
use crate::config::target::TargetSpec;

/// The namespaces of the cluster, as far as they are known.
pub type Namespaces = BTreeMap<String, Namespace>;

/// The operator's own restrictions, which apply to every target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Defaults {
    /// Namespaces for targets that list none; empty = all.
    pub included: Vec<String>,
    /// Namespaces that no target collects from.
    pub excluded: Vec<String>,
    /// The only namespaces that anything is collected from; empty = all.
    pub watched: Vec<String>,
    /// True when nothing outside of namespaces may be asked for.
    pub only_namespaces: bool,
}

/// The compiled namespace restrictions of a target.
///
/// Inclusion by name and by label is an intersection, exclusion a union, and exclusion wins. A cluster-scoped object
/// has no namespace: it is collected if the target restricts nothing by inclusion, or if it includes `default`
/// (what targets written for the earlier implementation rely on).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceFilter {
    watched: BTreeSet<String>,
    included: BTreeSet<String>,
    /// True when the target itself lists what it includes.
    is_explicit: bool,
    excluded: BTreeSet<String>,
    selector: Option<Selector>,
    exclude_selector: Option<Selector>,
    ceiling: Arc<Ceiling>,
}

/// The namespace that stands for cluster-scoped objects in a target's restrictions.
pub const CLUSTER_SCOPED: &str = "default";

/// The namespace that an object counts as for cluster kinds: its own, or `default` if it has none.
pub fn workload_namespace(namespace: &str) -> &str {
    if namespace.is_empty() {
        CLUSTER_SCOPED
    } else {
        namespace
    }
}

impl NamespaceFilter {
    /// Compiles the restrictions of a target; problems are added with the field they are about.
    pub fn compile(spec: &TargetSpec, defaults: &Defaults, ceiling: &Arc<Ceiling>, problems: &mut Vec<String>) -> Self {
        let named = |names: &[String]| -> BTreeSet<String> {
            names
                .iter()
                .map(|name| name.trim())
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let mut included = named(&spec.included_namespaces);
        let is_explicit = !included.is_empty();
        if !is_explicit {
            included = named(&defaults.included);
        }
        let mut excluded = named(&spec.excluded_namespaces);
        excluded.extend(named(&defaults.excluded));
        let mut selector = |selector: &Option<_>, field: &str| {
            selector
                .as_ref()
                .map(|selector| labels::compile(Some(selector), field, problems))
        };
        Self {
            watched: named(&defaults.watched),
            included,
            is_explicit,
            excluded,
            selector: selector(&spec.namespace_selector, "spec.namespaceSelector"),
            exclude_selector: selector(&spec.namespace_exclude_selector, "spec.namespaceExcludeSelector"),
            ceiling: ceiling.clone(),
        }
    }

    /// Whether objects of `namespace` are collected: the target means them, and policy allows it.
    pub fn admits(&self, namespace: &str, known: &Namespaces) -> bool {
        self.means(namespace, known) && self.ceiling.admits(namespace)
    }

    /// Whether the target means objects of `namespace`, whatever policy says; empty = cluster-scoped.
    pub fn means(&self, namespace: &str, known: &Namespaces) -> bool {
        if namespace.is_empty() {
            let is_restricted = !self.watched.is_empty() || !self.included.is_empty() || self.selector.is_some();
            return !is_restricted || self.means(workload_namespace(namespace), known);
        }
        self.names(namespace)
            && self.selector.as_ref().is_none_or(|s| selects(s, namespace, known))
            && !self
                .exclude_selector
                .as_ref()
                .is_some_and(|s| selects(s, namespace, known))
    }

    /// Whether the restrictions by name allow a namespace.
    fn names(&self, namespace: &str) -> bool {
        (self.watched.is_empty() || self.watched.contains(namespace))
            && (self.included.is_empty() || self.included.contains(namespace))
            && !self.excluded.contains(namespace)
    }

    /// The known namespaces that the target means, whatever policy says, ascending.
    pub fn matched(&self, known: &Namespaces) -> Vec<String> {
        known.keys().filter(|name| self.means(name, known)).cloned().collect()
    }

    /// The known namespaces that are collected from, ascending.
    pub fn effective(&self, known: &Namespaces) -> Vec<String> {
        self.allowed(self.matched(known))
    }

    /// Those of some namespaces that policy allows.
    pub fn allowed(&self, mut namespaces: Vec<String>) -> Vec<String> {
        namespaces.retain(|name| self.ceiling.admits(name));
        namespaces
    }

    /// The only namespaces that objects can come from, if restrictions by name say so: they need not exist.
    pub fn named(&self) -> Option<BTreeSet<&str>> {
        let all = match (self.watched.is_empty(), self.included.is_empty()) {
            (true, true) => return None,
            (_, false) => &self.included,
            (false, true) => &self.watched,
        };
        let possible = |name: &&String| self.names(name) && self.ceiling.admits(name);
        Some(all.iter().filter(possible).map(String::as_str).collect())
    }

    /// Why policy leaves nothing of what the target means: it lists a namespace that is denied, or all that it means
    /// are.
    pub fn denial(&self, known: &Namespaces) -> Option<String> {
        if self.ceiling.is_open() {
            // Most targets: nothing has to be matched with all namespaces at every plan.
            return None;
        }
        let listed = self.included.iter().filter(|_| self.is_explicit);
        if let Some(denial) = listed.into_iter().find_map(|name| self.ceiling.namespace_denial(name)) {
            return Some(denial);
        }
        let matched = self.matched(known);
        if matched.is_empty() || matched.iter().any(|name| self.ceiling.admits(name)) {
            return None;
        }
        matched.first().and_then(|name| self.ceiling.namespace_denial(name))
    }
}

/// Whether a selector selects a namespace. A namespace that is not known yet has only its name label, which the API
/// server sets on every namespace; it is looked at again once it is known.
pub fn selects(selector: &Selector, namespace: &str, known: &Namespaces) -> bool {
    let known = known.get(namespace);
    selector.matches(|key| match known.and_then(|n| n.labels.get(key)) {
        Some(value) => Some(value.as_str()),
        None if key == "kubernetes.io/metadata.name" => Some(namespace),
        None => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::target::LabelSelector;

    fn known() -> Namespaces {
        let namespace = |labels: &[(&str, &str)]| Namespace {
            labels: labels.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect(),
            annotations: [].into(),
        };
        [
            ("shop".to_owned(), namespace(&[("env", "prod")])),
            ("blog".to_owned(), namespace(&[("env", "dev")])),
            ("kube-system".to_owned(), namespace(&[])),
            ("default".to_owned(), namespace(&[])),
        ]
        .into()
    }

    fn env(value: &str) -> LabelSelector {
        LabelSelector {
            match_labels: [("env".to_owned(), value.to_owned())].into(),
            match_expressions: vec![],
        }
    }

    fn select(spec: &TargetSpec, defaults: &Defaults) -> Vec<String> {
        let mut problems = Vec::new();
        let filter = NamespaceFilter::compile(spec, defaults, &Arc::default(), &mut problems);
        assert_eq!(problems, Vec::<String>::new());
        filter.effective(&known())
    }

    #[test]
    fn a_target_without_restrictions_means_the_whole_cluster() {
        let all = select(&TargetSpec::default(), &Defaults::default());
        assert_eq!(all, ["blog", "default", "kube-system", "shop"]);
    }

    #[test]
    fn names_and_labels_intersect_and_exclusion_wins() {
        let spec = TargetSpec {
            included_namespaces: vec!["shop".into(), "blog".into(), "gone".into()],
            namespace_selector: Some(env("prod")),
            ..TargetSpec::default()
        };
        assert_eq!(select(&spec, &Defaults::default()), ["shop"]);
        let spec = TargetSpec {
            excluded_namespaces: vec!["shop".into()],
            ..spec
        };
        assert_eq!(select(&spec, &Defaults::default()), Vec::<String>::new());
    }

    #[test]
    fn an_empty_exclude_selector_excludes_everything() {
        let spec = TargetSpec {
            namespace_exclude_selector: Some(LabelSelector::default()),
            ..TargetSpec::default()
        };
        assert_eq!(select(&spec, &Defaults::default()), Vec::<String>::new());
    }

    #[test]
    fn default_excludes_cannot_be_lifted_and_default_includes_give_way() {
        let defaults = Defaults {
            included: vec!["blog".into()],
            excluded: vec!["kube-system".into()],
            ..Defaults::default()
        };
        let spec = |included: &[&str]| TargetSpec {
            included_namespaces: included.iter().map(|n| (*n).into()).collect(),
            ..TargetSpec::default()
        };
        assert_eq!(select(&spec(&[]), &defaults), ["blog"]);
        assert_eq!(select(&spec(&["shop", "kube-system"]), &defaults), ["shop"]);
    }

    #[test]
    fn cluster_scoped_objects_follow_unrestricted_targets_and_those_that_include_default() {
        let admits = |included: &[&str], selector: Option<LabelSelector>| {
            let spec = TargetSpec {
                included_namespaces: included.iter().map(|n| (*n).into()).collect(),
                namespace_selector: selector,
                ..TargetSpec::default()
            };
            NamespaceFilter::compile(&spec, &Defaults::default(), &Arc::default(), &mut Vec::new()).admits("", &known())
        };
        assert!(admits(&[], None));
        assert!(admits(&["default"], None));
        assert!(!admits(&["shop"], None));
        assert!(!admits(&[], Some(env("prod"))));
    }
}
