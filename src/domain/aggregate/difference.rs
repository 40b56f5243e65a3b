//! The keys in which one sink differs from what an inventory shows of one target.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::rows::{Before, Current};
use super::view::Shown;
use crate::delivery::HeldRow;
use crate::row::{Row, RowDigest};

/// What the sink holds of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// No row.
    Nothing,
    /// The row with this digest.
    Row(RowDigest),
    /// One of several; only writing or deleting makes it known.
    Unknown,
    /// A row that the inventory does not show, whatever is known about its object.
    Outside,
}

impl From<&Before> for Held {
    /// What a sink holds that was up to date.
    fn from(before: &Before) -> Self {
        match before {
            Before::Absent => Self::Nothing,
            Before::Unknown => Self::Unknown,
            Before::Row(row) => Self::Row(row.digest()),
        }
    }
}

/// One key that must be written or deleted.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Write this row.
    Upsert(Arc<Row>),
    /// Delete the row.
    Delete,
}

/// The difference between what an inventory shows of one target and what one sink holds of them.
///
/// **Shape**: keys that are missing here are equal on both sides. Memory follows change, not size; while the sink's
/// rows are being read back, every key is listed until it is confirmed.
#[derive(Debug, Default)]
pub struct Difference {
    keys: HashMap<Arc<str>, Held>,
    /// Rows that the sink held when it was read back.
    held_rows: usize,
    /// True if some of them lie in scopes that were not complete then.
    partial: bool,
}

impl Difference {
    /// A difference to a sink of which nothing was read yet: every row is taken to be missing there.
    pub fn against_empty(shown: &Shown<'_, '_>) -> Self {
        Self {
            keys: shown.uids().map(|uid| (uid.clone(), Held::Nothing)).collect(),
            held_rows: 0,
            partial: false,
        }
    }

    /// A key must be looked at again; `held` is what the sink holds of it, unless something else is known already.
    pub fn changed(&mut self, uid: &Arc<str>, held: Held) {
        self.keys.entry(uid.clone()).or_insert(held);
    }

    /// Rows that the sink was found to hold.
    pub fn found(&mut self, held: Vec<HeldRow>, shown: &Shown<'_, '_>) {
        self.held_rows += held.len();
        for HeldRow { uid, namespace, digest } in held {
            if !shown.admits(&namespace) {
                self.keys.insert(uid, Held::Outside);
                continue;
            }
            let equal = match shown.current(&uid) {
                Current::Row(row) => row.digest() == digest,
                Current::Held => true,
                Current::Absent if shown.absence_is_known(&uid, &namespace) => false,
                Current::Absent => {
                    self.partial = true;
                    true
                }
            };
            if equal {
                self.keys.remove(&uid);
            } else {
                self.keys.insert(uid, Held::Row(digest));
            }
        }
    }

    /// True when the sink holds rows of which it was not known whether their objects still exist: it must be read
    /// again once that is known.
    pub fn is_partial(&self) -> bool {
        self.partial
    }

    /// True when what is known here does not tell how another choice of namespaces would differ.
    pub fn depends_on_namespaces(&self) -> bool {
        self.partial || self.keys.values().any(|held| *held == Held::Outside)
    }

    /// How many rows the sink would lose because their objects are gone, and how many it held when it was read back.
    pub fn losses(&self, shown: &Shown<'_, '_>) -> (usize, usize) {
        let is_loss = |held: Held| !matches!(held, Held::Nothing | Held::Outside);
        let lost = self
            .keys
            .iter()
            .filter(|(uid, held)| is_loss(**held) && shown.is_missing(uid))
            .count();
        (lost, self.held_rows)
    }

    /// Takes the difference as steps, sorted by key; afterwards both sides count as equal.
    pub fn take(&mut self, shown: &Shown<'_, '_>) -> Vec<(Arc<str>, Step)> {
        let mut steps: Vec<(Arc<str>, Step)> = std::mem::take(&mut self.keys)
            .into_iter()
            .filter_map(|(uid, held)| match shown.current(&uid) {
                Current::Row(row) if held == Held::Row(row.digest()) => None,
                Current::Row(row) => Some((uid, Step::Upsert(row.clone()))),
                Current::Held if held != Held::Outside => None,
                Current::Absent if held == Held::Nothing => None,
                Current::Held | Current::Absent => Some((uid, Step::Delete)),
            })
            .collect();
        steps.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        steps
    }

    /// Takes the deletions of some keys only, sorted.
    pub fn take_gone(&mut self, keys: &BTreeSet<Arc<str>>, shown: &Shown<'_, '_>) -> Vec<(Arc<str>, Step)> {
        let gone = keys.iter().filter(|uid| shown.is_missing(uid));
        let deleted = gone.filter(|uid| self.keys.remove(*uid).is_some_and(|held| held != Held::Nothing));
        deleted.map(|uid| (uid.clone(), Step::Delete)).collect()
    }

    /// The outcome of a step is not known: the sink may hold the state before or after it.
    pub fn uncertain(&mut self, uid: Arc<str>) {
        self.keys.insert(uid, Held::Unknown);
    }

    /// True when the sink holds exactly the target's rows.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Keys that differ.
    pub fn len(&self) -> usize {
        self.keys.len()
    }
}
