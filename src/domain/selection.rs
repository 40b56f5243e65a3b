//! Which objects a target collects.
//!
//! A [`Selection`] is compiled once from a target's definition; matching is pure and cheap. Namespaces are looked up
//! at the moment of matching, so a change of a namespace's labels needs no recompilation.

use std::sync::Arc;

use serde_json::Value;

use crate::ceiling::Ceiling;
use crate::config::Invalid;
use crate::config::target::{TargetSpec, WatchMode};
use crate::extract::cel::Program;
use crate::ids::Gvk;

pub mod labels;
pub mod namespaces;
pub mod rules;
pub mod watch;

use labels::Selector;
use namespaces::{Defaults, NamespaceFilter, Namespaces};
use rules::Rule;

/// A compiled target definition.
#[derive(Debug)]
pub struct Selection {
    namespaces: NamespaceFilter,
    gate: Gate,
    watch_mode: WatchMode,
}

/// What a selection makes of one namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    admitted: bool,
    rules: Vec<bool>,
    opted_out: bool,
    opted_in: bool,
}

#[derive(Debug)]
enum Gate {
    /// Any rule that matches selects the object.
    Rules(Vec<Rule>),
    /// Names and labels must both match.
    Legacy { names: Vec<String>, labels: Selector },
}

impl Selection {
    /// Compiles a target's definition for objects of `gvk`.
    ///
    /// # Errors
    /// [`Invalid`] with every problem found: bad selectors, rules without kind, predicates that do not compile.
    pub fn compile(spec: &TargetSpec, gvk: &Gvk, defaults: &Defaults, ceiling: &Arc<Ceiling>) -> Result<Self, Invalid> {
        let mut problems = Vec::new();
        let namespaces = NamespaceFilter::compile(spec, defaults, ceiling, &mut problems);
        let gate = if spec.resource_rules.is_empty() {
            Gate::Legacy {
                names: spec.names.clone(),
                labels: labels::compile(spec.label_selector.as_ref(), "spec.labelSelector", &mut problems),
            }
        } else {
            Gate::Rules(rules::compile(&spec.resource_rules, gvk, &mut problems))
        };
        if problems.is_empty() {
            Ok(Self {
                namespaces,
                gate,
                watch_mode: spec.watch_mode,
            })
        } else {
            Err(Invalid::new(problems.join("; ")))
        }
    }

    /// Whether the object is collected.
    ///
    /// `object` needs `metadata.name`, `metadata.namespace` and `metadata.labels`, and whatever the rules read. An
    /// object without a namespace is cluster-scoped and is not subject to namespace restrictions other than the one
    /// that [`NamespaceFilter`] documents.
    ///
    /// # Errors
    /// No rule selects the object and the policy of one fails, with the index of the rule; so it is not collected.
    pub fn matches(&self, object: &Value, known: &Namespaces) -> Result<bool, String> {
        let metadata = &object["metadata"];
        let namespace = metadata["namespace"].as_str().unwrap_or_default();
        if !self.namespaces.admits(namespace, known) {
            return Ok(false);
        }
        if !watch::decide(object, known.get(namespace), self.watch_mode) {
            return Ok(false);
        }
        Ok(match &self.gate {
            Gate::Rules(rules) => return rules::any_matches(rules, object, namespace, known),
            Gate::Legacy { names, labels } => {
                (names.is_empty()
                    || metadata["name"]
                        .as_str()
                        .is_some_and(|name| names.iter().any(|n| n == name)))
                    && labels.matches(|key| metadata["labels"][key].as_str())
            }
        })
    }

    /// Which namespaces are collected from.
    pub fn namespaces(&self) -> &NamespaceFilter {
        &self.namespaces
    }

    /// The label selector that the API server can apply without changing the outcome, in query syntax.
    ///
    /// An object's own watch label never widens the label selection, so the selector can be sent as it is.
    pub fn server_label_selector(&self) -> Option<String> {
        match &self.gate {
            Gate::Legacy { labels, .. } => labels.to_query(),
            Gate::Rules(_) => None,
        }
    }

    /// What the selection makes of one namespace. While this stays equal, a change of the namespace changes nothing
    /// for its objects.
    pub fn verdict(&self, namespace: &str, known: &Namespaces) -> Verdict {
        let rules = match &self.gate {
            Gate::Rules(rules) => rules.as_slice(),
            Gate::Legacy { .. } => &[],
        };
        Verdict {
            admitted: self.namespaces.admits(namespace, known),
            rules: rules.iter().map(|rule| rule.admits(namespace, known)).collect(),
            opted_out: watch::says(known.get(namespace), watch::DISABLED),
            opted_in: watch::says(known.get(namespace), watch::ENABLED),
        }
    }

    /// How many rules can match at all.
    pub fn active_rules(&self) -> usize {
        match &self.gate {
            Gate::Rules(rules) => rules.iter().filter(|rule| rule.applies()).count(),
            Gate::Legacy { .. } => 0,
        }
    }

    /// The CEL predicates of the rules, whose fields a mask must keep.
    pub fn predicates(&self) -> impl Iterator<Item = &Program> {
        let rules = match &self.gate {
            Gate::Rules(rules) => rules.as_slice(),
            Gate::Legacy { .. } => &[],
        };
        rules.iter().filter_map(Rule::predicate)
    }
}
