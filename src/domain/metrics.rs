//! Series that are computed from the attributes of rows (`spec.metrics` of a profile).

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::config::profile::MetricSpec;
use crate::row::Row;

/// The series that counts rows.
pub const OBJECT_COUNT: &str = "object_count";

/// Most label tuples of one series; the rest is counted and left out.
pub const MAX_TUPLES: usize = 200;

/// Labels by name, and their values.
pub type Labels = Vec<(String, String)>;

/// Sums by the text of their labels.
type Groups = BTreeMap<String, (Labels, f64)>;

/// What the rows of one profile and kind add up to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Series without labels by name, the number of rows among them.
    pub totals: BTreeMap<String, f64>,
    /// Series with labels by name.
    pub labelled: BTreeMap<String, Labelled>,
}

/// One series with labels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Labelled {
    /// Sums and their labels, both in the order of the labels' text `name=value,…`; labels are sorted by name.
    pub sums: Vec<(Labels, f64)>,
    /// How many tuples were left out because there are more than fit.
    pub dropped: usize,
}

/// Adds up rows. Without `metrics`, all numeric attributes are summed under their names. Of more than `cap` tuples those
/// that come first in order are kept, the same at every refresh; `cap` zero stands for [`MAX_TUPLES`].
///
/// Rows should come in canonical order, since sums of fractions depend on the order.
pub fn series<'r>(rows: impl IntoIterator<Item = &'r Row>, metrics: &[MetricSpec], cap: usize) -> Series {
    let mut series = Series::default();
    let mut groups: Vec<Groups> = vec![BTreeMap::new(); metrics.len()];
    for metric in metrics.iter().filter(|metric| metric.labels.is_empty()) {
        series.totals.insert(metric.name.clone(), 0.0);
    }
    let mut count = 0.0;
    for row in rows {
        count += 1.0;
        let Ok(attributes) = serde_json::from_str::<Map<String, Value>>(row.attributes()) else {
            continue;
        };
        if metrics.is_empty() {
            for (name, value) in &attributes {
                if let Some(number) = number(value) {
                    *series.totals.entry(name.clone()).or_default() += number;
                }
            }
        }
        for (metric, groups) in metrics.iter().zip(&mut groups) {
            let Some(number) = attributes.get(&metric.path).and_then(number) else {
                continue;
            };
            if metric.labels.is_empty() {
                *series.totals.entry(metric.name.clone()).or_default() += number;
            } else {
                let (text, labels) = tuple(metric, &attributes);
                groups.entry(text).or_insert((labels, 0.0)).1 += number;
            }
        }
    }
    series.totals.insert(OBJECT_COUNT.to_owned(), count);
    let cap = if cap == 0 { MAX_TUPLES } else { cap };
    for (metric, groups) in metrics.iter().zip(groups) {
        if !metric.labels.is_empty() {
            let dropped = groups.len().saturating_sub(cap);
            let sums = groups.into_values().take(cap).collect();
            series.labelled.insert(metric.name.clone(), Labelled { sums, dropped });
        }
    }
    series
}

/// Numbers, and texts that are finite decimal numbers; `nan`, `inf` and hexadecimal ones are not.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => {
            let is_decimal = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
            let number = text.bytes().all(is_decimal).then(|| text.parse().ok())?;
            number.filter(|number: &f64| number.is_finite())
        }
        _ => None,
    }
}

/// The labels of a row and their text, by which they are ordered and told apart.
fn tuple(metric: &MetricSpec, attributes: &Map<String, Value>) -> (String, Labels) {
    let mut labels: Labels = metric
        .labels
        .iter()
        .map(|name| (name.clone(), label(attributes.get(name))))
        .collect();
    labels.sort();
    let text: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
    // NUL never occurs in a row, so different tuples have different texts.
    (text.join(",\0"), labels)
}

fn label(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
