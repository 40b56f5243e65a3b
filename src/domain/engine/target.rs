//! One target inside the engine: its registration, its rows, and how its collection goes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{SourceStep, TargetPlan};
use crate::aggregate::rows::{Change, TargetRows};
use crate::aggregate::scope::Scope;
use crate::condition::reason;
use crate::fault::Fault;
use crate::ids::{Epoch, WatchScope};
use crate::time::Now;

/// Fewest rows whose disappearance from a list needs a second list as proof.
const SUSPICIOUS_LOSS: usize = 20;

/// Whether losing `lost` of `all` rows at once needs a confirming list before anything is deleted.
pub fn is_suspicious(lost: usize, all: usize) -> bool {
    lost >= SUSPICIOUS_LOSS && lost * 2 > all
}

/// What a step of the collection did.
#[derive(Debug, Default, PartialEq)]
pub struct Stepped {
    /// Rows that changed.
    pub changes: Vec<Change>,
    /// Rows that policy does not allow any more: they go whether the lists are complete or not.
    pub expelled: Vec<Change>,
    /// True when readers of the target's state see a difference other than rows.
    pub visible: bool,
    /// True when a list just became complete.
    pub completed: bool,
    /// True when the scope must be listed once more before what is missing counts as deleted.
    pub confirm: bool,
}

/// A target.
#[derive(Debug, Default)]
pub struct Target {
    registration: Option<Registration>,
    /// Why the target is not collected at present, although its rows stay.
    held: Option<&'static str>,
    rows: TargetRows,
    lists_done: u64,
}

#[derive(Debug)]
struct Registration {
    epoch: Epoch,
    kind: String,
    failures: BTreeMap<WatchScope, Fault>,
    /// Scopes of which a suspiciously small list was seen.
    doubted: BTreeSet<WatchScope>,
}

impl Target {
    /// Brings the target in line with its plan.
    pub fn configure(&mut self, plan: &TargetPlan) -> Stepped {
        let (epoch, kind, scopes, ceiling) = match plan {
            TargetPlan::Hold { reason } => {
                return Stepped {
                    visible: self.held.replace(reason) != Some(reason),
                    ..Stepped::default()
                };
            }
            TargetPlan::Collect {
                epoch,
                kind,
                scopes,
                ceiling,
            } => (epoch, kind, scopes, ceiling),
        };
        let released = self.held.take().is_some();
        let is_new = self.registration.as_ref().is_none_or(|r| r.epoch != *epoch);
        if is_new {
            self.registration = Some(Registration {
                epoch: *epoch,
                kind: kind.clone(),
                failures: BTreeMap::new(),
                doubted: BTreeSet::new(),
            });
        } else if self.is_watching(scopes) {
            return Stepped {
                visible: released,
                ..Stepped::default()
            };
        }
        if let Some(registration) = &mut self.registration {
            registration.failures.retain(|scope, _| scopes.contains(scope));
            registration.doubted.retain(|scope| scopes.contains(scope));
        }
        let expelled = self.rows.expel(|namespace| ceiling.admits(namespace));
        Stepped {
            changes: self.rows.watch(scopes, is_new),
            expelled,
            visible: true,
            ..Stepped::default()
        }
    }

    fn is_watching(&self, scopes: &[WatchScope]) -> bool {
        self.rows.scopes().iter().map(|scope| &scope.covers).eq(scopes)
    }

    /// Takes a step of the collection of one scope.
    pub fn step(&mut self, scope: &WatchScope, step: SourceStep, now: Now) -> Stepped {
        let mut stepped = Stepped::default();
        let Some(registration) = &mut self.registration else {
            return stepped;
        };
        match step {
            SourceStep::ListStarted => {
                self.rows.list_started(scope);
                stepped.visible = true;
            }
            SourceStep::Rows(rows) => {
                let failing = |rows: &TargetRows| (rows.failures(), rows.policy_errors().objects);
                let before = failing(&self.rows);
                stepped.changes = rows
                    .into_iter()
                    .filter_map(|(uid, outcome)| self.rows.apply(scope, &uid, outcome, now.wall))
                    .collect();
                stepped.visible = before != failing(&self.rows);
            }
            SourceStep::ListDone => {
                registration.failures.remove(scope);
                stepped.visible = true;
                self.lists_done += 1;
                let (unseen, all) = self.rows.unseen(scope);
                if is_suspicious(unseen, all) && registration.doubted.insert(scope.clone()) {
                    self.rows.list_abandoned(scope);
                    stepped.confirm = true;
                } else {
                    registration.doubted.remove(scope);
                    stepped.changes = self.rows.list_done(scope, now.wall);
                    stepped.completed = true;
                    self.rows.shrink();
                }
            }
            SourceStep::ListIncomplete(fault) => {
                self.rows.list_incomplete(scope);
                registration.failures.insert(scope.clone(), fault);
                stepped.visible = true;
            }
            SourceStep::Failed(fault) => {
                self.rows.list_abandoned(scope);
                stepped.visible = registration.failures.insert(scope.clone(), fault.clone()) != Some(fault);
            }
            SourceStep::Resumed => stepped.visible = registration.failures.remove(scope).is_some(),
        }
        stepped
    }

