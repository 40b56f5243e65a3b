//! Objects of which a policy failed to say whether they are selected.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use crate::ids::WatchScope;

/// How many objects a target's policies fail for, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyErrors {
    /// Objects that no rule selects while a policy of one fails.
    pub objects: u64,
    /// Why the latest failed; it quotes no value of the object.
    pub latest: Option<String>,
}

/// The objects themselves. Marks are those of the rows: what a later list does not show is forgotten.
#[derive(Debug, Default)]
pub(super) struct Unjudged {
    objects: HashMap<Arc<str>, (WatchScope, u64)>,
    latest: Option<String>,
}

impl Unjudged {
    pub(super) fn note(&mut self, uid: &Arc<str>, seen: (WatchScope, u64), message: String) {
        self.objects.insert(uid.clone(), seen);
        self.latest = Some(message);
    }

    pub(super) fn forget(&mut self, uid: &str) {
        self.objects.remove(uid);
    }

    /// Keeps what is in a scope that is still watched.
    pub(super) fn watch(&mut self, scopes: &[WatchScope]) {
        self.objects.retain(|_, (scope, _)| scopes.contains(scope));
    }

    /// A list of the scope with this mark is done.
    pub(super) fn sweep(&mut self, covers: &WatchScope, mark: u64) {
        self.objects.retain(|_, (scope, seen)| scope != covers || *seen >= mark);
    }

    pub(super) fn report(&self) -> PolicyErrors {
        PolicyErrors {
            objects: self.objects.len() as u64,
            latest: self.latest.clone().filter(|_| !self.objects.is_empty()),
        }
    }
}
