//! Masks keep what is read, and decoding under a mask is pruning in one pass.

use proptest::prelude::*;
use rstest::rstest;
use serde::de::DeserializeSeed;
use serde_json::{Value, json};

use super::Mask;
use crate::extract::cel::Program;
use crate::extract::jsonpath::JsonPath;

fn of_path(path: &str) -> Mask {
    JsonPath::parse(path).unwrap().mask()
}

fn of_expression(source: &str) -> Mask {
    Program::compile(source).unwrap().mask()
}

fn of_member(path: &[&str]) -> Mask {
    let mut mask = Mask::default();
    mask.keep(path.iter().copied());
    mask
}

fn pruned(mask: &Mask, object: &Value) -> Value {
    let mut object = object.clone();
    mask.prune(&mut object);
    object
}

fn decode(mask: &Mask, text: &str) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = mask.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

fn object() -> Value {
    json!({
        "metadata": {"name": "cart", "labels": {"app": "cart"}, "managedFields": [{"manager": "x"}]},
        "spec": {
            "replicas": 2,
            "containers": [
                {"name": "web", "image": "i1", "ports": [{"port": 80, "name": "http"}], "env": [1, 2]},
                {"name": "side", "image": "i2"},
            ],
        },
        "status": {"ready": 1, "conditions": [{"type": "A", "status": "True", "message": "long"}]},
    })
}

#[rstest]
#[case("$.metadata.name", json!({"metadata": {"name": "cart"}}))]
#[case("$.spec.containers[*].image", json!({"spec": {"containers": [{"image": "i1"}, {"image": "i2"}]}}))]
#[case("$.spec.containers[0].ports[*].port", json!({"spec": {"containers": [{"ports": [{"port": 80}]}, {}]}}))]
#[case("$.spec.replicas.x", json!({"spec": {"replicas": 2}}))]
#[case(
    "$.status.conditions[?(@.type=='A')].status",
    json!({"status": {"conditions": [{"type": "A", "status": "True"}]}})
)]
#[case(
    "$.spec.containers[?(@.ports)].name",
    json!({"spec": {"containers": [{"name": "web", "ports": []}, {"name": "side"}]}})
)]
#[case("$['metadata.labels'].app", json!({"metadata": {"labels": {"app": "cart"}}}))]
#[case("{}", object())]
#[case("$.status..type", json!({"status": object()["status"]}))]
fn a_mask_keeps_what_a_path_reads(#[case] path: &str, #[case] kept: Value) {
    assert_eq!(pruned(&of_path(path), &object()), kept);
}

#[rstest]
#[case("object.metadata.name", json!({"metadata": {"name": "cart"}}))]
#[case("object['metadata']['labels']", json!({"metadata": {"labels": {"app": "cart"}}}))]
#[case("has(object.status) ? object.status.ready : 0", json!({"status": {"ready": 1}}))]
#[case("has(object.status.conditions)", json!({"status": {"conditions": []}}))]
#[case("size(object.spec.containers)", json!({"spec": {"containers": [{}, {}]}}))]
#[case(
    "object.spec.containers.map(c, c.image)",
    json!({"spec": {"containers": [{"image": "i1"}, {"image": "i2"}]}})
)]
#[case(
    "object.status.conditions.exists(c, c.type == 'A' && c.status == 'True')",
    json!({"status": {"conditions": [{"type": "A", "status": "True"}]}})
)]
#[case(
    "object.spec.containers.filter(c, c.name == 'web')[0].image",
    json!({"spec": {"containers": object()["spec"]["containers"]}})
)]
#[case("object.spec.containers[0].image", json!({"spec": {"containers": [{"image": "i1"}, {"image": "i2"}]}}))]
#[case("object.?spec.?replicas.orValue(0)", json!({"spec": {"replicas": 2}}))]
#[case("object[object.metadata.name]", object())]
#[case("object == null", object())]
#[case("'x'", json!({}))]
fn a_mask_keeps_what_an_expression_reads(#[case] source: &str, #[case] kept: Value) {
    assert_eq!(pruned(&of_expression(source), &object()), kept);
}

#[rstest]
#[case(Mask::default(), &[])]
#[case(Mask::all(), &["."])]
#[case(of_member(&["metadata", "name"]), &[".metadata.name"])]
#[case(of_path("$.spec.containers[*].image"), &[".spec.containers[*].image"])]
#[case(of_path(r"$.metadata.labels.app\.kubernetes\.io/name"), &[r#".metadata.labels["app.kubernetes.io/name"]"#])]
#[case(of_path("$.spec.*.image"), &[".spec[*].image"])]
#[case(of_expression("has(object.status.conditions)"), &[".status.conditions?"])]
#[case(of_expression("size(object.spec.containers)"), &[".spec.containers[*]?"])]
fn a_mask_can_be_told(#[case] mask: Mask, #[case] paths: &[&str]) {
    assert_eq!(mask.paths(), paths);
}

