//! Rows about profiles and everything else.

use serde_json::{Value, json};

use super::Expected::{Accepted, LeftTo, Refused};
use super::Rows;

pub fn profiles() -> Rows {
    let kind = json!({"group": "apps", "version": "v1", "kind": "Deployment"});
    let path = |path: &str, expected| {
        let attributes = json!([{"name": "value", "path": path}]);
        (
            "KollectProfile",
            json!({"targetGVK": {"version": "v1", "kind": "Secret"}, "attributes": attributes}),
            expected,
        )
    };
    let replicas = json!([{"name": "replicas", "path": "$.spec.replicas"}]);
    let metric = |metric: Value, expected| {
        (
            "KollectProfile",
            json!({"targetGVK": kind, "attributes": replicas, "metrics": [metric]}),
            expected,
        )
    };
    const COMPILER: &str = "the compiler of profiles, which reports it as a condition, and admission";
    let mut rows = vec![
        path("$.spec.x", Accepted),
        path("cel:object.spec.x", Accepted),
        path("helm:release.chart.metadata.name", Accepted),
        path("helm:release.config", Accepted),
        path("objectives", Accepted),
        path("object.spec.x", Refused("with the prefix cel:")),
        path("object[\"spec\"]", Refused("with the prefix cel:")),
        path(" ", Refused("must not be blank")),
        path("helm:release.", Refused("must name a field of the release")),
        path("helm:release.manifest", Refused("must name a field of the release")),
        path(
            "helm:release.chart.files.a",
            Refused("must name a field of the release"),
        ),
        path("helm:release.manifests", Accepted),
        path("cel:1 +", LeftTo(COMPILER)),
        path(
            "$.data.k",
            LeftTo("admission and run time: a rule of the spec cannot see annotations"),
        ),
        metric(
            json!({"name": "m", "path": "replicas", "labels": ["replicas"]}),
            Accepted,
        ),
        metric(json!({"name": "m", "path": "ready"}), Refused("the path of a metric")),
        metric(json!({"name": "m", "path": ""}), Refused("spec.metrics[0].path")),
        metric(
            json!({"name": "m", "path": "replicas", "labels": ["owner"]}),
            Refused("the labels of a metric"),
        ),
        metric(
            json!({"name": "m", "path": "replicas", "labels": ["a", "b", "c", "d", "e", "f"]}),
            Refused("spec.metrics[0].labels: Too many"),
        ),
    ];
    let specs = [
        (json!({"targetGVK": kind}), Accepted),
        (
            json!({"targetGVK": {"version": "", "kind": "Deployment"}}),
            Refused("spec.targetGVK.version"),
        ),
        (
            json!({"targetGVK": kind, "export": {}}),
            Refused("spec.attributes: Required value"),
        ),
        (
            json!({"targetGVK": kind, "export": {}, "attributes": replicas}),
            Accepted,
        ),
        (json!({"targetGVK": kind, "export": {"mode": "Resource"}}), Accepted),
        (
            json!({"targetGVK": kind, "export": {"mode": "Resource", "as": "replicas"}, "attributes": replicas}),
            Refused("spec.export.as"),
        ),
        (
            json!({"targetGVK": kind, "export": {"mode": "Attributes", "as": "replicas"}, "attributes": replicas}),
            Accepted,
        ),
        (
            json!({"targetGVK": kind, "attributes": [{"name": "a", "path": "$.a"}, {"name": "a", "path": "$.b"}]}),
            Refused("spec.attributes[1]: Duplicate value"),
        ),
        (
            json!({"targetGVK": kind, "attributes": [{"name": "", "path": "$.a"}]}),
            Refused("spec.attributes[0].name"),
        ),
        (
            json!({"targetGVK": kind, "export": {"mode": "Resource", "prune": {"jsonPointers": ["/a~1b/0", "/~0"]}}}),
            Accepted,
        ),
        (
            json!({"targetGVK": kind, "export": {"mode": "Resource", "prune": {"jsonPointers": ["/a~2"]}}}),
            Refused("spec.export.prune.jsonPointers[0]"),
        ),
        (
            json!({"targetGVK": kind, "export": {"mode": "Resource", "prune": {"jsonPointers": [""]}}}),
            Refused("spec.export.prune.jsonPointers[0]"),
        ),
    ];
    rows.extend(specs.map(|(spec, expected)| ("KollectProfile", spec, expected)));
    rows
}

