//! `KollectProfile`: what to extract.

use kube::CustomResource;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::reference::GroupVersionKind;
use super::schema::Rule;

/// Limits that make the rules below affordable for the API server; far above what profiles need.
const MAX_ATTRIBUTES: u32 = 256;
const MAX_METRICS: u32 = 64;
const NAME_LENGTH: u32 = 253;
const PATH_LENGTH: u32 = 8192;
const MAX_POINTERS: u32 = 256;
const POINTER_LENGTH: u32 = 1024;

const SPEC: &[Rule] = &[
    Rule::required(
        "!has(self.export) || self.export.mode == 'Resource' || (has(self.attributes) && size(self.attributes) > 0)",
        "an export in mode Attributes needs at least one attribute",
    )
    .at(".attributes"),
    Rule::invalid(
        "!has(self.export) || self.export.mode != 'Resource' || !has(self.attributes) || \
         self.attributes.all(a, a.name != self.export.__as__)",
        "is the name of an attribute: choose another name for the embedded object",
    )
    .at(".export.as"),
    Rule::invalid(
        "!has(self.metrics) || self.metrics.all(m, has(self.attributes) && self.attributes.exists(a, a.name == m.path))",
        "the path of a metric must be the name of an attribute",
    )
    .at(".metrics"),
    Rule::invalid(
        "!has(self.metrics) || self.metrics.all(m, !has(m.labels) || m.labels.all(l, \
         has(self.attributes) && self.attributes.exists(a, a.name == l)))",
        "the labels of a metric must be names of attributes",
    )
    .at(".metrics"),
];

const PATH: &[Rule] = &[
    Rule::invalid("self.trim() != ''", "must not be blank"),
    Rule::invalid(
        "!self.startsWith('object.') && !self.startsWith('object[')",
        "looks like a CEL expression: write it with the prefix cel:",
    ),
    // Prefixes, since a regular expression over every path would be too expensive for the API server.
    Rule::invalid(
        "self != 'helm:release.' && !((self + '.').startsWith('helm:release.manifest.') || \
         (self + '.').startsWith('helm:release.hooks.') || \
         (self + '.').startsWith('helm:release.chart.templates.') || \
         (self + '.').startsWith('helm:release.chart.files.') || \
         (self + '.').startsWith('helm:release.chart.values.') || \
         (self + '.').startsWith('helm:release.chart.raw.'))",
        "must name a field of the release; manifest, hooks and the chart's templates, files, values and raw content can \
         hold credentials and are not available",
    ),
];

const POINTER: &[Rule] = &[Rule::invalid(
    "self.matches('^(/([^~/]|~[01])*)+$')",
    "must be a JSON pointer, such as /spec/replicas; ~ is written ~0, and / inside of a name ~1",
)];

/// What to extract from the resources of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "kollect.dev",
    version = "v1alpha1",
    kind = "KollectProfile",
    namespaced,
    status = "KollectProfileStatus",
    shortname = "kprof",
    category = "kollect",
    doc = "A profile says what to extract from the resources of one kind.",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Kind", "type": "string", "jsonPath": ".spec.targetGVK.kind"}"#,
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].reason"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural, extend("x-kubernetes-validations" = SPEC))]
pub struct KollectProfileSpec {
    /// Kind of the resources to read.
    #[serde(rename = "targetGVK")]
    pub target_gvk: GroupVersionKind,
    /// Values to extract.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = MAX_ATTRIBUTES),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub attributes: Vec<Attribute>,
    /// Export of the whole object. When left out, only the attributes are exported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export: Option<ObjectExport>,
    /// Metrics of the operator that are computed from attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = MAX_METRICS),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub metrics: Vec<ProfileMetric>,
}

/// A value to extract from each resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attribute {
    /// Key of the value in the exported row.
    #[schemars(length(min = 1, max = NAME_LENGTH))]
    pub name: String,
    /// Where the value comes from: a JSONPath such as `$.spec.replicas`, `cel:` and an expression over the variable
    /// `object`, or `helm:release.` and a field of a Helm release.
    #[schemars(length(max = PATH_LENGTH), extend("x-kubernetes-validations" = PATH))]
    pub path: String,
    /// What the value is, as a hint for readers. `list` also turns a single match into an array.
    #[serde(default, rename = "type", skip_serializing_if = "String::is_empty")]
    pub type_: String,
    /// A missing value is not an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// Export of the whole object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectExport {
    /// `Attributes` exports the attributes only, `Resource` the object as well.
    #[serde(default)]
    pub mode: ExportMode,
    /// Key of the embedded object in the exported row.
    #[serde(default = "embedded_object_key", rename = "as")]
    #[schemars(length(max = NAME_LENGTH))]
    pub as_: String,
    /// Parts of the object that are kept: `MetadataOnly`, `SpecOnly`, `StatusOnly`, `SpecAndStatus` or `All`.
    #[serde(default)]
    pub include: ExportInclude,
    /// Leave out name, namespace and uid, which the row has anyway; true when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedupe_identity: Option<bool>,
    /// What is removed from the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prune: Option<ExportPrune>,
}

fn embedded_object_key() -> String {
    "resource".to_owned()
}

/// What a row carries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ExportMode {
    /// The attributes.
    #[default]
    Attributes,
    /// The attributes and the object.
    Resource,
}

/// Parts of an embedded object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ExportInclude {
    /// Metadata.
    MetadataOnly,
    /// The spec.
    SpecOnly,
    /// The status.
    StatusOnly,
    /// Spec and status.
    #[default]
    SpecAndStatus,
    /// Everything.
    All,
}

/// What is removed from an embedded object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportPrune {
    /// Remove what changes without meaning, such as managed fields and resource versions; true when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defaults: Option<bool>,
    /// Fields to remove, as JSON pointers (RFC 6901).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "pointers")]
    pub json_pointers: Vec<String>,
    /// Fields to remove, as JSONPath expressions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub json_paths: Vec<String>,
    /// Names of further fields whose values are redacted; letter case does not matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scrub_keys: Vec<String>,
    /// Fields to remove, as CEL expressions over `object` whose values are JSON pointers or paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cel: Vec<String>,
}

fn pointers(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "maxItems": MAX_POINTERS,
        "items": {
            "type": "string",
            "maxLength": POINTER_LENGTH,
            "x-kubernetes-validations": POINTER,
        },
    })
}

/// A metric that is computed from attributes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileMetric {
    /// Identifier of the series.
    #[schemars(length(min = 1, max = NAME_LENGTH))]
    pub name: String,
    /// Attribute that holds the value.
    #[schemars(length(min = 1, max = NAME_LENGTH))]
    pub path: String,
    /// Attributes that become labels, at most 5.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 5),
        inner(length(min = 1, max = NAME_LENGTH)),
        extend("x-kubernetes-list-type" = "set")
    )]
    pub labels: Vec<String>,
}

/// What is known about a profile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural)]
pub struct KollectProfileStatus {
    /// `Ready`: whether the profile compiles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
    /// The `metadata.generation` that this status is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
}
