//! Rules are tightened while objects exist that break them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kollect_adapters::kube::crd;
use kollect_testbed::eventually;
use serde_json::Value;

use crate::api::Api;

/// Our kinds in a group of their own: other tests need the real ones as they are.
const GROUP: &str = "ratchet.kollect.dev";

/// Keywords that judge values. `required` stays where it names the keys of a list.
const KEYWORDS: [&str; 11] = [
    "x-kubernetes-validations",
    "pattern",
    "enum",
    "not",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "maxProperties",
];

fn definitions(shape: impl Fn(&mut Value)) -> String {
    let text = |definition: &CustomResourceDefinition| {
        let mut definition = serde_json::to_value(definition).unwrap();
        definition["metadata"]["name"] =
            format!("{}.{GROUP}", definition["spec"]["names"]["plural"].as_str().unwrap()).into();
        definition["spec"]["group"] = GROUP.into();
        for name in ["categories", "shortNames"] {
            definition["spec"]["names"].as_object_mut().unwrap().remove(name);
        }
        shape(&mut definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]);
        definition.to_string()
    };
    crd::all().iter().map(text).collect::<Vec<_>>().join("\n")
}

fn loosen(node: &mut Value) {
    let Some(members) = node.as_object_mut() else { return };
    for keyword in KEYWORDS {
        members.remove(keyword);
    }
    let keyed = members.contains_key("x-kubernetes-list-map-keys");
    for child in members
        .get_mut("properties")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flat_map(|map| map.values_mut())
    {
        loosen(child);
    }
    if let Some(items) = members.get_mut("items") {
        let required = items["required"].clone();
        loosen(items);
        if keyed {
            items["required"] = required;
        }
    }
    members.remove("required");
}

/// The refused samples, as objects of the other group.
fn refused_samples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/refused");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    files
        .map(|text| text.replace("kollect.dev/v1alpha1", &format!("{GROUP}/v1alpha1")))
        .collect()
}

#[test]
fn an_object_that_a_new_rule_refuses_still_takes_a_status_and_loses_its_finalizer() {
    let Some(api) = Api::shared() else { return };
    let samples = refused_samples();
    let all = samples.join("---\n");
    let with_status: Vec<&str> = samples
        .iter()
        .map(String::as_str)
        .filter(|text| !text.contains("Scope\n"))
        .collect();

    api.run(&["apply", "-f", "-"], &definitions(loosen));
    api.run(
        &["wait", "--for=condition=Established", "--timeout=30s", "crd", "--all"],
        "",
    );
    eventually(
        Duration::from_secs(30),
        "the loose definitions accept all refused samples",
        || api.ask(&["apply", "-f", "-"], &all).success.then_some(()),
    )
    .unwrap();

    api.run(&["apply", "-f", "-"], &definitions(|_| ()));
    eventually(
        Duration::from_secs(30),
        "the real definitions refuse all of them",
        || {
            let answer = api.ask(&["create", "--dry-run=server", "-o", "name", "-f", "-"], &copies(&all));
            (answer.stdout.is_empty() && answer.complaints().len() == samples.len()).then_some(())
        },
    )
    .unwrap();

    let patch = |subresource: &[&str], patch: &str, objects: &str| {
        let mut arguments = vec!["patch", "--type=merge", "-p", patch, "-o", "name", "-f", "-"];
        arguments.extend(subresource);
        api.run(&arguments, objects).lines().count()
    };
    let statuses = patch(
        &["--subresource=status"],
        r#"{"status": {"observedGeneration": 1}}"#,
        &with_status.join("---\n"),
    );
    assert_eq!(statuses, with_status.len());
    assert_eq!(
        patch(
            &[],
            r#"{"metadata": {"finalizers": ["kollect.dev/inventory-cleanup"]}}"#,
            &all
        ),
        samples.len()
    );
    assert_eq!(patch(&[], r#"{"metadata": {"finalizers": null}}"#, &all), samples.len());
}

/// The same objects under other names, so that creating them is not refused for existing already.
fn copies(objects: &str) -> String {
    objects.replace("\n  name: ", "\n  name: copy-of-")
}
