//! Sums over rows, with labels and without.

use rstest::rstest;
use serde_json::json;

use super::*;
use crate::row::RowIdentity;

fn rows(attributes: &[Value]) -> Vec<Row> {
    let row = |(index, attributes): (usize, &Value)| {
        let uid = index.to_string();
        let identity = RowIdentity {
            target_namespace: "shop",
            target_name: "t",
            namespace: "shop",
            name: &uid,
            group: "",
            version: "v1",
            kind: "ConfigMap",
            uid: &uid,
        };
        Row::new(&identity, attributes.as_object().unwrap())
    };
    attributes.iter().enumerate().map(row).collect()
}

fn metric(name: &str, path: &str, labels: &[&str]) -> MetricSpec {
    MetricSpec {
        name: name.to_owned(),
        path: path.to_owned(),
        labels: labels.iter().map(ToString::to_string).collect(),
    }
}

fn totals(series: &Series) -> Vec<(&str, f64)> {
    series.totals.iter().map(|(name, sum)| (name.as_str(), *sum)).collect()
}

/// Labels as text, their sum.
fn sums(labelled: &Labelled) -> Vec<(String, f64)> {
    let text = |labels: &[(String, String)]| {
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
        labels.join(",")
    };
    labelled.sums.iter().map(|(labels, sum)| (text(labels), *sum)).collect()
}

#[test]
fn row_75_all_numeric_attributes_are_summed_and_rows_counted() {
    let collected = rows(&[json!({"r": 2, "s": "x"}), json!({"r": 1, "s": null})]);
    assert_eq!(totals(&series(&collected, &[], 0)), [("object_count", 2.0), ("r", 3.0)]);
    assert_eq!(totals(&series(&[], &[], 0)), [("object_count", 0.0)]);
}

#[test]
fn row_76_named_metrics_are_the_only_ones() {
    let collected = rows(&[json!({"r": 2, "other": 5}), json!({"other": 1})]);
    let found = series(&collected, &[metric("replicas", "r", &[])], 0);
    assert_eq!(totals(&found), [("object_count", 2.0), ("replicas", 2.0)]);
    let nothing = series(&[], &[metric("replicas", "r", &[])], 0);
    assert_eq!(totals(&nothing), [("object_count", 0.0), ("replicas", 0.0)]);
}

#[test]
fn row_77_sums_are_grouped_by_labels_and_have_no_aggregate() {
    let collected = rows(&[
        json!({"r": 1, "zone": "a", "tier": 3}),
        json!({"r": 2, "zone": "a", "tier": 3}),
        json!({"r": 4, "zone": null, "tier": true}),
        json!({"r": "none", "zone": "b", "tier": 1}),
    ]);
    let found = series(&collected, &[metric("replicas", "r", &["zone", "tier"])], 0);
    assert_eq!(totals(&found), [("object_count", 4.0)]);
    assert_eq!(
        sums(&found.labelled["replicas"]),
        [("tier=3,zone=a".to_owned(), 3.0), ("tier=true,zone=".to_owned(), 4.0)]
    );
}

#[test]
fn row_78_the_same_tuples_survive_the_cap_whatever_the_order_of_rows() {
    let mut objects = vec![
        json!({"r": 1, "z": "c"}),
        json!({"r": 2, "z": "a"}),
        json!({"r": 3, "z": "b"}),
    ];
    for _ in 0..objects.len() {
        objects.rotate_left(1);
        let found = series(&rows(&objects), &[metric("m", "r", &["z"])], 2);
        assert_eq!(
            sums(&found.labelled["m"]),
            [("z=a".to_owned(), 2.0), ("z=b".to_owned(), 3.0)]
        );
        assert_eq!(found.labelled["m"].dropped, 1);
    }
    assert_eq!(
        series(&rows(&objects), &[metric("m", "r", &["z"])], 3).labelled["m"].dropped,
        0
    );
}

#[test]
fn row_80_no_cap_is_the_usual_one() {
    let objects: Vec<Value> = (0..201).map(|n| json!({"r": 1, "z": n})).collect();
    let found = series(&rows(&objects), &[metric("m", "r", &["z"])], 0);
    assert_eq!((found.labelled["m"].sums.len(), found.labelled["m"].dropped), (200, 1));
}

#[test]
fn tuples_that_read_alike_are_told_apart() {
    let objects = [
        json!({"r": 1, "a": "x,b=y", "b": ""}),
        json!({"r": 1, "a": "x", "b": "y,b="}),
    ];
    let found = series(&rows(&objects), &[metric("m", "r", &["a", "b"])], 0);
    assert_eq!(found.labelled["m"].sums.len(), 2);
}

#[rstest]
#[case(json!(3), Some(3.0))]
#[case(json!(1.5), Some(1.5))]
#[case(json!("2.25"), Some(2.25))]
#[case(json!("-1e2"), Some(-100.0))]
#[case(json!("x"), None)]
#[case(json!(true), None)]
#[case(json!(null), None)]
#[case(json!([1]), None)]
#[case(json!(""), None)]
#[case(json!("1.20.3"), None)]
#[case(json!("nan"), None)]
#[case(json!("inf"), None)]
#[case(json!("-Infinity"), None)]
#[case(json!("0x10"), None)]
#[case(json!("1e400"), None)]
#[case(json!(" 1"), None)]
fn row_79_and_w52_only_finite_decimal_numbers_count(#[case] value: Value, #[case] expected: Option<f64>) {
    assert_eq!(number(&value), expected);
}
