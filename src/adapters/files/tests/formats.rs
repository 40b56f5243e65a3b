//! Every way to write the same objects down gives the same objects.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

fn deployment(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace, "uid": format!("u-{name}"), "labels": {"app": name}},
        "spec": {"replicas": 3, "text": "yes", "odd": "a\n---\nb: \"c\""},
        "status": {"observedGeneration": 7},
    })
}

fn two() -> [Value; 2] {
    [deployment("shop", "web"), deployment("pay", "api")]
}

fn list(items: &[Value]) -> Value {
    json!({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}})
}

fn yaml(value: &Value) -> String {
    serde_saphyr::to_string(value).unwrap()
}

fn json_list() -> String {
    serde_json::to_string_pretty(&list(&two())).unwrap()
}

fn json_documents() -> String {
    two()
        .map(|object| serde_json::to_string_pretty(&object).unwrap())
        .join("\n")
}

fn json_lines() -> String {
    two().map(|object| object.to_string() + "\n").concat()
}

fn json_array() -> String {
    json!(two()).to_string()
}

/// As the API server answers: the items name neither version nor kind.
fn typed_list() -> String {
    let items = two().map(|mut object| {
        let members = object.as_object_mut().unwrap();
        members.remove("apiVersion");
        members.remove("kind");
        object
    });
    json!({"kind": "DeploymentList", "apiVersion": "apps/v1", "metadata": {}, "items": items})
        .to_string()
        // serde_json sorts members; the server does not.
        .replacen(
            r#"{"apiVersion":"apps/v1","items""#,
            r#"{"kind":"DeploymentList","apiVersion":"apps/v1","items""#,
            1,
        )
}

fn yaml_documents() -> String {
    let [first, second] = two();
    format!("# two\n---\n{}--- # the second\n{}...\n", yaml(&first), yaml(&second))
}

fn yaml_list() -> String {
    format!("%YAML 1.2\n---\n{}", yaml(&list(&two())))
}

fn windows_lines() -> String {
    yaml_documents().replace('\n', "\r\n")
}

fn byte_order_mark() -> String {
    format!("\u{feff}{}", yaml_documents())
}

#[rstest]
#[case::json_list(json_list())]
#[case::json_documents(json_documents())]
#[case::json_lines(json_lines())]
#[case::json_array(json_array())]
#[case::typed_list(typed_list())]
#[case::yaml_documents(yaml_documents())]
#[case::yaml_list(yaml_list())]
#[case::windows_lines(windows_lines())]
#[case::byte_order_mark(byte_order_mark())]
#[case::byte_order_mark_and_json(format!("\u{feff}{}", json_list()))]
fn the_same_objects_in_any_format_are_the_same_objects(#[case] written: String) {
    let shown = show(text(written), deployments());
    assert_eq!(shown.problems(), Vec::<String>::new());
    assert!(shown.complete);
    let expected = two().map(|mut object| {
        object.as_object_mut().unwrap().remove("status");
        object
    });
    let values: Vec<&Value> = shown.objects.iter().map(|object| &object.value).collect();
    assert_eq!(values, expected.iter().collect::<Vec<_>>());
    assert_eq!(shown.names(), ["shop/web", "pay/api"]);
}

#[test]
fn a_compressed_file_a_folder_and_a_stream_are_read_alike() {
    let scratch = tempfile::tempdir().unwrap();
    let mut compressed = GzEncoder::new(Vec::new(), Compression::fast());
    compressed.write_all(json_list().as_bytes()).unwrap();
    let compressed = compressed.finish().unwrap();
    std::fs::create_dir(scratch.path().join("deeper")).unwrap();
    std::fs::write(scratch.path().join("deeper/dump.json.gz"), &compressed).unwrap();
    let expected = ["shop/web", "pay/api"];
    assert_eq!(show(folder(scratch.path()), deployments()).names(), expected);
    let spooled = Input::spooled("-", &mut compressed.as_slice()).unwrap();
    assert_eq!(show(vec![spooled], deployments()).names(), expected);
}

