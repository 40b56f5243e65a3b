//! What is removed from whole objects.

use proptest::prelude::*;
use rstest::rstest;
use serde::de::DeserializeSeed;
use serde_json::{Value, json};

use super::export::{all, computed, deployment, embedded, paths, pointers, resource};
use super::{object, target, valid};
use crate::profile::{Include, ObjectExport, PruneSpec};

fn pruned(prune: PruneSpec) -> Value {
    embedded(&resource(all(prune)), &deployment()).unwrap()
}

/// The object that [`all`] gives, with one member set.
fn deployment_with(pointer: &str, value: Value) -> Value {
    let mut expected = pruned(PruneSpec::default());
    *expected.pointer_mut(pointer).unwrap() = value;
    expected
}

#[test]
fn row_55_pointers_remove_members() {
    let left = pruned(pointers(&[
        "/status/conditions",
        "/metadata/annotations/team",
        " /spec/env ",
    ]));
    assert_eq!(left["status"], json!({"readyReplicas": 2}));
    assert_eq!(left["metadata"]["annotations"].get("team"), None);
    assert_eq!(left["spec"].get("env"), None);
}

#[rstest]
#[case("/spec/gone")]
#[case("/")]
#[case("/spec/list/9")]
#[case("/spec/list/-")]
#[case("/spec/list/-1")]
#[case("/spec/list/+1")]
#[case("/spec/list/01")]
#[case("/spec/replicas/x")]
#[case("//spec")]
fn pointers_that_lead_nowhere_remove_nothing(#[case] pointer: &str) {
    assert_eq!(pruned(pointers(&[pointer])), pruned(PruneSpec::default()));
}

#[test]
fn pointers_decode_slashes_before_tildes() {
    let object = json!({"metadata": {"name": "n", "uid": "u"}, "spec": {"~1": 1, "/": 2, "a~b": 3}});
    let left = |pointer| embedded(&resource(all(pointers(&[pointer]))), &object).unwrap()["spec"].clone();
    assert_eq!(left("/spec/~01"), json!({"/": 2, "a~b": 3}));
    assert_eq!(left("/spec/~1"), json!({"~1": 1, "a~b": 3}));
    assert_eq!(left("/spec/a~0b"), json!({"~1": 1, "/": 2}));
}

#[rstest]
#[case(r#"$.metadata.labels["pod-template-hash"]"#, "/metadata/labels", json!({"app": "cart"}))]
#[case("$.metadata.labels['pod-template-hash']", "/metadata/labels", json!({"app": "cart"}))]
#[case("$.spec.containers[*].env", "/spec/containers", json!([{"name": "a"}, {"name": "b"}]))]
#[case("$.spec.containers[0].env", "/spec/containers", json!([{"name": "a"}, {"name": "b", "env": [2]}]))]
#[case("$.spec.*", "/spec", json!({}))]
#[case("$.spec.containers[?(@.name==\"a\")]", "/spec/containers", json!([{"name": "b", "env": [2]}]))]
#[case("{.spec.list}", "/spec/list", Value::Null)]
#[case("spec.list", "/spec/list", Value::Null)]
#[case(".spec.list", "/spec/list", Value::Null)]
#[case("$..env", "/spec", json!({"replicas": 2, "list": [1, 2, 3, 4], "containers": [{"name": "a"}, {"name": "b"}]}))]
#[case(
    r"$.metadata.annotations.x\.example/y",
    "/metadata/annotations/x.example~1y",
    Value::Null
)]
#[case(
    r#"$.metadata.annotations["x.example/y"]"#,
    "/metadata/annotations/x.example~1y",
    Value::Null
)]
fn w47_paths_remove_what_they_would_select(#[case] path: &str, #[case] changed: &str, #[case] expected: Value) {
    let mut wanted = deployment_with(changed, expected.clone());
    if expected.is_null() {
        crate::extract::pointer::remove(changed, &mut wanted);
    }
    assert_eq!(pruned(paths(&[path])), wanted);
}

