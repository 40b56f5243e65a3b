//! Folder layout of Git sinks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::template::{PATH_TEMPLATE, RESOURCE_TEMPLATE, TEMPLATE_LENGTH};

/// Folders and files of an exported inventory.
// No member has a default in the schema: what the author left out is decided at run time, from what the rows contain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Layout {
    /// `document`: one file per inventory. `perResource`: one file per resource. `split`: one file per resource and an
    /// index. When left out: `perResource` if rows carry whole objects, else `document`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<LayoutMode>,
    /// `item`: the whole row. `attributes`: its attributes. `manifest`: the embedded object, ready to apply. When left
    /// out: `manifest` if rows carry whole objects, else `item`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<LayoutContent>,
    /// Path of the file of one resource. Must contain `{sourceName}`, `{name}` or `{uid}`; may contain `{cluster}`,
    /// `{namespace}`, `{targetNamespace}`, `{targetName}`, `{sourceNamespace}`, `{group}`, `{kind}`, `{generation}` and
    /// `{extension}`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = TEMPLATE_LENGTH), extend("x-kubernetes-validations" = RESOURCE_TEMPLATE))]
    pub path_template: String,
    /// The file that lists all resources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<LayoutIndex>,
    /// Spelling of file names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<LayoutFilename>,
}

/// How many files an inventory becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LayoutMode {
    /// One file per inventory.
    Document,
    /// One file per resource.
    PerResource,
    /// One file per resource, and an index.
    Split,
}

/// What a file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LayoutContent {
    /// The row.
    Item,
    /// The attributes of the row.
    Attributes,
    /// The embedded object.
    Manifest,
}

/// The index file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LayoutIndex {
    /// Write the index; true for `split` and false otherwise when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Path of the index. Must contain `{namespace}` and `{name}`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = TEMPLATE_LENGTH), extend("x-kubernetes-validations" = PATH_TEMPLATE))]
    pub path_template: String,
}

/// Spelling of file names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LayoutFilename {
    /// How `{group}` is written: `auto` (left out for the core group), `always` (`core` for the core group) or `never`
    /// (left out). `auto` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_in_path: Option<GroupInPath>,
    /// Write kinds in lower case; true when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lowercase_kind: Option<bool>,
    /// Longest segment of a path in characters; 63 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_segment_length: Option<i32>,
}

/// How the API group is written in a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GroupInPath {
    /// Nothing for the core group.
    Auto,
    /// `core` for the core group.
    Always,
    /// Nothing.
    Never,
}
