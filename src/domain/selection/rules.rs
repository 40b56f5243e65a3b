//! Resource rules: alternatives of label and CEL conditions.

use serde_json::Value;

use super::labels::{self, Selector};
use super::namespaces::{self, Namespaces};
use crate::config::target::ResourceRule;
use crate::extract::cel::Program;
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
    pub fn matches(&self, object: &Value, namespace: &str, known: &Namespaces) -> bool {
        self.admits(namespace, known)
            && self.labels.matches(|key| object["metadata"]["labels"][key].as_str())
            && self.predicate.as_ref().is_none_or(|predicate| holds(predicate, object))
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

/// A predicate that fails to evaluate does not match; other rules are still tried. Strings that read as a boolean
/// count as one, since manifests rely on it.
fn holds(predicate: &Program, object: &Value) -> bool {
    match predicate.evaluate(object) {
        Ok(Value::Bool(holds)) => holds,
        Ok(Value::String(text)) => matches!(text.as_str(), "1" | "t" | "T" | "TRUE" | "true" | "True"),
        _ => false,
    }
}