    /// The registration, while the target is collected.
    pub fn epoch(&self) -> Option<Epoch> {
        self.registration
            .as_ref()
            .filter(|_| self.held.is_none())
            .map(|r| r.epoch)
    }

    /// Why the target is not collected, although its rows stay.
    pub fn held(&self) -> Option<&'static str> {
        self.held
    }

    /// Kind of the registration.
    pub fn kind(&self) -> &str {
        self.registration.as_ref().map_or("", |r| r.kind.as_str())
    }

    /// The rows.
    pub fn rows(&self) -> &TargetRows {
        &self.rows
    }

    /// Scopes of the registration.
    pub fn scopes(&self) -> Vec<WatchScope> {
        self.rows.scopes().iter().map(|scope| scope.covers.clone()).collect()
    }

    /// Whether changes of the rows may be delivered: the present definition was listed, as far as that is possible.
    /// Until then the sinks keep serving what they have. A scope that cannot be listed does not hold up the others; its
    /// rows stay as they are.
    pub fn is_deliverable(&self) -> bool {
        let scopes = self.rows.scopes();
        let is_listed = |scope: &Scope| scope.complete || scope.incomplete;
        self.epoch().is_some()
            && (scopes.is_empty() || scopes.iter().any(is_listed))
            && scopes
                .iter()
                .all(|scope| is_listed(scope) || self.fault_of(&scope.covers).is_some())
    }

    /// Whether the present definition was listed whole.
    pub fn is_complete(&self) -> bool {
        self.epoch().is_some() && self.rows.scopes().iter().all(|scope| scope.complete)
    }

    /// Why collection is interrupted, by scope.
    pub fn faults(&self) -> impl Iterator<Item = (&WatchScope, &Fault)> + Clone {
        self.registration.iter().flat_map(|registration| &registration.failures)
    }

    /// Why the target as a whole is interrupted: any fault but a missing right, or missing rights everywhere.
    pub fn fault(&self) -> Option<&Fault> {
        let is_forbidden = |fault: &Fault| fault.reason == reason::SCOPE_FORBIDDEN;
        let mut faults = self.faults().map(|(_, fault)| fault);
        let everywhere = faults.clone().filter(|fault| is_forbidden(fault)).count() == self.rows.scopes().len();
        faults.find(|fault| everywhere || !is_forbidden(fault))
    }

    /// Namespaces that may not be read.
    pub fn forbidden(&self) -> impl Iterator<Item = &Arc<str>> {
        self.faults().filter_map(|(scope, fault)| match scope {
            WatchScope::Namespace(name) if fault.reason == reason::SCOPE_FORBIDDEN => Some(name),
            WatchScope::Namespace(_) | WatchScope::Cluster => None,
        })
    }

    /// Why collection of one scope is interrupted.
    pub fn fault_of(&self, scope: &WatchScope) -> Option<&Fault> {
        self.registration.as_ref()?.failures.get(scope)
    }

    /// How many lists were finished; grows by one with each.
    pub fn lists_done(&self) -> u64 {
        self.lists_done
    }

    /// Whether the first list finished, or failed, or nothing is to be listed at present.
    pub fn is_settled(&self) -> bool {
        self.epoch().is_none()
            || self.is_deliverable()
            || self
                .rows
                .scopes()
                .iter()
                .all(|scope| scope.complete || self.fault_of(&scope.covers).is_some())
    }
}
