//! A live cluster and its own dump give the same rows, byte for byte.

use std::fs;

use serde_json::{Value, json};

use crate::cluster::Namespace;
use crate::program::{kollect, kollect_with_input, text};

/// Texts that readers of YAML take for something else, that JSON has to escape, or that are hard to cut.
///
/// Not among them is what kubectl itself changes when it prints YAML: control characters, and line separators of
/// Unicode before other text.
const TEXTS: [&str; 20] = [
    "true",
    "null",
    "~",
    "1e3",
    "0x1F",
    "0o17",
    "012",
    "1_000",
    ".inf",
    "2001-01-01",
    "12:30:45",
    "- item",
    "key: value # not a comment",
    "  blanks around  ",
    "a\ttab, a \"quote\", a 'quote', a \\",
    "one\ntwo\r\nthree\n\n",
    "zwölf Boxkämpfer 🥊 \u{200f}\u{202e}",
    "\u{2028}\u{2029}\u{feff}",
    "%TAG ! | > & * ? @ `",
    "",
];

/// Label values that readers of YAML take for something else.
const LABELS: [&str; 8] = ["true", "null", "1e3", "0x1F", "012", "NO", "1_000", "2001-01-01"];

fn label(number: usize) -> &'static str {
    LABELS[number % LABELS.len()]
}

fn metadata(name: &str, number: usize) -> Value {
    json!({
        "name": name,
        "labels": {"odd": label(number), "app.kubernetes.io/version": label(number + 3)},
        "annotations": {"example.com/note": TEXTS[number % TEXTS.len()]},
    })
}

fn maps() -> impl Iterator<Item = Value> {
    TEXTS.iter().enumerate().map(|(number, odd)| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": metadata(&format!("map-{number}"), number),
            "data": {"odd": odd, format!("{}.key", label(number)): "v".repeat(number * 211)},
            "binaryData": {"bytes": "AP/+"},
            "immutable": number % 2 == 0,
        })
    })
}

fn deployments() -> impl Iterator<Item = Value> {
    (0..10).map(|number| {
        let containers: Vec<Value> = (0..=number % 3)
            .map(|container| {
                json!({
                    "name": format!("c{container}"),
                    "image": format!("registry.example.com:5000/team/app-{number}@sha256:{}", "0123456789abcdef".repeat(4)),
                    "env": [{"name": "ODD", "value": TEXTS[(number + container) % TEXTS.len()]}],
                    "resources": {"limits": {"cpu": "100m", "memory": "1.5Gi"}},
                })
            })
            .collect();
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": metadata(&format!("app-{number}"), number),
            "spec": {
                // Nothing is to change while the test looks.
                "replicas": 0,
                "selector": {"matchLabels": {"app": format!("app-{number}")}},
                "template": {
                    "metadata": {"labels": {"app": format!("app-{number}")}},
                    "spec": {"containers": containers, "serviceAccountName": "default"},
                },
            },
        })
    })
}

fn services() -> impl Iterator<Item = Value> {
    (0..10).map(|number| {
        let spec = match number % 3 {
            0 => json!({"type": "ExternalName", "externalName": "db.example.com"}),
            1 => json!({"clusterIP": "None", "selector": {"odd": label(number)}, "ports": [{"port": 80}]}),
            _ => json!({"selector": {"odd": label(number)}, "ports": [
                {"name": "dns", "port": 53, "protocol": "UDP"}, {"name": "web", "port": 443, "targetPort": "https"},
            ]}),
        };
        json!({
            "apiVersion": "v1", "kind": "Service",
            "metadata": metadata(&format!("svc-{number}"), number), "spec": spec,
        })
    })
}

#[test]
fn ready_made_profiles_give_the_same_rows_live_and_from_a_dump() {
    let namespace = Namespace::new();
    let objects: Vec<Value> = maps().chain(deployments()).chain(services()).collect();
    namespace.create(&objects);
    let kinds = "deployments,configmaps,services";
    let output = ["--kind", kinds, "--output", "ndjson"];
    let (live, dumps) = namespace.while_still(kinds, || {
        let from = [
            "collect",
            "--kubeconfig",
            namespace.kubeconfig(),
            "--namespace",
            &namespace.name,
        ];
        kollect(&[&from[..], &output].concat()).complete()
    });
    // One more is in every namespace.
    assert_eq!(live.lines().count(), objects.len() + 1);
    for dump in dumps {
        let offline = kollect_with_input(&[&["collect", "--from", "-"][..], &output].concat(), &dump).complete();
        assert!(offline == live, "{}", difference(&live, &offline));
    }
}

/// A custom kind whose definition goes away with this value.
struct Kind<'a> {
    namespace: &'a Namespace,
    group: String,
}

