//! The keys in which one sink differs from the rows of one target.

use std::collections::HashMap;
use std::sync::Arc;

use super::rows::{Before, Change, Current, TargetRows};
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
}

/// One key that must be written or deleted.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Write this row.
    Upsert(Arc<Row>),
    /// Delete the row.
    Delete,
}

/// The difference between the rows of one target and what one sink holds of them.
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
    pub fn against_empty(rows: &TargetRows) -> Self {
        Self {
            keys: rows.uids().map(|uid| (uid.clone(), Held::Nothing)).collect(),
            held_rows: 0,
            partial: false,
        }
    }

    /// A row changed in memory.
    pub fn changed(&mut self, change: &Change) {
        self.keys.entry(change.uid.clone()).or_insert(match change.before {
            Before::Absent => Held::Nothing,
            Before::Unknown => Held::Unknown,
            Before::Row(digest) => Held::Row(digest),
        });
    }

    /// Rows that the sink was found to hold.
    pub fn found(&mut self, held: Vec<HeldRow>, rows: &TargetRows) {
        self.held_rows += held.len();
        for HeldRow { uid, namespace, digest } in held {
            let equal = match rows.current(&uid) {
                Current::Row(row) => row.digest() == digest,
                Current::Held => true,
                Current::Absent if rows.absence_is_known(&namespace) => false,
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

    /// How many rows the sink would lose, and how many it held when it was read back.
    pub fn losses(&self, rows: &TargetRows) -> (usize, usize) {
        let lost = self
            .keys
            .iter()
            .filter(|(uid, held)| **held != Held::Nothing && rows.current(uid) == Current::Absent)
            .count();
        (lost, self.held_rows)
    }

    /// Takes the difference as steps, sorted by key; afterwards both sides count as equal.
    pub fn take(&mut self, rows: &TargetRows) -> Vec<(Arc<str>, Step)> {
        let mut steps: Vec<(Arc<str>, Step)> = std::mem::take(&mut self.keys)
            .into_iter()
            .filter_map(|(uid, held)| match rows.current(&uid) {
                Current::Row(row) if held == Held::Row(row.digest()) => None,
                Current::Row(row) => Some((uid, Step::Upsert(row.clone()))),
                Current::Held => None,
                Current::Absent if held == Held::Nothing => None,
                Current::Absent => Some((uid, Step::Delete)),
            })
            .collect();
        steps.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        steps
    }

    /// Steps whose outcome is not known: the sink may hold the state before or after each.
    pub fn uncertain(&mut self, keys: impl IntoIterator<Item = Arc<str>>) {
        for uid in keys {
            self.keys.insert(uid, Held::Unknown);
        }
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