#[test]
fn kinds_share_one_pass_and_members_before_the_kind_are_masked_too() {
    let map = json!({
        "apiVersion": "v1",
        "data": {"key": "value"},
        "immutable": true,
        "kind": "ConfigMap",
        "metadata": {"name": "settings", "namespace": "shop", "uid": "u-3", "annotations": {"long": "text"}},
    });
    let [web, api] = two();
    let inputs = text(list(&[web, map, api]).to_string());
    let shown = show_all(inputs, vec![deployments(), request("", "v1", "ConfigMap")]);
    assert_eq!(shown[0].names(), ["shop/web", "pay/api"]);
    assert_eq!(
        shown[1].objects[0].value,
        json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "data": {"key": "value"},
            "metadata": {"name": "settings", "namespace": "shop", "uid": "u-3"},
        })
    );
    assert_eq!((shown[0].report.objects, shown[0].report.read), (3, 3));
}

#[test]
fn one_namespace_can_be_asked_for() {
    let mut wanted = deployments();
    wanted.scope = WatchScope::Namespace("pay".into());
    assert_eq!(show(text(json_list()), wanted).names(), ["pay/api"]);
}

#[test]
fn yaml_values_are_read_as_kubectl_reads_them() {
    let manifest = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: &spec
  mode: 0644
  on: yes
  quoted: 'yes'
  when: 2026-11-01T10:00:00Z
  big: 18446744073709551615
  none: ~
  tick: 1e3
  multi: |
    a
    ---x
";
    let shown = show(text(manifest), deployments());
    assert_eq!(shown.problems(), Vec::<String>::new());
    assert_eq!(
        shown.objects[0].value["spec"],
        json!({
            "mode": 420,
            // The key is a text like every key.
            "on": true,
            "quoted": "yes",
            "when": "2026-11-01T10:00:00Z",
            "big": 18_446_744_073_709_551_615_u64,
            "none": null,
            "tick": 1000.0,
            "multi": "a\n---x\n",
        })
    );
    assert_eq!(shown.names(), ["default/web"]);
}

#[test]
fn scopes_of_custom_kinds_and_namespaces_come_from_anywhere_in_the_input() {
    let objects = [
        json!({"apiVersion": "zoo.dev/v1", "kind": "Mouse", "metadata": {"name": "jerry", "namespace": "stray"}}),
        json!({"apiVersion": "zoo.dev/v1", "kind": "Cage", "metadata": {"name": "small"}}),
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "mousepads.zoo.dev"},
            "spec": {"group": "zoo.dev", "scope": "Cluster", "names": {"kind": "Mouse", "plural": "mousepads"}},
        }),
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "cages.zoo.dev"},
            "spec": {"group": "zoo.dev", "scope": "Namespaced", "names": {"kind": "Cage", "plural": "cages"}},
        }),
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"env": "prod"}}}),
    ];
    for written in [
        list(&objects).to_string(),
        objects
            .each_ref()
            .map(|object| "---\n".to_owned() + &yaml(object))
            .concat(),
    ] {
        let surveyed = survey(&text(written.clone()));
        assert_eq!(surveyed.namespaces["shop"].labels["env"], "prod");
        let wanted = vec![request("zoo.dev", "v1", "Mouse"), request("zoo.dev", "v1", "Cage")];
        let shown = show_all(text(written), wanted);
        assert_eq!(shown[0].names(), ["/jerry"]);
        assert_eq!(shown[1].names(), ["default/small"]);
    }
}

proptest! {
    /// Objects of any content, in a list that arrives in one piece, are the objects.
    #[test]
    fn any_objects_survive_json_and_yaml(
        texts in prop::collection::vec("[ -~é\n\t]{0,20}", 1..6),
        number in any::<i64>(),
    ) {
        let objects: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(index, text)| json!({
                "apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": {"name": format!("d{index}"), "namespace": "shop", "uid": format!("u{index}")},
                "spec": {"text": text, "number": number, "list": texts, "items": [{"kind": "List"}]},
            }))
            .collect();
        for written in [list(&objects).to_string(), yaml(&list(&objects))] {
            let shown = show(text(written), deployments());
            prop_assert_eq!(shown.problems(), Vec::<String>::new());
            let values: Vec<Value> = shown.objects.into_iter().map(|object| object.value).collect();
            prop_assert_eq!(&values, &objects);
        }
    }
}
