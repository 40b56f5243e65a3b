//! Label selectors, with the semantics of the Kubernetes API.

use crate::config::target::{LabelSelector, Requirement};

/// A validated label selector; the empty one matches everything.
///
/// **Source**: Kubernetes documentation, "Labels and Selectors": all requirements must hold; `NotIn` and
/// `DoesNotExist` hold for an object without the key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selector {
    requirements: Vec<Test>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Test {
    key: String,
    operator: Operator,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Operator {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
}

impl Selector {
    /// Whether labels satisfy the selector; `label` looks one up.
    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|test| {
            let value = label(&test.key);
            match &test.operator {
                Operator::In(values) => value.is_some_and(|v| values.iter().any(|w| w == v)),
                Operator::NotIn(values) => value.is_none_or(|v| values.iter().all(|w| w != v)),
                Operator::Exists => value.is_some(),
                Operator::DoesNotExist => value.is_none(),
            }
        })
    }

    /// The selector in the API's query syntax; `None` when it matches everything.
    pub fn to_query(&self) -> Option<String> {
        let terms: Vec<String> = self
            .requirements
            .iter()
            .map(|test| match &test.operator {
                Operator::In(values) => format!("{} in ({})", test.key, values.join(",")),
                Operator::NotIn(values) => format!("{} notin ({})", test.key, values.join(",")),
                Operator::Exists => test.key.clone(),
                Operator::DoesNotExist => format!("!{}", test.key),
            })
            .collect();
        (!terms.is_empty()).then(|| terms.join(","))
    }
}

/// Validates a selector; an absent one matches everything. Problems are added with the field they are about.
pub fn compile(selector: Option<&LabelSelector>, field: &str, problems: &mut Vec<String>) -> Selector {
    let Some(selector) = selector else {
        return Selector::default();
    };
    let mut requirements = Vec::new();
    for (key, value) in &selector.match_labels {
        if !is_key(key) || !is_value(value) {
            problems.push(format!(
                "{field}.matchLabels: \"{key}: {value}\" is not a valid label; use letters, digits, '-', '_' and '.'"
            ));
            continue;
        }
        requirements.push(Test {
            key: key.clone(),
            operator: Operator::In(vec![value.clone()]),
        });
    }
    for (i, requirement) in selector.match_expressions.iter().enumerate() {
        match requirement_test(requirement) {
            Ok(test) => requirements.push(test),
            Err(problem) => problems.push(format!("{field}.matchExpressions[{i}]: {problem}")),
        }
    }
    Selector { requirements }
}

fn requirement_test(requirement: &Requirement) -> Result<Test, String> {
    let Requirement { key, operator, values } = requirement;
    if !is_key(key) {
        return Err(format!("key \"{key}\" is not a valid label key"));
    }
    if let Some(value) = values.iter().find(|value| !is_value(value)) {
        return Err(format!("value \"{value}\" is not a valid label value"));
    }
    let with_values = |make: fn(Vec<String>) -> Operator| {
        if values.is_empty() {
            Err(format!("operator {operator} needs at least one value"))
        } else {
            Ok(make(values.clone()))
        }
    };
    let without_values = |operator: Operator, name: &str| {
        if values.is_empty() {
            Ok(operator)
        } else {
            Err(format!("operator {name} takes no values"))
        }
    };
    let operator = match operator.as_str() {
        "In" => with_values(Operator::In),
        "NotIn" => with_values(Operator::NotIn),
        "Exists" => without_values(Operator::Exists, "Exists"),
        "DoesNotExist" => without_values(Operator::DoesNotExist, "DoesNotExist"),
        other => Err(format!(
            "operator \"{other}\" is unknown; use In, NotIn, Exists or DoesNotExist"
        )),
    }?;
    Ok(Test {
        key: key.clone(),
        operator,
    })
}

/// A label key: an optional DNS subdomain and a slash, then a name of at most 63 characters.
fn is_key(key: &str) -> bool {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let prefix_ok = prefix.is_none_or(|prefix| {
        (1..=253).contains(&prefix.len())
            && prefix.split('.').all(|part| {
                !part.is_empty()
                    && part
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            })
    });
    prefix_ok && !name.is_empty() && is_value(name)
}

/// A label value: empty, or at most 63 letters, digits, `-`, `_`, `.`, beginning and ending with a letter or digit.
fn is_value(value: &str) -> bool {
    let bytes = value.as_bytes();
    let edge = |b: Option<&u8>| b.is_none_or(u8::is_ascii_alphanumeric);
    bytes.len() <= 63
        && edge(bytes.first())
        && edge(bytes.last())
        && bytes
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selector(expressions: &[(&str, &str, &[&str])]) -> Result<Selector, Vec<String>> {
        let spec = LabelSelector {
            match_labels: [].into(),
            match_expressions: expressions
                .iter()
                .map(|(key, operator, values)| Requirement {
                    key: (*key).into(),
                    operator: (*operator).into(),
                    values: values.iter().map(|v| (*v).into()).collect(),
                })
                .collect(),
        };
        let mut problems = Vec::new();
        let compiled = compile(Some(&spec), "spec.labelSelector", &mut problems);
        if problems.is_empty() {
            Ok(compiled)
        } else {
            Err(problems)
        }
    }

    #[test]
    fn an_object_without_labels_fails_in_and_exists_but_passes_not_in_and_does_not_exist() {
        for (operator, values, expected) in [
            ("In", &["a"][..], false),
            ("NotIn", &["a"][..], true),
            ("Exists", &[][..], false),
            ("DoesNotExist", &[][..], true),
        ] {
            let selector = selector(&[("tier", operator, values)]).unwrap();
            assert_eq!(selector.matches(|_| None), expected, "{operator}");
        }
    }

    #[test]
    fn all_requirements_must_hold() {
        let selector = selector(&[("tier", "In", &["web", "api"]), ("canary", "DoesNotExist", &[])]).unwrap();
        assert!(selector.matches(|key| (key == "tier").then_some("api")));
        assert!(!selector.matches(|key| (key == "tier").then_some("batch")));
        assert!(!selector.matches(|_| Some("api")));
    }

    #[test]
    fn an_absent_and_an_empty_selector_match_everything() {
        let mut problems = Vec::new();
        for spec in [None, Some(LabelSelector::default())] {
            let selector = compile(spec.as_ref(), "f", &mut problems);
            assert!(selector.matches(|_| None));
            assert_eq!(selector.to_query(), None);
        }
        assert!(problems.is_empty());
    }

    #[test]
    fn bad_requirements_are_named_with_field_and_remedy() {
        let problems = selector(&[
            ("tier", "Equals", &["a"]),
            ("tier", "In", &[]),
            ("tier", "Exists", &["a"]),
            ("a b", "Exists", &[]),
            ("tier", "In", &["no spaces"]),
        ])
        .unwrap_err();
        assert_eq!(problems.len(), 5);
        assert!(problems[0].contains("spec.labelSelector.matchExpressions[0]") && problems[0].contains("DoesNotExist"));
        assert!(problems[4].contains("no spaces"));
    }

    #[test]
    fn the_query_says_the_same_as_the_selector() {
        let selector = selector(&[
            ("app.kubernetes.io/name", "In", &["a", "b"]),
            ("x", "NotIn", &["c"]),
            ("y", "Exists", &[]),
            ("z", "DoesNotExist", &[]),
        ])
        .unwrap();
        assert_eq!(
            selector.to_query().unwrap(),
            "app.kubernetes.io/name in (a,b),x notin (c),y,!z"
        );
    }
}
