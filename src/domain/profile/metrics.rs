//! Validates the metrics of a profile.

use std::collections::BTreeSet;

use super::ProfileSpec;
use super::validate::quoted;

/// Most labels of one metric.
const MAX_LABELS: usize = 5;

/// Labels that every series has.
const RESERVED: [&str; 3] = ["profile", "gvk", "series"];

/// Checks `spec.metrics`.
pub(super) fn validate(spec: &ProfileSpec, problems: &mut Vec<String>) {
    let is_attribute = |name: &str| spec.attributes.iter().any(|attribute| attribute.name == name);
    let mut names = BTreeSet::new();
    for (index, metric) in spec.metrics.iter().enumerate() {
        let field = format!("spec.metrics[{index}]");
        if metric.name.is_empty() {
            problems.push(format!("{field}.name: is empty; name the series"));
        } else if !names.insert(&metric.name) {
            problems.push(format!(
                "{field}.name: {} is used twice; rename one of the metrics",
                quoted(&metric.name)
            ));
        }
        if !is_attribute(&metric.path) {
            problems.push(format!(
                "{field}.path: {} is not an attribute; give the name of the attribute to sum",
                quoted(&metric.path)
            ));
        }
        if metric.labels.len() > MAX_LABELS {
            problems.push(format!(
                "{field}.labels: has {} labels; keep at most {MAX_LABELS}",
                metric.labels.len()
            ));
        }
        for (at, label) in metric.labels.iter().enumerate() {
            if RESERVED.contains(&label.as_str()) || label.starts_with("__") {
                problems.push(format!(
                    "{field}.labels[{at}]: {} is reserved; rename the attribute",
                    quoted(label)
                ));
            } else if !is_attribute(label) {
                problems.push(format!(
                    "{field}.labels[{at}]: {} is not an attribute; give the name of one",
                    quoted(label)
                ));
            }
        }
    }
}
