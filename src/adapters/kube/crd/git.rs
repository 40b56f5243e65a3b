//! Settings of Git sinks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reference::SecretReference;
use super::schema::Rule;

/// Names of branches: the part of `git check-ref-format` that needs no quoting anywhere.
const BRANCH: &[Rule] = &[
    Rule::invalid(
        "self.trim() == '' || self.trim().matches('^[A-Za-z0-9][A-Za-z0-9._/-]*$')",
        "must begin with a letter or digit and consist of letters, digits and . _ / -",
    ),
    Rule::invalid(
        "!self.contains('..') && !self.trim().endsWith('.') && !self.trim().endsWith('.lock')",
        "must not contain .. nor end with . or .lock",
    ),
    Rule::invalid(
        "!self.trim().startsWith('refs/')",
        "must be the name of a branch: leave out refs/heads/",
    ),
];

const AUTH: &[Rule] = &[Rule::required(
    "!has(self.secretRef) || self.secretRef.name.trim() != ''",
    "must name a Secret",
)
.at(".secretRef.name")];

/// Settings of types git and gitlab.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitSettings {
    /// Branch to commit to. When left out: the fragment `#branch=…` of the endpoint, or the default branch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 1024), extend("x-kubernetes-validations" = BRANCH))]
    pub branch: String,
    /// `Commit` adds commits, `ForcePush` rewrites the branch. `Commit` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push_policy: Option<PushPolicy>,
    /// How Kollect logs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = AUTH))]
    pub auth: Option<GitAuth>,
    /// Subject of a commit. May contain `{namespace}`, `{name}`, `{cluster}`, `{generation}`, `{itemCount}`,
    /// `{checksum}`, `{checksumShort}`, `{exportedAt}`, `{sink}` and `{path}`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit_message: String,
    /// Body of a commit, with the same placeholders.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit_body: String,
    /// Trailers of a commit, with the same placeholders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commit_trailers: Vec<String>,
    /// Author of commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<GitAuthor>,
    /// Number of commits to fetch; 1 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub clone_depth: Option<i32>,
    /// Remove stale files in layout mode `document` too; the other modes always do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prune: bool,
    /// `go-git` works inside of Kollect, `cli` runs the program git. `go-git` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<GitEngine>,
    /// Send credentials with the first request instead of waiting to be asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force_basic_auth: bool,
}

/// How a branch is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PushPolicy {
    /// Commits are added.
    Commit,
    /// The branch is rewritten.
    ForcePush,
}

/// Git credentials.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitAuth {
    /// `token` or `ssh`. When left out: what suits the endpoint.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_: Option<GitAuthType>,
    /// Secret with the credentials; `spec.secretRef` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretReference>,
}

/// Kind of Git credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GitAuthType {
    /// A token or password over HTTP.
    Token,
    /// An SSH key.
    Ssh,
}

/// Author of commits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GitAuthor {
    /// Name; `kollect` when left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// E-mail address; `kollect@kollect.dev` when left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub email: String,
}

/// Which implementation of Git is used. Both give the same result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum GitEngine {
    /// The one inside of Kollect; its name is kept for existing manifests.
    #[serde(rename = "go-git")]
    InProcess,
    /// The program git.
    #[serde(rename = "cli")]
    Cli,
}

/// Settings of type gitlab.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitLabSettings {
    /// Merge requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_request: Option<MergeRequest>,
}

/// How changes reach the target branch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergeRequest {
    /// `direct` commits to the branch, `merge_request` opens a merge request. `direct` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<MergeRequestMode>,
    /// Branch that merge requests aim at; needed with `merge_request`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target_branch: String,
    /// Beginning of the names of branches; `kollect` when left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub branch_prefix: String,
    /// Title of merge requests. May contain `{namespace}` and `{name}`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title_template: String,
    /// Reserved; it has no effect yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auto_merge: bool,
}

/// Whether merge requests are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MergeRequestMode {
    /// Commits go to the branch.
    Direct,
    /// A merge request is opened.
    MergeRequest,
}
