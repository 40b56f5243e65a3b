//! Resource rules: alternatives of label and CEL conditions.

#[cfg(test)]
mod tests;

use serde_json::Value;
use thiserror::Error;

use super::labels::{self, Selector};
use super::namespaces::{self, Namespaces};
use crate::config::target::ResourceRule;
use crate::extract::cel::{CelFault, Program};
use crate::ids::Gvk;

/// A compiled rule. All parts that are present must hold.
#[derive(Debug)]
pub struct Rule {
    /// False for a rule about another kind than the profile's: it can never match.
    applies: bool,
    namespaces: Selector,
    labels: Selector,
    predicate: Option<Program>,
}

/// Compiles the rules of a target whose profile reads `gvk`; problems are added with the rule's index.
pub fn compile(rules: &[ResourceRule], gvk: &Gvk, problems: &mut Vec<String>) -> Vec<Rule> {
    let mut compiled = Vec::with_capacity(rules.len());
    for (i, rule) in rules.iter().enumerate() {
        let field = format!("spec.resourceRules[{i}]");
        if rule.gvk.version.is_empty() || rule.gvk.kind.is_empty() {
            problems.push(format!("{field}.gvk: version and kind are required"));
        }
        let namespaces = labels::compile(
            rule.namespace_selector.as_ref(),
            &format!("{field}.namespaceSelector"),
            problems,
        );
        let labels = labels::compile(Some(&rule.labels), &field, problems);
        let predicate = match rule.match_policy.trim() {
            "" => None,
            source => match Program::compile(source) {
                Ok(program) => Some(program),
                Err(error) => {
                    problems.push(format!("{field}.matchPolicy: {error}"));
                    None
                }
            },
        };
        compiled.push(Rule {
            applies: rule.gvk == *gvk,
            namespaces,
            labels,
            predicate,
        });
    }
    compiled
}

impl Rule {
    /// Whether the rule selects an object of `namespace`.
    ///
    /// # Errors
    /// The predicate fails for the object or says neither yes nor no.
    pub fn matches(&self, object: &Value, namespace: &str, known: &Namespaces) -> Result<bool, PolicyFault> {
        let selected =
            self.admits(namespace, known) && self.labels.matches(|key| object["metadata"]["labels"][key].as_str());
        match &self.predicate {
            Some(predicate) if selected => holds(predicate, object),
            _ => Ok(selected),
        }
    }

    /// Whether the rule is about the profile's kind, so that it can match at all.
    pub fn applies(&self) -> bool {
        self.applies
    }

    /// Whether the rule could select objects of `namespace`.
    pub fn admits(&self, namespace: &str, known: &Namespaces) -> bool {
        self.applies && namespaces::selects(&self.namespaces, namespace, known)
    }

    /// The rule's CEL predicate.
    pub fn predicate(&self) -> Option<&Program> {
        self.predicate.as_ref()
    }
}

/// Whether any rule selects an object. A rule that fails does not, and the others are still tried.
///
/// # Errors
/// None does, and one failed; the text names it by its index.
pub fn any_matches(rules: &[Rule], object: &Value, namespace: &str, known: &Namespaces) -> Result<bool, String> {
    let mut failed = None;
    for (index, rule) in rules.iter().enumerate() {
        match rule.matches(object, namespace, known) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(fault) => failed = failed.or(Some((index, fault))),
        }
    }
    failed.map_or(Ok(false), |(index, fault)| {
        Err(format!("spec.resourceRules[{index}].matchPolicy: {fault}"))
    })
}

/// Why a predicate does not say whether an object is selected.
///
/// **Shape**: quotes no value of the object.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PolicyFault {
    /// It cannot be evaluated.
    #[error(transparent)]
    Evaluation(#[from] CelFault),
    /// It gives something else.
    #[error("the expression must give true or false")]
    NotBoolean,
}

/// Strings that read as a boolean count as one, since manifests rely on it.
fn holds(predicate: &Program, object: &Value) -> Result<bool, PolicyFault> {
    match predicate.evaluate(object)? {
        Value::Bool(holds) => Ok(holds),
        Value::String(text) => match text.as_str() {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
            _ => Err(PolicyFault::NotBoolean),
        },
        _ => Err(PolicyFault::NotBoolean),
    }
}
