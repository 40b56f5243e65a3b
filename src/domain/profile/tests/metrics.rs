//! Metrics of profiles, as written.

use super::{attribute, spec};
use crate::profile::{MetricSpec, Profile};

fn metric(name: &str, path: &str, labels: &[&str]) -> MetricSpec {
    MetricSpec {
        name: name.to_owned(),
        path: path.to_owned(),
        labels: labels.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn problems_of_metrics_name_field_and_remedy() {
    let names = ["a", "b", "c", "d", "e", "f", "profile", "__name__"];
    let mut broken = spec(names.iter().map(|name| attribute(name, "$.spec.replicas")).collect());
    broken.metrics = vec![
        metric("", "a", &[]),
        metric("twice", "", &[]),
        metric("twice", "gone", &["gone"]),
        metric("many", "a", &["a", "b", "c", "d", "e", "f"]),
        metric("reserved", "a", &["profile", "__name__"]),
    ];
    let message = Profile::validate(&broken, &[]).unwrap_err().message;
    for expected in [
        "spec.metrics[0].name: is empty",
        "spec.metrics[1].path: `` is not an attribute",
        "spec.metrics[2].name: `twice` is used twice",
        "spec.metrics[2].path: `gone` is not an attribute",
        "spec.metrics[2].labels[0]: `gone` is not an attribute",
        "spec.metrics[3].labels: has 6 labels; keep at most 5",
        "spec.metrics[4].labels[0]: `profile` is reserved",
        "spec.metrics[4].labels[1]: `__name__` is reserved",
    ] {
        assert!(message.contains(expected), "{expected} not in {message}");
    }
}

#[test]
fn metrics_over_attributes_are_valid() {
    let mut spec = spec(vec![
        attribute("n", "$.spec.replicas"),
        attribute("zone", "$.metadata.labels.zone"),
    ]);
    spec.metrics = vec![metric("replicas", "n", &["zone"]), metric("all", "n", &[])];
    assert!(Profile::validate(&spec, &[]).is_ok());
}
