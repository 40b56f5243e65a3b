//! One target inside the engine: its registration, its rows, and how its collection goes.

use std::collections::{BTreeMap, BTreeSet};

use super::{SourceStep, TargetPlan};
use crate::aggregate::rows::{Change, TargetRows};
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
    /// Brings the target in line with its plan; true if that changed anything.
    pub fn configure(&mut self, plan: &TargetPlan) -> bool {
        match plan {
            TargetPlan::Hold { reason } => self.held.replace(reason) != Some(reason),
            TargetPlan::Collect { epoch, kind, scopes } => {
                let released = self.held.take().is_some();
                if self.registration.as_ref().is_some_and(|r| r.epoch == *epoch) {
                    return released;
                }
                self.rows.register(scopes);
                self.registration = Some(Registration {
                    epoch: *epoch,
                    kind: kind.clone(),
                    failures: BTreeMap::new(),
                    doubted: BTreeSet::new(),
                });
                true
            }
        }
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
                let failures = self.rows.failures();
                stepped.changes = rows
                    .into_iter()
                    .filter_map(|(uid, outcome)| self.rows.apply(scope, &uid, outcome, now.wall))
                    .collect();
                stepped.visible = failures != self.rows.failures();
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
    /// Until then the sinks keep serving what they have.
    pub fn is_deliverable(&self) -> bool {
        self.epoch().is_some()
            && !self.rows.scopes().is_empty()
            && self
                .rows
                .scopes()
                .iter()
                .all(|scope| scope.complete || scope.incomplete)
    }

    /// Whether the present definition was listed whole.
    pub fn is_complete(&self) -> bool {
        self.is_deliverable() && self.rows.scopes().iter().all(|scope| scope.complete)
    }

    /// Why collection is interrupted, of the first scope for which it is.
    pub fn fault(&self) -> Option<&Fault> {
        self.registration.as_ref()?.failures.values().next()
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
        self.epoch().is_none() || self.is_deliverable() || self.fault().is_some()
    }
}
