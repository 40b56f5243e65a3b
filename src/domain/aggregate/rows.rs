//! The rows of one target, by object uid, with completeness per watch scope.
//!
//! A relist is mark and sweep: every list has a mark greater than all earlier ones, every object seen carries the
//! mark of its scope's list, and when the list is done what carries an older mark is gone. Nothing is buffered.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::scope::Scope;
use super::sums::Sums;
use super::unjudged::{PolicyErrors, Unjudged};
use crate::ids::WatchScope;
use crate::row::Row;

/// What selection and extraction made of one object.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The object is selected and this is its row.
    Row(Arc<Row>),
    /// The object exists and is not selected.
    NoMatch,
    /// The object exists, no rule selects it, and the policy of one failed: it counts as not selected.
    Unjudged(String),
    /// The object is selected and its extraction failed: the last good row stays.
    Failed(String),
    /// The object does not exist any more.
    Gone,
}

/// What a target knows about one key.
#[derive(Debug, Clone, PartialEq)]
pub enum Current<'a> {
    /// There is no such object, or it is not selected.
    Absent,
    /// The object exists and has no row in memory; whatever a sink holds of it stays.
    Held,
    /// The object's row.
    Row(&'a Arc<Row>),
}

/// A change of one key; `before` is what a sink that was up to date holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Object uid.
    pub uid: Arc<str>,
    /// What sinks were told about the key before.
    pub before: Before,
}

/// What sinks were told about a key before it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    /// Nothing: there was no row.
    Absent,
    /// Nothing that is known: the object was held.
    Unknown,
    /// This row.
    Row(Arc<Row>),
}

#[derive(Debug)]
struct Entry {
    row: Option<Arc<Row>>,
    scope: u32,
    mark: u64,
    failed: bool,
}

/// The rows of one target.
#[derive(Debug, Default)]
pub struct TargetRows {
    entries: HashMap<Arc<str>, Entry>,
    scopes: Vec<Scope>,
    sums: Sums,
    marks: u64,
    failures: u64,
    last_failure: Option<String>,
    unjudged: Unjudged,
}

impl TargetRows {
    /// Says which scopes are watched from now on. Scopes that were watched before stay as complete as they were, unless
    /// all are to be listed again. Rows stay until lists say otherwise, but nothing is watched when there are no scopes.
    pub fn watch(&mut self, scopes: &[WatchScope], again: bool) -> Vec<Change> {
        self.unjudged.watch(scopes);
        let before = std::mem::take(&mut self.scopes);
        let mut renumbered = HashMap::new();
        for covers in scopes {
            let old = before.iter().position(|scope| scope.covers == *covers);
            let mut scope = old.map_or_else(|| Scope::new(covers.clone()), |old| before[old].clone());
            if again {
                scope.doubt();
            }
            renumbered.extend(old.map(|old| (number(old), number(self.scopes.len()))));
            self.scopes.push(scope);
        }
        for entry in self.entries.values_mut() {
            entry.scope = renumbered.get(&entry.scope).copied().unwrap_or(ORPHAN);
        }
        if scopes.is_empty() {
            self.remove_all(|_| true)
        } else {
            Vec::new()
        }
    }

    /// Removes the rows of all namespaces that `admits` refuses, whatever lists say.
    pub fn expel(&mut self, admits: impl Fn(&str) -> bool) -> Vec<Change> {
        self.remove_all(|entry| entry.row.as_ref().is_some_and(|row| !admits(row.namespace())))
    }

    /// A list of a scope begins.
    pub fn list_started(&mut self, covers: &WatchScope) {
        self.marks += 1;
        let mark = self.marks;
        if let Some(scope) = self.scope_mut(covers) {
            scope.mark = mark;
            scope.listing = true;
        }
    }

    /// A list of a scope was given up.
    pub fn list_abandoned(&mut self, covers: &WatchScope) {
        if let Some(scope) = self.scope_mut(covers) {
            scope.listing = false;
        }
    }

    /// A list of a scope showed what it could, and could not show all.
    pub fn list_incomplete(&mut self, covers: &WatchScope) {
        if let Some(scope) = self.scope_mut(covers) {
            scope.listing = false;
            scope.incomplete = !scope.complete;
        }
    }