impl<'a> Kind<'a> {
    fn new(namespace: &'a Namespace) -> Self {
        let group = format!("{}.example.com", namespace.name);
        let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("oddities.{group}")},
            "spec": {
                "group": group, "scope": "Namespaced",
                "names": {"plural": "oddities", "singular": "oddity", "kind": "Oddity"},
                "versions": [
                    {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}},
                ],
            },
        });
        namespace.create(&[definition]);
        let kind = Self { namespace, group };
        let name = format!("crd/{}", kind.resources());
        namespace.kubectl(&["wait", "--for=condition=Established", "--timeout=60s", &name]);
        kind
    }

    fn resources(&self) -> String {
        format!("oddities.{}", self.group)
    }

    fn object(&self, number: usize) -> Value {
        let numbers = json!([
            0,
            -1,
            1.0,
            0.1,
            1e21,
            1.5e-7,
            9_007_199_254_740_993_i64,
            i64::MIN,
            i64::MAX,
            -0.0,
            123_456_789.125,
        ]);
        json!({
            "apiVersion": format!("{}/v1", self.group), "kind": "Oddity",
            "metadata": metadata(&format!("odd-{number}"), number),
            "spec": {
                "numbers": numbers, "text": TEXTS[number], "none": null, "empty": {}, "list": [[], [null, true]],
                label(number): "a key",
            },
        })
    }
}

impl Drop for Kind<'_> {
    fn drop(&mut self) {
        let name = self.resources();
        let arguments = ["delete", "crd", &name, "--wait=false"];
        // What is left goes away with the control plane.
        let _ = self.namespace.cluster.kubectl(&arguments, None);
    }
}

/// Profiles and targets that select by labels, names and namespaces.
fn definitions(namespace: &str, group: &str) -> String {
    format!(
        r#"
apiVersion: kollect.dev/v1alpha1
kind: KollectProfile
metadata: {{name: maps}}
spec:
  targetGVK: {{version: v1, kind: ConfigMap}}
  attributes:
    - {{name: notes, path: $.metadata.annotations, type: map, optional: true}}
    - {{name: data, path: $.data, type: map, optional: true}}
    - {{name: bytes, path: $.binaryData, type: map, optional: true}}
    - {{name: size, path: 'cel:has(object.data) ? object.data.map(k, size(object.data[k])) : null', optional: true}}
---
apiVersion: kollect.dev/v1alpha1
kind: KollectProfile
metadata: {{name: oddities}}
spec:
  targetGVK: {{group: {group}, version: v1, kind: Oddity}}
  attributes:
    - {{name: spec, path: $.spec, type: map}}
    - {{name: first, path: '$.spec.numbers[2]'}}
---
apiVersion: kollect.dev/v1alpha1
kind: KollectTarget
metadata: {{name: labelled}}
spec:
  profileRef: maps
  includedNamespaces: [{namespace}]
  labelSelector:
    matchExpressions:
      - {{key: odd, operator: In, values: ["true", "1e3", "NO"]}}
      - {{key: missing, operator: DoesNotExist}}
---
apiVersion: kollect.dev/v1alpha1
kind: KollectTarget
metadata: {{name: named}}
spec:
  profileRef: maps
  includedNamespaces: [{namespace}]
  names: [map-1, map-15, map-17, not-there]
---
apiVersion: kollect.dev/v1alpha1
kind: KollectTarget
metadata: {{name: oddities}}
spec:
  profileRef: oddities
  includedNamespaces: [{namespace}]
"#
    )
}

#[test]
fn own_profiles_and_targets_give_the_same_rows_live_and_from_a_dump() {
    let namespace = Namespace::new();
    let kind = Kind::new(&namespace);
    let odd = (0..TEXTS.len() - 1).map(|number| kind.object(number));
    namespace.create(&maps().chain(odd).collect::<Vec<_>>());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("definitions.yaml");
    fs::write(&file, definitions(&namespace.name, &kind.group)).unwrap();
    let output = ["--config", text(folder.path()), "--output", "ndjson"];
    let resources = format!("configmaps,{}", kind.resources());
    let (live, dumps) = namespace.while_still(&resources, || {
        kollect(&[&["collect", "--kubeconfig", namespace.kubeconfig()][..], &output].concat()).complete()
    });
    let of = |target: &str| {
        live.lines()
            .filter(|line| line.contains(&format!("\"targetName\":\"{target}\"")))
            .count()
    };
    // Of twenty maps, label values repeat every eight: "true" is of 0, 8, 16; "1e3" of 2, 10, 18; "NO" of 5 and 13.
    assert_eq!(
        (of("labelled"), of("named"), of("oddities")),
        (8, 3, TEXTS.len() - 1),
        "{live}"
    );
    for dump in dumps {
        let offline = kollect_with_input(&[&["collect", "--from", "-"][..], &output].concat(), &dump).complete();
        assert!(offline == live, "{}", difference(&live, &offline));
    }
}

/// The first place that differs.
fn difference(live: &str, offline: &str) -> String {
    let same = live
        .chars()
        .zip(offline.chars())
        .take_while(|(live, offline)| live == offline);
    let begin = same.count().saturating_sub(300);
    let excerpt = |text: &str| text.chars().skip(begin).take(400).collect::<String>();
    format!("live: …{:?}…\noffline: …{:?}…", excerpt(live), excerpt(offline))
}
