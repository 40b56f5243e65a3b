//! What a source reads: paths, queries, and how to name it to people.

use http::Request;
use kollect_domain::ids::{Gvk, WatchScope};
use kube::core::params::{ListParams, WatchParams};
use kube::core::{ApiResource, DynamicObject, Resource};

use crate::kube::discovery::ServedKind;

/// One kind in one scope, as the API server serves it.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) gvk: Gvk,
    pub(super) plural: String,
    /// Namespace of the requests; `None` = all.
    pub(super) namespace: Option<String>,
    pub(super) label_selector: Option<String>,
}

/// The kind lives outside namespaces, so it cannot be read in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotNamespaced;

impl Target {
    /// A kind in a scope.
    ///
    /// # Errors
    /// [`NotNamespaced`] for one namespace of a cluster-scoped kind. Reading it from the whole cluster instead would
    /// widen what was asked for.
    pub(super) fn new(
        served: &ServedKind,
        scope: &WatchScope,
        label_selector: Option<&str>,
    ) -> Result<Self, NotNamespaced> {
        let namespace = match scope {
            WatchScope::Cluster => None,
            WatchScope::Namespace(_) if !served.namespaced => return Err(NotNamespaced),
            WatchScope::Namespace(name) => Some(name.to_string()),
        };
        Ok(Self {
            gvk: served.gvk.clone(),
            plural: served.plural.clone(),
            namespace,
            label_selector: label_selector.map(str::to_owned),
        })
    }

    /// The request for one page. Without a token it is a consistent read: no version is named, so the answer is at
    /// least as new as everything acknowledged before.
    pub(super) fn list_request(
        &self,
        limit: Option<u32>,
        token: Option<&str>,
    ) -> Result<Request<Vec<u8>>, kube::core::request::Error> {
        let parameters = ListParams {
            label_selector: self.label_selector.clone(),
            limit,
            continue_token: token.map(str::to_owned),
            ..ListParams::default()
        };
        kube::core::Request::new(self.path()).list(&parameters)
    }

    /// The request for changes after `version`.
    pub(super) fn watch_request(
        &self,
        version: &str,
        timeout_seconds: u32,
    ) -> Result<Request<Vec<u8>>, kube::core::request::Error> {
        let parameters = WatchParams {
            label_selector: self.label_selector.clone(),
            timeout: Some(timeout_seconds),
            bookmarks: true,
            ..WatchParams::default()
        };
        kube::core::Request::new(self.path()).watch(&parameters, version)
    }

    fn path(&self) -> String {
        let resource = ApiResource {
            group: self.gvk.group.to_string(),
            version: self.gvk.version.to_string(),
            api_version: if self.gvk.group.is_empty() {
                self.gvk.version.to_string()
            } else {
                format!("{}/{}", self.gvk.group, self.gvk.version)
            },
            kind: self.gvk.kind.to_string(),
            plural: self.plural.clone(),
        };
        DynamicObject::url_path(&resource, self.namespace.as_deref())
    }
}

impl std::fmt::Display for Target {
    /// `deployments.apps in namespace shop`, `pods in all namespaces`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.plural)?;
        if !self.gvk.group.is_empty() {
            write!(f, ".{}", self.gvk.group)?;
        }
        match &self.namespace {
            Some(namespace) => write!(f, " in namespace {namespace}"),
            None => f.write_str(" in the whole cluster"),
        }
    }
}
