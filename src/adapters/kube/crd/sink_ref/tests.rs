use rstest::rstest;
use serde_json::json;

use super::super::inventory::KollectInventorySpec;
use super::*;

fn database_refs(list: &Value) -> Vec<SinkRefElement> {
    let spec: KollectInventorySpec = serde_json::from_value(json!({ "databaseSinkRefs": list })).unwrap();
    spec.database_sink_refs
}

fn lists(database: &[SinkRefElement]) -> SinkRefLists<'_> {
    SinkRefLists {
        snapshot: &[],
        database,
        event: &[],
    }
}

fn problems(list: &Value, default_namespace: Option<&str>) -> Vec<String> {
    let elements = database_refs(list);
    match check(lists(&elements), default_namespace) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn names_and_objects_may_be_mixed_and_are_written_as_objects() {
    let elements =
        database_refs(&json!(["lake", {"name": "warehouse", "exportMinInterval": "5m", "deletionPolicy": "Retain"}]));
    assert_eq!(
        serde_json::to_value(&elements).unwrap(),
        json!([{"name": "lake"}, {"name": "warehouse", "exportMinInterval": "5m", "deletionPolicy": "Retain"}])
    );
    let refs = check(lists(&elements), None).unwrap();
    assert_eq!(refs.database[0], &InventorySinkRef::named("lake"));
    assert_eq!(refs.database[1].deletion_policy, Some(DeletionPolicy::Retain));
}

#[test]
fn null_is_an_absent_list() {
    assert_eq!(database_refs(&Value::Null), Vec::new());
}

#[test]
fn one_broken_element_hides_no_other_and_is_kept_as_it_is() {
    let stored = json!([null, "lake", {"name": 7}]);
    let elements = database_refs(&stored);
    assert_eq!(elements[1], SinkRefElement::Ref(InventorySinkRef::named("lake")));
    assert_eq!(
        serde_json::to_value(&elements).unwrap(),
        json!([null, {"name": "lake"}, {"name": 7}])
    );
    let paths: Vec<_> = check(lists(&elements), None)
        .unwrap_err()
        .into_iter()
        .map(|problem| problem.path)
        .collect();
    assert_eq!(paths, ["spec.databaseSinkRefs[0]", "spec.databaseSinkRefs[2]"]);
}

#[rstest]
#[case(json!([" "]), "spec.databaseSinkRefs[0].name: must not be empty")]
#[case(json!(["team-b/lake"]), "spec.databaseSinkRefs[0].name: must be a name without a namespace")]
#[case(json!(["lake", {"name": "lake"}]), "spec.databaseSinkRefs[1].name: \"lake\" is referred to twice in this list")]
#[case(
    json!([{"name": "lake", "namespace": "team-b"}]),
    "spec.databaseSinkRefs[0].namespace: is not allowed: the sinks of a namespaced inventory are in its own namespace"
)]
#[case(
    json!([{"name": "lake", "exportMinInterval": "24h1s"}]),
    "spec.databaseSinkRefs[0].exportMinInterval: \"24h1s\" is longer than 24h"
)]
#[case(
    json!([{"name": "lake", "minChangeInterval": "-1s"}]),
    "spec.databaseSinkRefs[0].minChangeInterval: \"-1s\" is less than zero"
)]
#[case(json!([{"name": "lake", "maxExportBytes": 0}]), "spec.databaseSinkRefs[0].maxExportBytes: must be at least 1")]
fn what_the_schema_cannot_see_is_a_problem_with_a_path(#[case] list: Value, #[case] expected: &str) {
    assert_eq!(problems(&list, None), [expected]);
}

#[test]
fn a_cluster_inventory_tells_sinks_apart_by_namespace_and_name() {
    let two = json!([{"name": "lake", "namespace": "team-a"}, {"name": "lake", "namespace": "team-b"}]);
    assert_eq!(problems(&two, Some("kollect-system")), Vec::<String>::new());
    let same = json!(["lake", {"name": "lake", "namespace": "kollect-system"}]);
    assert_eq!(
        problems(&same, Some("kollect-system")),
        ["spec.databaseSinkRefs[1].name: \"lake\" is referred to twice in this list"]
    );
}

#[test]
fn a_sink_may_be_in_lists_of_different_families() {
    let elements = database_refs(&json!(["estate"]));
    let refs = SinkRefLists {
        snapshot: &elements,
        database: &elements,
        event: &elements,
    };
    assert!(check(refs, None).is_ok());
}

#[test]
fn twenty_references_are_allowed_over_all_lists_and_one_more_is_not() {
    let ten = database_refs(&(0..10).map(|index| json!(format!("sink-{index}"))).collect());
    let one = database_refs(&json!(["last"]));
    let mut refs = SinkRefLists {
        snapshot: &ten,
        database: &ten,
        event: &[],
    };
    assert!(check(refs, None).is_ok());
    refs.event = &one;
    let problems = check(refs, None).unwrap_err();
    assert_eq!(
        problems,
        [SinkRefProblem {
            path: "spec".to_owned(),
            message: "has 21 sink references over its three lists, at most 20 are allowed".to_owned(),
        }]
    );
}
