//! Finding out how the API server serves a kind: its plural and its scope, never guessed.
//!
//! One small GET of the group's version document per look-up. Where the version is not served, the group's document says
//! which others are: a removed version does not end the collection of a kind that goes on under another. It needs no
//! permission on custom resource definitions, and a kind that is not served yet can simply be asked for again.

use std::time::Duration;

use http::Request;
use kollect_domain::ids::Gvk;
use kube::Client;
use serde::Deserialize;

use super::client::{ApiError, fetch_json};

/// Discovery documents are small and served from memory.
const DEADLINE: Duration = Duration::from_secs(15);

/// How the API server serves a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedKind {
    /// The kind in the version to ask for, which is another than was looked up if that one is not served.
    pub gvk: Gvk,
    /// Plural name, as it stands in paths.
    pub plural: String,
    /// True when objects live in namespaces.
    pub namespaced: bool,
}

/// Why a kind could not be resolved.
#[derive(Debug, thiserror::Error)]
pub enum DiscoveryError {
    /// The group, version or kind is not served, or cannot be listed and watched.
    #[error("{gvk} is not served by the cluster: {detail}")]
    NotServed {
        /// The kind.
        gvk: Gvk,
        /// What is missing and what to do about it.
        detail: String,
    },
    /// The operator may not read the discovery document.
    #[error("{gvk} cannot be looked up: bind the operator to the ClusterRole system:discovery")]
    Forbidden {
        /// The kind.
        gvk: Gvk,
        /// The server's answer.
        source: Box<ApiError>,
    },
    /// The API server, or the server it delegates the group to, does not answer.
    #[error("{gvk} cannot be looked up at present")]
    Unavailable {
        /// The kind.
        gvk: Gvk,
        /// What happened.
        source: Box<ApiError>,
    },
}

/// Looks a kind up; group and kind must match exactly, and the version if the kind is served in it. Otherwise it is
/// resolved in the version that the server prefers among those that have the kind.
///
/// # Errors
/// [`DiscoveryError`].
///
/// **Source**: Kubernetes API concepts, "API discovery" (unaggregated discovery).
pub async fn resolve(client: &Client, gvk: &Gvk) -> Result<ServedKind, DiscoveryError> {
    let exact = resolve_exactly(client, gvk).await;
    // The core group has one version and no document of its own.
    if gvk.group.is_empty() || !matches!(exact, Err(DiscoveryError::NotServed { .. })) {
        return exact;
    }
    for version in other_versions(client, gvk).await {
        let other = Gvk::new(&gvk.group, &version, &gvk.kind);
        if let Ok(served) = resolve_exactly(client, &other).await {
            return Ok(served);
        }
    }
    exact
}

/// Versions of the group other than the kind's, the server's preference first; none if it cannot be asked.
async fn other_versions(client: &Client, gvk: &Gvk) -> Vec<String> {
    let Some(request) = group_version_path(gvk)
        .and_then(|path| path.rsplit_once('/').map(|(group, _)| group.to_owned()))
        .and_then(|path| Request::get(path).body(Vec::new()).ok())
    else {
        return Vec::new();
    };
    let operation = format!("look up the versions of {}", gvk.group);
    let group = fetch_json::<Group>(client, &operation, request, DEADLINE).await;
    group.map(|group| group.others(&gvk.version)).unwrap_or_default()
}

async fn resolve_exactly(client: &Client, gvk: &Gvk) -> Result<ServedKind, DiscoveryError> {
    let Some(path) = group_version_path(gvk) else {
        return Err(not_served(gvk, "its group or version is not a valid name"));
    };
    let operation = format!("look up {gvk}");
    let request = Request::get(path).body(Vec::new());
    let Ok(request) = request else {
        return Err(not_served(gvk, "its group or version is not a valid name"));
    };
    match fetch_json::<ResourceList>(client, &operation, request, DEADLINE).await {
        Ok(document) => find(gvk, &document.resources),
        Err(error) if error.has_code(404) => Err(not_served(
            gvk,
            "the group or version does not exist; install its CustomResourceDefinition or correct targetGVK",
        )),
        Err(source) if source.has_code(403) => Err(DiscoveryError::Forbidden {
            gvk: gvk.clone(),
            source: Box::new(source),
        }),
        Err(source) => Err(DiscoveryError::Unavailable {
            gvk: gvk.clone(),
            source: Box::new(source),
        }),
    }
}

fn find(gvk: &Gvk, resources: &[ApiResource]) -> Result<ServedKind, DiscoveryError> {
    // Subresources (`deployments/scale`) are listed beside the resources and may repeat their kind.
    let resource = resources
        .iter()
        .find(|resource| resource.kind == *gvk.kind && !resource.name.contains('/'));
    let Some(resource) = resource else {
        return Err(not_served(
            gvk,
            "its group and version exist, the kind does not; kinds are case-sensitive",
        ));
    };
    for verb in ["list", "watch"] {
        if !resource.verbs.iter().any(|offered| offered == verb) {
            return Err(not_served(
                gvk,
                &format!("the kind exists and does not offer {verb}, so it cannot be collected"),
            ));
        }
    }
    Ok(ServedKind {
        gvk: gvk.clone(),
        plural: resource.name.clone(),
        namespaced: resource.namespaced,
    })
}

fn not_served(gvk: &Gvk, detail: &str) -> DiscoveryError {
    DiscoveryError::NotServed {
        gvk: gvk.clone(),
        detail: detail.to_owned(),
    }
}

/// Path of a group's version document; `None` when a part could change the path's meaning.
fn group_version_path(gvk: &Gvk) -> Option<String> {
    let plain = |part: &str| {
        !part.starts_with('.')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.')
    };
    if gvk.version.is_empty() || !plain(&gvk.version) || !plain(&gvk.group) {
        return None;
    }
    Some(if gvk.group.is_empty() {
        format!("/api/{}", gvk.version)
    } else {
        format!("/apis/{}/{}", gvk.group, gvk.version)
    })
}

/// **Source**: `APIGroup` of `meta/v1`; versions are sorted by priority.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    versions: Vec<GroupVersion>,
    preferred_version: Option<GroupVersion>,
}

#[derive(Debug, Deserialize)]
struct GroupVersion {
    version: String,
}

impl Group {
    fn others(self, than: &str) -> Vec<String> {
        let mut others: Vec<String> = Vec::with_capacity(self.versions.len());
        for GroupVersion { version } in self.preferred_version.into_iter().chain(self.versions) {
            if version != than && !others.contains(&version) {
                others.push(version);
            }
        }
        others
    }
}

#[derive(Debug, Deserialize)]
struct ResourceList {
    #[serde(default)]
    resources: Vec<ApiResource>,
}

#[derive(Debug, Deserialize)]
struct ApiResource {
    name: String,
    kind: String,
    namespaced: bool,
    #[serde(default)]
    verbs: Vec<String>,
}

#[cfg(test)]
mod tests;
