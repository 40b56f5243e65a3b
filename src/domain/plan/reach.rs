//! Which parts of the cluster are listed and watched for a target.
//!
//! One list over the whole cluster is the cheapest, unless a target can have objects in few namespaces only, or the
//! operator may not read all of them. What the operator may read is found out by trying.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::registration::Registration;
use crate::ids::{Gvk, WatchScope};
use crate::selection::namespaces::Namespaces;

/// Most namespaces that are listed one by one because the whole cluster may not be: each has a watch of its own.
const FALLBACK_LIMIT: usize = 256;
/// A target that names no more namespaces than this has a watch in each; above that one watch of everything is cheaper
/// for the API server.
const NAMED_LIMIT: usize = 8;

/// What was found out about reading kinds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reach {
    always_whole: bool,
    forbidden: BTreeSet<Gvk>,
    cluster_scoped: BTreeSet<Gvk>,
}

/// Something that was found out about a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// Reading it from the whole cluster is forbidden.
    Forbidden,
    /// Reading it from the whole cluster is allowed.
    Allowed,
    /// Its objects have no namespace.
    ClusterScoped,
}

impl Reach {
    /// For those who want everything in one go as long as that is allowed, whatever targets name.
    pub fn whole() -> Self {
        Self {
            always_whole: true,
            ..Self::default()
        }
    }

    /// Takes a finding; true if it is new.
    pub fn learn(&mut self, gvk: &Gvk, finding: Finding) -> bool {
        match finding {
            Finding::Forbidden => self.forbidden.insert(gvk.clone()),
            Finding::Allowed => self.forbidden.remove(gvk),
            Finding::ClusterScoped => self.cluster_scoped.insert(gvk.clone()),
        }
    }

    /// Kinds that may not be read from the whole cluster at present, although that would be the better way.
    pub fn forbidden(&self) -> impl Iterator<Item = &Gvk> {
        self.forbidden.iter().filter(|gvk| !self.is_cluster_scoped(gvk))
    }

    /// Whether objects of the kind are known to have no namespace.
    pub fn is_cluster_scoped(&self, gvk: &Gvk) -> bool {
        self.cluster_scoped.contains(gvk)
    }

    /// Forgets kinds that nobody collects any more.
    pub fn retain(&mut self, is_collected: impl Fn(&Gvk) -> bool) {
        self.forbidden.retain(&is_collected);
        self.cluster_scoped.retain(&is_collected);
    }

    /// What is listed for a target, ascending.
    pub fn scopes(&self, registration: &Registration, only_namespaces: bool, known: &Namespaces) -> Vec<WatchScope> {
        let gvk = registration.profile.gvk();
        let may_be_whole = !self.forbidden.contains(gvk);
        if (self.always_whole && may_be_whole) || self.is_cluster_scoped(gvk) {
            return vec![WatchScope::Cluster];
        }
        let one_by_one = only_namespaces || !may_be_whole;
        let filter = registration.selection.namespaces();
        let namespaces: Vec<WatchScope> = match filter.named() {
            Some(named) if one_by_one || named.len() <= NAMED_LIMIT => named.into_iter().map(scope).collect(),
            // Not knowing any namespace is no reason to take the target for empty: every cluster has some.
            None if one_by_one && !known.is_empty() => filter.effective(known).iter().map(|name| scope(name)).collect(),
            Some(_) | None => return vec![WatchScope::Cluster],
        };
        if namespaces.len() > FALLBACK_LIMIT && !only_namespaces {
            return vec![WatchScope::Cluster];
        }
        namespaces
    }
}

fn scope(namespace: &str) -> WatchScope {
    WatchScope::Namespace(Arc::from(namespace))
}
