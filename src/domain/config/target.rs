//! Targets: which objects of a profile's kind to collect.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ids::Gvk;

/// A `KollectTarget` or `KollectClusterTarget`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TargetSpec {
    /// Name of the profile.
    pub profile: Arc<str>,
    /// Namespace of the profile; `None` = that of the target.
    pub profile_namespace: Option<Arc<str>>,
    /// Namespaces to collect from, by label; absent = all.
    pub namespace_selector: Option<LabelSelector>,
    /// Namespaces to collect from, by name; empty = all.
    pub included_namespaces: Vec<String>,
    /// Namespaces to leave out, by name.
    pub excluded_namespaces: Vec<String>,
    /// Namespaces to leave out, by label; present but empty leaves out all.
    pub namespace_exclude_selector: Option<LabelSelector>,
    /// Alternatives; any one that matches selects the object. Empty = `label_selector` and `names` decide.
    pub resource_rules: Vec<ResourceRule>,
    /// Objects by label; only without rules.
    pub label_selector: Option<LabelSelector>,
    /// Objects by name; only without rules.
    pub names: Vec<String>,
    /// True while collection is switched off; its rows are removed.
    pub suspend: bool,
    /// Whether objects are collected unless opted out, or only when opted in.
    pub watch_mode: WatchMode,
}

/// One alternative of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceRule {
    /// Kind the rule is about.
    pub gvk: Gvk,
    /// Namespaces, by label.
    pub namespace_selector: Option<LabelSelector>,
    /// Objects, by label.
    pub labels: LabelSelector,
    /// CEL predicate over `object`; blank = none.
    pub match_policy: String,
}

/// Whether an object is collected when nothing says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WatchMode {
    /// Unless it or its namespace opts out.
    #[default]
    All,
    /// Only if it or its namespace opts in.
    OptIn,
}

/// A label selector as written, not yet validated.
///
/// **Source**: Kubernetes documentation, "Labels and Selectors".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelSelector {
    /// Labels that must have exactly these values.
    pub match_labels: BTreeMap<String, String>,
    /// Further requirements, all of which must hold.
    pub match_expressions: Vec<Requirement>,
}

/// One requirement of a label selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// Label key.
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: String,
    /// Values; required for the first two operators, forbidden for the others.
    pub values: Vec<String>,
}