    /// Applies what became of one object; says what changed, if anything did.
    pub fn apply(&mut self, covers: &WatchScope, uid: &Arc<str>, outcome: Outcome, now: Timestamp) -> Option<Change> {
        let index = self.scopes.iter().position(|s| s.covers == *covers)?;
        self.scopes[index].last_event = Some(now);
        self.unjudged.forget(uid);
        match outcome {
            Outcome::Row(row) => self.upsert(index, uid, row),
            Outcome::NoMatch | Outcome::Gone => self.remove(uid),
            Outcome::Unjudged(message) => {
                let seen = (covers.clone(), self.scopes[index].mark);
                self.unjudged.note(uid, seen, message);
                self.remove(uid)
            }
            Outcome::Failed(message) => self.hold(index, uid, message),
        }
    }

    fn upsert(&mut self, index: usize, uid: &Arc<str>, row: Arc<Row>) -> Option<Change> {
        let mark = self.scopes[index].mark;
        let Some(entry) = self.entries.get_mut(uid) else {
            self.scopes[index].sum.add(&row);
            self.sums.add(&row);
            let entry = Entry {
                row: Some(row),
                scope: number(index),
                mark,
                failed: false,
            };
            self.entries.insert(uid.clone(), entry);
            return Some(Change {
                uid: uid.clone(),
                before: Before::Absent,
            });
        };
        entry.mark = mark;
        if std::mem::take(&mut entry.failed) {
            self.failures -= 1;
            if self.failures == 0 {
                self.last_failure = None;
            }
        }
        let same = entry.row.as_ref().is_some_and(|old| old.digest() == row.digest());
        if same && entry.scope == number(index) {
            return None;
        }
        if let Some(old) = &entry.row {
            if let Some(scope) = self.scopes.get_mut(entry.scope as usize) {
                scope.sum.take(old);
            }
            self.sums.take(old);
        }
        self.scopes[index].sum.add(&row);
        self.sums.add(&row);
        entry.scope = number(index);
        let before = before(entry.row.replace(row));
        Some(Change {
            uid: uid.clone(),
            before,
        })
    }

    fn hold(&mut self, index: usize, uid: &Arc<str>, message: String) -> Option<Change> {
        let mark = self.scopes[index].mark;
        self.last_failure = Some(message);
        if let Some(entry) = self.entries.get_mut(uid) {
            entry.mark = mark;
            if !std::mem::replace(&mut entry.failed, true) {
                self.failures += 1;
            }
            return None;
        }
        self.failures += 1;
        let entry = Entry {
            row: None,
            scope: number(index),
            mark,
            failed: true,
        };
        self.entries.insert(uid.clone(), entry);
        // A sink that was up to date held nothing of this key, and holding it must not ask for anything.
        None
    }

    fn remove(&mut self, uid: &Arc<str>) -> Option<Change> {
        let (uid, entry) = self.entries.remove_entry(uid)?;
        Some(self.removed(uid, entry))
    }

    fn removed(&mut self, uid: Arc<str>, entry: Entry) -> Change {
        if entry.failed {
            self.failures -= 1;
            if self.failures == 0 {
                self.last_failure = None;
            }
        }
        if let Some(row) = &entry.row {
            if let Some(scope) = self.scopes.get_mut(entry.scope as usize) {
                scope.sum.take(row);
            }
            self.sums.take(row);
        }
        Change {
            uid,
            before: before(entry.row),
        }
    }

    /// How many keys a sweep of the scope would remove now, and how many rows the scope has.
    pub fn unseen(&self, covers: &WatchScope) -> (usize, usize) {
        let Some(index) = self.scopes.iter().position(|s| s.covers == *covers) else {
            return (0, 0);
        };
        let mark = self.scopes[index].mark;
        self.entries.values().fold((0, 0), |(unseen, all), entry| {
            let orphan = entry.scope == ORPHAN && entry.row.as_ref().is_some_and(|row| covers.covers(row.namespace()));
            let own = entry.scope == number(index);
            let unseen = unseen + usize::from(orphan || (own && entry.mark < mark));
            (unseen, all + usize::from(orphan || own))
        })
    }

