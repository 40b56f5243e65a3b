use rstest::rstest;
use serde_json::json;

use super::*;

fn document() -> Vec<ApiResource> {
    let document: ResourceList = serde_json::from_value(json!({
        "kind": "APIResourceList",
        "groupVersion": "networking.example/v1",
        "resources": [
            {"name": "gateways/status", "singularName": "", "namespaced": true, "kind": "Gateway", "verbs": ["get"]},
            {"name": "gateways", "singularName": "gateway", "namespaced": true, "kind": "Gateway", "verbs": ["get", "list", "watch"]},
            {"name": "classes", "singularName": "class", "namespaced": false, "kind": "Class", "verbs": ["list", "watch"]},
            {"name": "samples", "singularName": "", "namespaced": true, "kind": "Sample", "verbs": ["get", "list"]},
            {"name": "reviews", "singularName": "", "namespaced": false, "kind": "Review"},
        ],
    }))
    .unwrap();
    document.resources
}

fn gvk(kind: &str) -> Gvk {
    Gvk::new("networking.example", "v1", kind)
}

#[test]
fn plural_and_scope_are_what_the_server_says() {
    let found = find(&gvk("Gateway"), &document()).unwrap();
    assert_eq!((found.plural.as_str(), found.namespaced), ("gateways", true));
    let found = find(&gvk("Class"), &document()).unwrap();
    assert_eq!((found.plural.as_str(), found.namespaced), ("classes", false));
}

#[rstest]
#[case::another_case("gateway")]
#[case::without_watch("Sample")]
#[case::without_verbs("Review")]
#[case::unknown("Route")]
fn a_kind_that_cannot_be_collected_is_not_served(#[case] kind: &str) {
    let error = find(&gvk(kind), &document()).unwrap_err();
    assert!(matches!(error, DiscoveryError::NotServed { .. }), "{error}");
    assert!(error.to_string().contains(kind), "{error}");
}

#[rstest]
#[case::core("", "v1", Some("/api/v1"))]
#[case::group("apps", "v1", Some("/apis/apps/v1"))]
#[case::path_in_group("apps/../../api", "v1", None)]
#[case::parent("..", "v1", None)]
#[case::query("apps", "v1?x=y", None)]
#[case::no_version("apps", "", None)]
fn only_plain_names_become_a_path(#[case] group: &str, #[case] version: &str, #[case] path: Option<&str>) {
    assert_eq!(group_version_path(&Gvk::new(group, version, "Kind")).as_deref(), path);
}

#[test]
fn other_versions_are_tried_in_the_order_that_the_server_prefers() {
    let group: Group = serde_json::from_value(json!({
        "kind": "APIGroup",
        "name": "networking.example",
        "versions": [
            {"groupVersion": "networking.example/v2", "version": "v2"},
            {"groupVersion": "networking.example/v1", "version": "v1"},
            {"groupVersion": "networking.example/v1beta1", "version": "v1beta1"},
        ],
        "preferredVersion": {"groupVersion": "networking.example/v1beta1", "version": "v1beta1"},
    }))
    .unwrap();
    assert_eq!(group.others("v1"), ["v1beta1", "v2"]);
}
