//! Which watches are opened for a set of registrations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::registration::Registration;
use crate::extract::mask::Mask;
use crate::ids::{Gvk, TargetKey, WatchScope};

/// One watch, shared by all targets that need the same kind, scope and label selector.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionKey {
    /// Kind.
    pub gvk: Gvk,
    /// Part of the cluster.
    pub scope: WatchScope,
    /// Label selector that the API server applies.
    pub label_selector: Option<String>,
}

/// Most different label selectors of one kind that are sent to the API server as watches of their own. Beyond that
/// one unfiltered watch is cheaper for it than many filtered ones.
const SELECTORS_LIMIT: usize = 4;

/// The watches for a set of registrations; every registration is in one for each of its scopes.
pub fn sessions<'a>(
    registrations: impl Iterator<Item = (&'a Arc<Registration>, &'a [WatchScope])> + Clone,
) -> BTreeMap<SessionKey, Vec<Arc<Registration>>> {
    let parts = registrations.flat_map(|(registration, scopes)| {
        let gvk = registration.profile.gvk();
        let part = move |scope: &WatchScope| ((gvk.clone(), scope.clone()), registration);
        scopes.iter().map(part)
    });
    let mut selectors: BTreeMap<(Gvk, WatchScope), BTreeSet<Option<String>>> = BTreeMap::new();
    for (part, registration) in parts.clone() {
        let selector = registration.selection.server_label_selector();
        selectors.entry(part).or_default().insert(selector);
    }
    let mut sessions: BTreeMap<SessionKey, Vec<Arc<Registration>>> = BTreeMap::new();
    for (part, registration) in parts {
        let own = &selectors[&part];
        let shared = own.contains(&None) || own.len() > SELECTORS_LIMIT;
        let key = SessionKey {
            gvk: part.0,
            scope: part.1,
            label_selector: if shared {
                None
            } else {
                registration.selection.server_label_selector()
            },
        };
        sessions.entry(key).or_default().push(registration.clone());
    }
    sessions
}

/// Identity of a session's registrations: a session whose set changes is opened anew.
pub fn members(registrations: &[Arc<Registration>]) -> Vec<(TargetKey, u64)> {
    registrations
        .iter()
        .map(|registration| (registration.target.clone(), registration.epoch.0))
        .collect()
}

/// The parts of an object that any of the registrations reads.
pub fn mask(registrations: &[Arc<Registration>]) -> Mask {
    let mut mask = Mask::default();
    for path in [["metadata", "labels"], ["metadata", "name"], ["metadata", "namespace"]] {
        mask.keep(path);
    }
    for registration in registrations {
        mask.merge(registration.profile.mask());
        for predicate in registration.selection.predicates() {
            mask.merge(&predicate.mask());
        }
    }
    mask
}
