use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

use super::*;

fn schema(definition: &CustomResourceDefinition) -> Value {
    let definition = serde_json::to_value(definition).unwrap();
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

/// Calls `visit` with the path and the schema of every field.
fn walk(path: &str, node: &Value, visit: &mut impl FnMut(&str, &Value)) {
    visit(path, node);
    for (name, field) in node["properties"].as_object().into_iter().flatten() {
        walk(&format!("{path}.{name}"), field, visit);
    }
    if node["items"].is_object() {
        walk(&format!("{path}[]"), &node["items"], visit);
    }
}

fn walk_all(mut visit: impl FnMut(&str, &Value)) {
    for definition in all() {
        walk(&definition.spec.names.kind, &schema(&definition), &mut visit);
    }
}

#[test]
fn names_scopes_and_subresources_are_those_of_the_api() {
    let summary: Vec<_> = all()
        .into_iter()
        .map(|definition| {
            let spec = definition.spec;
            let status = spec.versions[0].subresources.is_some();
            assert_eq!(
                definition.metadata.name,
                Some(format!("{}.kollect.dev", spec.names.plural))
            );
            assert_eq!(spec.names.categories, Some(vec!["kollect".to_owned()]));
            (
                spec.names.plural,
                spec.names.short_names.unwrap().join(","),
                spec.scope,
                status,
            )
        })
        .collect();
    let expected = [
        ("kollectclusterinventories", "kcinv", "Cluster", true),
        ("kollectclusterscopes", "kcscope", "Cluster", false),
        ("kollectclustertargets", "kctgt", "Cluster", true),
        ("kollectconnectiontests", "kconntest", "Namespaced", true),
        ("kollectdatabasesinks", "kdb", "Namespaced", true),
        ("kollecteventsinks", "kevt", "Namespaced", true),
        ("kollectinventories", "kinv", "Namespaced", true),
        ("kollectprofiles", "kprof", "Namespaced", true),
        ("kollectscopes", "kscope", "Namespaced", false),
        ("kollectsnapshotsinks", "ksnap", "Namespaced", true),
        ("kollecttargets", "ktgt", "Namespaced", true),
    ]
    .map(|(plural, short, scope, status)| (plural.to_owned(), short.to_owned(), scope.to_owned(), status));
    assert_eq!(summary, expected);
}

#[test]
fn every_field_is_described_and_none_may_be_null() {
    walk_all(|path, node| {
        assert!(node["nullable"].is_null(), "{path} may be null");
        assert!(
            node["anyOf"].is_null() && node["oneOf"].is_null(),
            "{path} has alternatives"
        );
        let described = node["description"].as_str().is_some_and(|text| !text.is_empty());
        let scalar_element = path.ends_with("[]") && node["properties"].is_null();
        assert!(described || scalar_element, "{path} has no description");
    });
}

#[test]
fn rules_are_below_the_object_itself_and_never_inside_of_elements_without_a_type() {
    walk_all(|path, node| {
        if !path.contains('.') {
            assert!(node["x-kubernetes-validations"].is_null(), "{path} has rules");
        }
        if node["type"].is_null() {
            walk(path, node, &mut |path, node| {
                assert!(
                    node["x-kubernetes-validations"].is_null(),
                    "{path} has a rule that is never evaluated"
                );
            });
        }
    });
}

#[test]
fn the_members_of_a_layout_have_no_defaults() {
    let snapshot_sink = KollectSnapshotSink::crd();
    walk(
        "",
        &schema(&snapshot_sink)["properties"]["spec"]["properties"]["layout"],
        &mut |path, node| {
            assert!(node["default"].is_null(), "layout{path} has a default");
        },
    );
}

#[test]
fn yaml_says_the_same_as_the_definition_each_time() {
    for definition in all() {
        let text = to_yaml(&definition).unwrap();
        assert_eq!(text, to_yaml(&definition).unwrap());
        let read: CustomResourceDefinition = serde_saphyr::from_str(&text).unwrap();
        assert_eq!(read, definition);
    }
}

#[test]
fn an_object_with_an_impossible_duration_can_still_be_read() {
    let inventory: KollectInventory = serde_json::from_value(json!({
        "apiVersion": "kollect.dev/v1alpha1",
        "kind": "KollectInventory",
        "metadata": {"name": "team", "namespace": "team-a"},
        "spec": {"exportMinInterval": "soon"},
    }))
    .unwrap();
    assert_eq!(
        inventory.spec.export_min_interval.interval(),
        Err(DurationError::Malformed {
            text: "soon".to_owned()
        })
    );
}

#[test]
fn what_is_left_out_takes_the_default_of_the_schema() {
    let inventory: KollectClusterInventorySpec = serde_json::from_value(json!({})).unwrap();
    assert_eq!(inventory.export_min_interval.as_str(), "30s");
    assert_eq!(inventory.sink_namespace, "kollect-system");
    assert_eq!(inventory.dedupe, Dedupe::KeepAll);
    let export: ObjectExport = serde_json::from_value(json!({})).unwrap();
    assert_eq!(
        (export.mode, export.include, export.as_.as_str()),
        (ExportMode::Attributes, ExportInclude::SpecAndStatus, "resource")
    );
    let test: KollectConnectionTestSpec = serde_json::from_value(json!({"sinkRef": {"eventSinkRef": "feed"}})).unwrap();
    assert_eq!(test.ttl_seconds_after_finished, 300);
}
