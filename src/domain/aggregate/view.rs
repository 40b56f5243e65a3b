//! What an inventory shows of the rows of its targets.
//!
//! A namespaced inventory shows all rows of all targets of its namespace, which is the default view. A cluster
//! inventory may choose targets and namespaces, and may show an object that several targets collect only once.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::difference::Held;
use super::rows::{Before, Change, Current, TargetRows};
use super::scope::Scope;
use super::sums::Sum;
use crate::selection::namespaces::workload_namespace;

/// Which rows of which targets an inventory shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    /// Names of the targets; `None` = all of the inventory's namespace.
    pub targets: Option<BTreeSet<Arc<str>>>,
    /// Namespaces that rows name as their target's; `None` = all.
    pub namespaces: Option<BTreeSet<String>>,
    /// Whether an object that several targets collect is shown once: by the target whose name is last, bytewise.
    pub dedupe: bool,
}

impl View {
    /// Whether rows of a target are shown at all.
    pub fn selects(&self, target: &str) -> bool {
        self.targets.as_ref().is_none_or(|targets| targets.contains(target))
    }

    /// Whether rows of a namespace are shown.
    pub fn admits(&self, namespace: &str) -> bool {
        self.namespaces
            .as_ref()
            .is_none_or(|namespaces| namespaces.contains(namespace))
    }
}

/// A target whose rows win over those of targets with an earlier name.
#[derive(Debug)]
pub struct Rival<'a> {
    /// Name of the target.
    pub name: Arc<str>,
    /// Its rows.
    pub rows: &'a TargetRows,
    /// Whether the sink receives its rows at present. If not, it still has those of earlier, and keeps them.
    pub ready: bool,
}

/// The rows of one target as an inventory shows them.
///
/// Of one object it always shows the same namespace, so what it admits changes with the view only.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a, 'v> {
    rows: &'a TargetRows,
    view: &'v View,
    rivals: &'v [Rival<'a>],
}

impl<'a, 'v> Shown<'a, 'v> {
    /// The rows of the target `name`; `rivals` are the targets whose rows may win over others', ascending by name.
    pub fn new(name: &str, rows: &'a TargetRows, view: &'v View, rivals: &'v [Rival<'a>]) -> Self {
        let later = rivals.partition_point(|rival| &*rival.name <= name);
        Self {
            rows,
            view,
            rivals: rivals.get(later..).unwrap_or_default(),
        }
    }

    /// What the sink should hold of a key.
    ///
    /// A row gives way to that of a rival. While the sink does not receive the rival's rows, nothing is done about
    /// either: the object never vanishes between the two.
    pub fn current(&self, uid: &str) -> Current<'a> {
        let current = self.rows.current(uid);
        let Current::Row(row) = current else {
            return current;
        };
        if !self.view.admits(row.target_namespace()) {
            return Current::Absent;
        }
        let winner = self.rivals.iter().rev().find(|rival| has_row(rival.rows, uid));
        match winner {
            Some(rival) if rival.ready => Current::Absent,
            Some(_) => Current::Held,
            None => current,
        }
    }

    /// What the sink held of a key before it changed; `None` if the change does not concern the inventory.
    pub fn held_before(&self, change: &Change) -> Option<Held> {
        let now = self.rows.current(&change.uid);
        let row = match (&change.before, &now) {
            (Before::Row(row), _) => Some(row),
            (_, Current::Row(row)) => Some(*row),
            _ => None,
        };
        if row.is_some_and(|row| !self.view.admits(row.target_namespace())) {
            return None;
        }
        let before = Held::from(&change.before);
        match (before, now) {
            // It was shown before exactly if it is now: rivals did not change.
            (Held::Row(_), Current::Row(_)) => matches!(self.current(&change.uid), Current::Row(_)).then_some(before),
            // It may have been shown or not.
            (Held::Row(_), _) if self.view.dedupe => Some(Held::Unknown),
            _ => Some(before),
        }
    }

    /// Whether rows of an object of `namespace` are shown; empty = cluster-scoped.
    pub fn admits(&self, namespace: &str) -> bool {
        self.view.admits(workload_namespace(namespace))
    }

    /// Whether a key of `namespace` that is not shown may be deleted in a sink.
    pub fn absence_is_known(&self, uid: &str, namespace: &str) -> bool {
        has_row(self.rows, uid) || self.rows.absence_is_known(namespace)
    }

    /// Whether the target has nothing under the key, however the inventory chooses.
    pub fn is_missing(&self, uid: &str) -> bool {
        self.rows.current(uid) == Current::Absent
    }

    /// The rows that are shown of one watch scope.
    pub fn sum(&self, scope: &Scope) -> Sum {
        if !self.rivals.is_empty() {
            let shown = self.rows.iter().filter(|row| {
                scope.covers.covers(row.namespace()) && matches!(self.current(row.uid()), Current::Row(_))
            });
            return shown.fold(Sum::default(), |sum, row| sum.plus(Sum::of(row)));
        }
        if self.view.namespaces.is_none() {
            return scope.sum;
        }
        let sums = self.rows.sums().iter();
        sums.filter(|(namespace, _)| self.view.admits(namespace) && scope.covers.covers(namespace))
            .fold(Sum::default(), |sum, (_, more)| sum.plus(more))
    }

    /// Keys of which the sink should hold something.
    pub fn uids(&self) -> impl Iterator<Item = &'a Arc<str>> {
        self.rows.uids().filter(|uid| self.current(uid) != Current::Absent)
    }
}

fn has_row(rows: &TargetRows, uid: &str) -> bool {
    matches!(rows.current(uid), Current::Row(_))
}

/// Whether a change made a row appear or vanish.
pub fn is_appearance(change: &Change, rows: &TargetRows) -> bool {
    matches!(change.before, Before::Row(_)) != has_row(rows, &change.uid)
}