#[rstest]
#[case(paths(&["$.spec.list[0]"]), json!([2, 3, 4]))]
#[case(paths(&["$.spec.list[0,2]"]), json!([2, 4]))]
#[case(paths(&["$.spec.list[2,0]"]), json!([2, 4]))]
#[case(paths(&["$.spec.list[1:3]"]), json!([1, 4]))]
#[case(paths(&["$.spec.list[-1]"]), json!([1, 2, 3]))]
#[case(paths(&["$.spec.list[?(@>2)]"]), json!([1, 2]))]
#[case(paths(&["$.spec.list[*]"]), json!([]))]
// Entries see what the ones before them left.
#[case(paths(&["$.spec.list[0]", "$.spec.list[0]"]), json!([3, 4]))]
#[case(pointers(&["/spec/list/1"]), json!([1, 3, 4]))]
#[case(pointers(&["/spec/list/0", "/spec/list/0"]), json!([3, 4]))]
fn w48_elements_are_removed_and_leave_no_gap(#[case] prune: PruneSpec, #[case] expected: Value) {
    assert_eq!(pruned(prune)["spec"]["list"], expected);
}

#[rstest]
#[case("object.spec.replicas > 1 ? '/spec/list' : ''", json!(null))]
#[case("object.spec.replicas > 5 ? '/spec/list' : ''", json!([1, 2, 3, 4]))]
#[case("object.spec.containers.filter(c, c.name == 'a').map(c, '$.spec.list[0]')", json!([2, 3, 4]))]
#[case("['/spec/list/0', '$.spec.list[0]']", json!([3, 4]))]
#[case("null", json!([1, 2, 3, 4]))]
// What was written for earlier versions, which ignored it.
#[case("object.kind == 'Deployment'", json!([1, 2, 3, 4]))]
fn expressions_say_what_to_remove(#[case] expression: &str, #[case] left: Value) {
    assert_eq!(pruned(computed(expression))["spec"]["list"], left);
}

#[rstest]
#[case("object.gone", "the object has no `gone`")]
#[case("object.spec.replicas", "must give a JSON pointer")]
#[case("'$.spec['", "must give a JSON pointer")]
#[case("'/spec/~2'", "must give a JSON pointer")]
fn a_removal_that_cannot_be_made_fails_the_object(#[case] expression: &str, #[case] expected: &str) {
    let message = embedded(&resource(all(computed(expression))), &deployment())
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with("attribute `resource`: spec.export.prune.cel[0]: ") && message.contains(expected),
        "{message}"
    );
    let profile = valid(&resource(all(computed(expression))));
    assert_eq!(profile.faults(&deployment()).len(), 1);
}

fn any_prune() -> impl Strategy<Value = PruneSpec> {
    let path = prop::sample::select(vec![
        "$..c",
        "$.a",
        "$.b[*]",
        "$.b[0]",
        "$.b[::2]",
        "$.b[?(@.c==1)]",
        "$.*",
        "$..b[*].c",
        "$..*",
        "$.a.b[-1]",
        "$",
    ]);
    let pointer = prop::sample::select(vec!["/a", "/b/0", "/b/1/c", "/a/b", "/c", "/a/a/c"]);
    (prop::collection::vec(path, 0..3), prop::collection::vec(pointer, 0..3)).prop_map(|(all_paths, all_pointers)| {
        PruneSpec {
            pointers: pointers(&all_pointers).pointers,
            ..paths(&all_paths)
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn row_57_embedding_needs_only_what_the_mask_keeps_and_changes_no_input(
        prune in any_prune(),
        include in prop::sample::select(vec![Include::All, Include::MetadataOnly, Include::SpecAndStatus]),
        inner in object(),
    ) {
        let mut object = inner.clone();
        object["spec"] = inner;
        let profile = valid(&resource(ObjectExport { include, ..all(prune) }));
        let text = object.to_string();
        let masked = profile.mask().deserialize(&mut serde_json::Deserializer::from_str(&text)).unwrap();
        let row = profile.extract(&object, &target()).unwrap();
        prop_assert_eq!(object.to_string(), text);
        prop_assert_eq!(&profile.extract(&masked, &target()).unwrap(), &row);
    }
}
