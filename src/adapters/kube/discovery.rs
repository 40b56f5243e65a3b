//! Finding out how the API server serves a kind: its plural and its scope, never guessed.
//!
//! One small GET of the group's version document per look-up. It needs no permission on custom resource definitions,
//! and a kind that is not served yet can simply be asked for again.

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

/// Looks a kind up; group, version and kind must match exactly.
///
/// # Errors
/// [`DiscoveryError`].
///
/// **Source**: Kubernetes API concepts, "API discovery" (unaggregated discovery).
pub async fn resolve(client: &Client, gvk: &Gvk) -> Result<ServedKind, DiscoveryError> {
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