pub fn others() -> Rows {
    const TEST: &str = "KollectConnectionTest";
    const ONE: &str = "must name exactly one sink";
    const TARGET: &str = "KollectTarget";
    vec![
        (TEST, json!({"sinkRef": {"snapshotSinkRef": "a"}}), Accepted),
        (
            TEST,
            json!({"sinkRef": {"snapshotSinkRef": "", "eventSinkRef": "a"}}),
            Accepted,
        ),
        (
            TEST,
            json!({"sinkRef": {"snapshotSinkRef": "a", "eventSinkRef": "a"}}),
            Refused(ONE),
        ),
        (TEST, json!({"sinkRef": {}}), Refused(ONE)),
        (
            TEST,
            json!({"sinkRef": {"databaseSinkRef": " "}}),
            Refused("spec.sinkRef"),
        ),
        (
            TEST,
            json!({"sinkRef": {"databaseSinkRef": "a/b"}}),
            Refused("spec.sinkRef"),
        ),
        (
            TEST,
            json!({"sinkRef": {"databaseSinkRef": "a"}, "profileRef": "a/b"}),
            Refused("spec.profileRef"),
        ),
        (
            TEST,
            json!({"sinkRef": {"databaseSinkRef": "a"}, "ttlSecondsAfterFinished": -1}),
            Refused("spec.ttlSecondsAfterFinished"),
        ),
        (TARGET, json!({"profileRef": "images"}), Accepted),
        (TARGET, json!({"profileRef": "other/p"}), Refused("spec.profileRef")),
        (TARGET, json!({"profileRef": " "}), Refused("spec.profileRef")),
        (
            TARGET,
            json!({"profileRef": "p", "watchMode": "Maybe"}),
            Refused("spec.watchMode: Unsupported value"),
        ),
        (
            TARGET,
            json!({"profileRef": "p", "includedNamespaces": [""]}),
            Refused("spec.includedNamespaces[0]"),
        ),
        (
            TARGET,
            json!({"profileRef": "p", "excludedNamespaces": ["a", "a"]}),
            Refused("spec.excludedNamespaces[1]: Duplicate value"),
        ),
        (
            TARGET,
            json!({"profileRef": "p", "resourceRules": [{"gvk": {"version": "v1", "kind": ""}}]}),
            Refused("spec.resourceRules[0].gvk.kind"),
        ),
        (
            TARGET,
            json!({"profileRef": "p", "resourceRules": [{"gvk": {"version": "v1", "kind": "Pod"}, "matchPolicy": "1 +"}]}),
            LeftTo("the compiler of targets, which reports it as a condition, and admission"),
        ),
        (
            "KollectScope",
            json!({"allowedGVKs": [{"group": "", "version": "v1", "kind": "Service"}]}),
            Accepted,
        ),
        (
            "KollectScope",
            json!({"minExportInterval": "25h"}),
            Refused("spec.minExportInterval"),
        ),
        (
            "KollectScope",
            json!({"databaseSinkRefs": [""]}),
            Refused("spec.databaseSinkRefs[0]"),
        ),
        (
            "KollectScope",
            json!({"databaseSinkRefs": ["a", "a"]}),
            Refused("spec.databaseSinkRefs[1]: Duplicate value"),
        ),
        (
            "KollectScope",
            json!({"allowedGVKs": [{"version": "v1", "kind": ""}]}),
            Refused("spec.allowedGVKs[0].kind"),
        ),
        (
            "KollectClusterScope",
            json!({"allowedStaticRefNamespaces": ["a", "a"]}),
            Refused("spec.allowedStaticRefNamespaces[1]: Duplicate"),
        ),
    ]
}
