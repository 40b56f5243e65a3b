//! Series that are computed from rows, under the labels that profiles choose.

use std::collections::BTreeSet;
use std::sync::Arc;

use kollect_domain::ids::Gvk;
use kollect_domain::metrics::Series;

/// Labels of one series. Which there are depends on the profile.
pub(super) type Labels = Vec<(String, String)>;

/// Series without labels of their own.
pub(super) fn totals(told: &[(Arc<str>, Gvk, Series)]) -> Vec<(Labels, f64)> {
    let of = |(profile, gvk, series): &(Arc<str>, Gvk, Series)| -> Vec<(Labels, f64)> {
        let totals = series.totals.iter();
        totals.map(|(name, sum)| (common(profile, gvk, name), *sum)).collect()
    };
    told.iter().flat_map(of).collect()
}

/// Series with labels of their own, which come behind the common ones in the order of their names.
pub(super) fn labelled(told: &[(Arc<str>, Gvk, Series)]) -> Vec<(Labels, f64)> {
    let mut all = Vec::new();
    for (profile, gvk, series) in told {
        for (name, labelled) in &series.labelled {
            for (labels, sum) in &labelled.sums {
                let mut own = common(profile, gvk, name);
                let mut used: BTreeSet<String> = own.iter().map(|(name, _)| name.clone()).collect();
                for (name, value) in labels {
                    let mut name = label_name(name);
                    while !used.insert(name.clone()) {
                        name.push('_');
                    }
                    own.push((name, value.clone()));
                }
                all.push((own, *sum));
            }
        }
    }
    all
}

/// How many tuples of labels each series lacks because there are too many.
pub(super) fn dropped(told: &[(Arc<str>, Gvk, Series)]) -> Vec<(Labels, u64)> {
    let of = |(profile, gvk, series): &(Arc<str>, Gvk, Series)| -> Vec<(Labels, u64)> {
        let labelled = series.labelled.iter().filter(|(_, labelled)| labelled.dropped > 0);
        labelled
            .map(|(name, labelled)| (common(profile, gvk, name), labelled.dropped as u64))
            .collect()
    };
    told.iter().flat_map(of).collect()
}

fn common(profile: &str, gvk: &Gvk, series: &str) -> Labels {
    vec![
        ("profile".to_owned(), profile.to_owned()),
        ("gvk".to_owned(), gvk.to_string()),
        ("series".to_owned(), series.to_owned()),
    ]
}

/// An attribute's name as the name of a label.
///
/// **Source**: Prometheus documentation, "Metric names and labels": letters, digits and underscores, no digit first; two
/// underscores first are reserved.
fn label_name(attribute: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = attribute.chars().map(allowed).collect();
    let trimmed = name.trim_start_matches('_');
    if trimmed.len() == name.len() && trimmed.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name
    } else {
        format!("_{trimmed}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_attributes_become_names_of_labels() {
        for (attribute, name) in [
            ("zone", "zone"),
            ("zone2", "zone2"),
            ("app.kubernetes.io/name", "app_kubernetes_io_name"),
            ("2nd", "_2nd"),
            ("_zone", "_zone"),
            ("--zone", "_zone"),
            ("höhe", "h_he"),
            ("-", "_"),
        ] {
            assert_eq!(label_name(attribute), name, "{attribute}");
        }
    }
}