#[test]
fn masks_add_up() {
    let mut mask = of_member(&["metadata", "name"]);
    mask.merge(&of_path("$.spec.containers[*].image"));
    mask.merge(&of_expression("object.spec.containers.exists(c, c.name == 'web')"));
    let kept = json!({
        "metadata": {"name": "cart"},
        "spec": {"containers": [{"name": "web", "image": "i1"}, {"name": "side", "image": "i2"}]},
    });
    assert_eq!(pruned(&mask, &object()), kept);
}

#[test]
fn what_is_kept_of_any_member_is_kept_of_each() {
    let mut mask = of_path("$.spec.first.a");
    mask.merge(&of_path("$.spec.*.b"));
    let object = json!({"spec": {"first": {"a": 1, "b": 2, "c": 3}, "second": {"a": 1, "b": 2}}});
    let kept = json!({"spec": {"first": {"a": 1, "b": 2}, "second": {"b": 2}}});
    assert_eq!(pruned(&mask, &object), kept);
}

#[test]
fn metadata_alone_is_recognised() {
    assert!(of_path("$.metadata.labels").keeps_only_metadata());
    assert!(of_expression("object.kind + object.metadata.name").keeps_only_metadata());
    assert!(!of_path("$.spec").keeps_only_metadata());
    assert!(!of_path("$.*").keeps_only_metadata());
    assert!(!Mask::all().keeps_only_metadata());
}

#[test]
fn a_path_of_many_alternatives_keeps_more_instead_of_exploding() {
    let path = format!("${}", "['a.b','c.d','e.f']".repeat(40));
    let mask = of_path(&path);
    let object = json!({"a": {"b": {"c": {"d": 1}}}});
    assert_eq!(pruned(&mask, &object), object);
}

#[test]
fn integers_keep_their_64_bits_and_repeated_members_the_last_value() {
    let mut mask = of_member(&["n"]);
    mask.keep(["m", "x"]);
    let text = r#"{"n": 1, "skip": {"n": [1e400]}, "n": [18446744073709551615, -9223372036854775808],
        "m": {"x": 1, "y": 2}, "m": {"y": 3}}"#;
    let decoded = decode(&mask, text).unwrap();
    assert_eq!(decoded, json!({"n": [u64::MAX, i64::MIN], "m": {}}));
}

#[test]
fn what_is_not_json_is_refused_also_where_it_is_skipped() {
    let mask = of_member(&["a"]);
    for text in [r#"{"b": [1,}"#, r#"{"b": tru}"#, r#"{"a": 1"#, r#"{"b" 1}"#] {
        let decoded = decode(&mask, text);
        assert!(decoded.is_err(), "{text}");
    }
}

#[test]
fn kept_values_nested_too_deeply_are_an_error_and_no_overflow() {
    let text = "[".repeat(100_000) + &"]".repeat(100_000);
    let kept = decode(&Mask::all(), &text);
    assert!(kept.is_err());
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "[abc\"\\\\é]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn mask() -> impl Strategy<Value = Mask> {
    let step = prop_oneof![
        "\\.[abc]",
        "\\[\\*\\]",
        "\\.\\*",
        "\\[[0-2]\\]",
        Just("[?(@.a==1)]".to_owned())
    ];
    let path = prop::collection::vec(step, 0..4).prop_map(|steps| format!("${}", steps.concat()));
    prop::collection::vec(path, 0..4).prop_map(|paths| {
        let mut mask = Mask::default();
        for path in paths {
            mask.merge(&of_path(&path));
        }
        mask
    })
}

proptest! {
    #[test]
    fn decoding_under_a_mask_is_decoding_and_pruning(mask in mask(), object in json_value()) {
        let text = object.to_string();
        let decoded = decode(&mask, &text).unwrap();
        prop_assert_eq!(decoded, pruned(&mask, &object));
    }

    #[test]
    fn a_union_keeps_what_either_keeps(a in mask(), b in mask(), object in json_value()) {
        let mut union = a.clone();
        union.merge(&b);
        // Pruning by the union first changes nothing for either.
        let kept = pruned(&union, &object);
        prop_assert_eq!(pruned(&a, &kept), pruned(&a, &object));
        prop_assert_eq!(pruned(&b, &kept), pruned(&b, &object));
    }

    #[test]
    fn pruning_twice_is_pruning_once(mask in mask(), object in json_value()) {
        let once = pruned(&mask, &object);
        prop_assert_eq!(pruned(&mask, &once), once);
    }
}
