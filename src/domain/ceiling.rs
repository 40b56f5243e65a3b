//! The policy in force over a namespace or over the cluster kinds: all its scopes together.
//!
//! What one scope denies is denied, and only what all scopes allow is allowed. What cannot be known is refused, never
//! assumed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::config::scope::ScopeSpec;
use crate::config::{Configuration, PolicyArea, Resource};
use crate::ids::{Gvk, SinkFamily};
use crate::selection::namespaces::CLUSTER_SCOPED;

/// All scopes that govern one namespace, or all that govern the cluster kinds.
///
/// **Shape**: in the order of their names; none = nothing is restricted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ceiling {
    scopes: Vec<(String, Arc<ScopeSpec>)>,
}

impl Ceiling {
    /// The policy over a namespace; over the cluster kinds when `namespace` is empty.
    ///
    /// # Errors
    /// Why it is not known: scopes could not be read at all, or one of them cannot be understood.
    pub fn over(namespace: &str, configuration: &Configuration) -> Result<Self, String> {
        let (kind, areas) = if namespace.is_empty() {
            ("KollectClusterScope", vec![PolicyArea::ClusterKinds])
        } else {
            let own = PolicyArea::Namespace(namespace.into());
            ("KollectScope", vec![PolicyArea::AllNamespaces, own])
        };
        if let Some(why) = areas.iter().find_map(|area| configuration.unread_policy.get(area)) {
            return Err(format!("{kind} objects cannot be read, so nothing is allowed: {why}"));
        }
        let own = |resource: &&Resource<ScopeSpec>| *resource.key.namespace == *namespace;
        let mut scopes = Vec::new();
        for resource in configuration.scopes.values().filter(own) {
            let name = format!("{kind} {}", resource.key.name);
            match &resource.spec {
                Ok(spec) => scopes.push((name, spec.clone())),
                Err(invalid) => {
                    return Err(format!("{name} cannot be understood, so nothing is allowed: {invalid}"));
                }
            }
        }
        Ok(Self { scopes })
    }

    /// Whether nothing is restricted.
    pub fn is_open(&self) -> bool {
        self.scopes.is_empty()
    }

    /// Whether objects of a namespace may be collected; empty = cluster-scoped objects, for which `default` stands.
    pub fn admits(&self, namespace: &str) -> bool {
        let namespace = if namespace.is_empty() {
            CLUSTER_SCOPED
        } else {
            namespace
        };
        self.refusing(|scope| admits(scope, namespace)).is_none()
    }

    /// Why a namespace may not be collected from, naming the scope and its field.
    pub fn namespace_denial(&self, namespace: &str) -> Option<String> {
        let (name, scope) = self.refusing(|scope| admits(scope, namespace))?;
        Some(if scope.denied_namespaces.contains(namespace) {
            format!("namespace {namespace} is in spec.deniedNamespaces of {name}")
        } else {
            format!("namespace {namespace} is not in spec.allowedNamespaces of {name}")
        })
    }

    /// Why a kind may not be collected.
    pub fn kind_denial(&self, gvk: &Gvk) -> Option<String> {
        let (name, _) = self.refusing(|scope| {
            scope.allowed_kinds.is_empty() || scope.allowed_kinds.iter().any(|allowed| is_same(allowed, gvk))
        })?;
        Some(format!("kind {gvk} is not in spec.allowedGVKs of {name}"))
    }

    /// Why a sink may not be exported to.
    pub fn sink_denial(&self, family: SinkFamily, sink: &str) -> Option<String> {
        let (name, _) = self.refusing(|scope| {
            let allowed = scope.allowed_sinks.get(&family);
            allowed.is_none_or(|names| allows(names, sink))
        })?;
        let field = family.id();
        Some(format!("sink {sink} is not in spec.{field}SinkRefs of {name}"))
    }

    /// Why a cluster kind may not use a profile or a sink of a namespace.
    pub fn reference_denial(&self, namespace: &str) -> Option<String> {
        let (name, _) = self.refusing(|scope| allows(&scope.allowed_reference_namespaces, namespace))?;
        Some(format!(
            "namespace {namespace} is not in spec.allowedStaticRefNamespaces of {name}"
        ))
    }

    /// The first scope that does not allow something, with its name.
    fn refusing(&self, allows: impl Fn(&ScopeSpec) -> bool) -> Option<(&str, &ScopeSpec)> {
        let mut scopes = self.scopes.iter().map(|(name, scope)| (name.as_str(), &**scope));
        scopes.find(|(_, scope)| !allows(scope))
    }

    /// Least interval between exports of an unchanged inventory: the greatest of all scopes.
    pub fn interval_floor(&self) -> Option<Duration> {
        self.scopes
            .iter()
            .filter_map(|(_, scope)| scope.min_export_interval)
            .max()
    }
}

fn admits(scope: &ScopeSpec, namespace: &str) -> bool {
    !scope.denied_namespaces.contains(namespace) && allows(&scope.allowed_namespaces, namespace)
}

/// An empty list restricts nothing.
fn allows(listed: &BTreeSet<String>, name: &str) -> bool {
    listed.is_empty() || listed.contains(name)
}

fn is_same(a: &Gvk, b: &Gvk) -> bool {
    a.group.eq_ignore_ascii_case(&b.group)
        && a.version.eq_ignore_ascii_case(&b.version)
        && a.kind.eq_ignore_ascii_case(&b.kind)
}