    /// A list of the scope is done: what was not seen is gone, and so are rows of parts of the cluster that are not
    /// watched any more.
    pub fn list_done(&mut self, covers: &WatchScope, now: Timestamp) -> Vec<Change> {
        let Some(index) = self.scopes.iter().position(|s| s.covers == *covers) else {
            return Vec::new();
        };
        let scope = &mut self.scopes[index];
        scope.listing = false;
        scope.complete = true;
        scope.incomplete = false;
        scope.last_list = Some(now);
        let mark = scope.mark;
        self.unjudged.sweep(covers, mark);
        let waited_for: Vec<WatchScope> = self
            .scopes
            .iter()
            .filter(|scope| !scope.complete)
            .map(|scope| scope.covers.clone())
            .collect();
        // An orphan may still turn up in a scope that is being listed.
        let is_expected = |entry: &Entry| match &entry.row {
            Some(row) => waited_for.iter().any(|scope| scope.covers(row.namespace())),
            None => !waited_for.is_empty(),
        };
        self.remove_all(|entry| {
            (entry.scope == number(index) && entry.mark < mark) || (entry.scope == ORPHAN && !is_expected(entry))
        })
    }

    fn remove_all(&mut self, gone: impl Fn(&Entry) -> bool) -> Vec<Change> {
        let gone: Vec<(Arc<str>, Entry)> = self.entries.extract_if(|_, entry| gone(entry)).collect();
        gone.into_iter().map(|(uid, entry)| self.removed(uid, entry)).collect()
    }

    /// What the target knows about a key.
    pub fn current(&self, uid: &str) -> Current<'_> {
        match self.entries.get(uid) {
            None => Current::Absent,
            Some(Entry { row: None, .. }) => Current::Held,
            Some(Entry { row: Some(row), .. }) => Current::Row(row),
        }
    }

    /// All keys, in no particular order.
    pub fn uids(&self) -> impl Iterator<Item = &Arc<str>> + Clone {
        self.entries.keys()
    }

    /// Rows in memory.
    pub fn row_count(&self) -> u64 {
        self.scopes.iter().map(|scope| scope.sum.rows).sum()
    }

    /// All rows, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Row>> {
        self.entries.values().filter_map(|entry| entry.row.as_ref())
    }

    /// Rows by namespace.
    pub fn sums(&self) -> &Sums {
        &self.sums
    }

    /// Whether there are objects without a row, of which sinks may hold one.
    pub fn has_rowless(&self) -> bool {
        self.failures > 0 && self.entries.values().any(|entry| entry.row.is_none())
    }

    /// Objects whose extraction fails at present.
    pub fn failures(&self) -> u64 {
        self.failures
    }

    /// Why the extraction of the latest of them failed.
    pub fn last_failure(&self) -> Option<&str> {
        self.last_failure.as_deref()
    }

    /// Objects whose selection a failing policy leaves open at present.
    pub fn policy_errors(&self) -> PolicyErrors {
        self.unjudged.report()
    }

    /// The watch scopes of the present registration.
    pub fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// Whether a key of `namespace` that no list has shown may be deleted in a sink: the namespace was listed, or is not
    /// watched at all.
    pub fn absence_is_known(&self, namespace: &str) -> bool {
        let covering = |scope: &&Scope| scope.covers.covers(namespace);
        self.scopes.iter().filter(covering).all(|scope| scope.complete)
    }

    /// Releases memory that a shrunken map still holds.
    pub fn shrink(&mut self) {
        if self.entries.capacity() > 4 * self.entries.len().max(16) {
            self.entries.shrink_to_fit();
        }
    }

    fn scope_mut(&mut self, covers: &WatchScope) -> Option<&mut Scope> {
        self.scopes.iter_mut().find(|scope| scope.covers == *covers)
    }
}

/// Scope number of entries whose scope is not watched any more.
const ORPHAN: u32 = u32::MAX;

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(ORPHAN)
}

fn before(row: Option<Arc<Row>>) -> Before {
    row.map_or(Before::Unknown, Before::Row)
}
