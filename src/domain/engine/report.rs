//! What the engine says about targets and bindings: for statuses, for metrics, and for the sinks' own records.

use std::sync::Arc;

use jiff::Timestamp;

use super::Engine;
use super::binding::Binding;
use super::target::Target;
use crate::aggregate::unjudged::PolicyErrors;
use crate::aggregate::view::Shown;
use crate::delivery::SyncRecord;
use crate::fault::Fault;
use crate::ids::{BindingKey, TargetKey, WatchScope};
use crate::row::Row;

/// How a target is doing.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetReport {
    /// Rows in memory.
    pub rows: u64,
    /// Objects whose extraction fails.
    pub failures: u64,
    /// Why the latest of them failed.
    pub last_failure: Option<String>,
    /// Objects that are not collected because a policy fails.
    pub policy_errors: PolicyErrors,
    /// True once the present definition was listed whole.
    pub complete: bool,
    /// True once it was listed as far as that is possible.
    pub listed: bool,
    /// Namespaces that may not be read, ascending; the others are collected.
    pub forbidden: Vec<Arc<str>>,
    /// Why collection is interrupted.
    pub fault: Option<Fault>,
}

/// How a binding is doing.
#[derive(Debug, Clone, PartialEq)]
pub struct BindingReport {
    /// True when the sink acknowledged exactly the present rows of every target that may be delivered.
    pub level: bool,
    /// Targets whose rows are not delivered at present: not listed whole, or not collectable.
    pub waiting: Vec<Arc<str>>,
    /// True while the inventory is claimed.
    pub connected: bool,
    /// True once the sink was level since the last fault: what changes now is on its way within moments.
    pub settled: bool,
    /// When the sink last acknowledged the inventory's state.
    pub last_export: Option<Timestamp>,
    /// Why the last operation failed, if it did.
    pub fault: Option<Fault>,
    /// How many operations failed since the sink was level.
    pub failures: u32,
    /// Rows that the sink refuses for what they contain.
    pub refused: usize,
    /// Why it refused the latest of them.
    pub last_refusal: Option<String>,
}

impl Engine {
    /// How a target is doing; `None` if it is not known.
    pub fn target(&self, key: &TargetKey) -> Option<TargetReport> {
        let target = self.targets.get(key)?;
        Some(TargetReport {
            rows: target.rows().row_count(),
            failures: target.rows().failures(),
            last_failure: target.rows().last_failure().map(str::to_owned),
            policy_errors: target.rows().policy_errors(),
            complete: target.is_complete(),
            listed: target.is_deliverable(),
            forbidden: target.forbidden().cloned().collect(),
            fault: target.fault().cloned(),
        })
    }

    /// The rows of a target, in no particular order.
    pub fn rows(&self, key: &TargetKey) -> Vec<Arc<Row>> {
        let target = self.targets.get(key);
        target.map_or_else(Vec::new, |target| target.rows().iter().cloned().collect())
    }

    /// How a binding is doing; `None` if it is not known.
    pub fn binding(&self, key: &BindingKey) -> Option<BindingReport> {
        let binding = self.bindings.get(key)?;
        Some(binding.report(&super::lookup_in(&self.targets, key)))
    }

    /// True when the binding of a deleted inventory has ended, or is not known.
    pub fn is_closed(&self, key: &BindingKey) -> bool {
        self.bindings.get(key).is_none_or(Binding::is_closed)
    }

    /// Rows of all targets.
    pub fn row_count(&self) -> u64 {
        self.targets.values().map(|target| target.rows().row_count()).sum()
    }

    /// Rows of the targets of one namespace.
    pub fn rows_of_namespace(&self, namespace: &str) -> u64 {
        self.targets
            .iter()
            .filter(|(key, _)| &*key.namespace == namespace)
            .map(|(_, target)| target.rows().row_count())
            .sum()
    }

    /// True when nothing waits to be delivered or recorded that could be: every binding is done, or its sink is at
    /// fault.
    pub fn is_drained(&self) -> bool {
        self.every_binding(|binding, report| (report.level && !binding.owes_record()) || report.fault.is_some())
    }

    /// True when every binding is level, or its sink failed so often since that trying again is not worth a wait.
    pub fn is_exported(&self, attempts: u32) -> bool {
        self.every_binding(|_, report| {
            let hopeless = |fault: &Fault| fault.class.is_terminal() || report.failures >= attempts;
            report.level || report.fault.as_ref().is_some_and(hopeless)
        })
    }

    fn every_binding(&self, holds: impl Fn(&Binding, &BindingReport) -> bool) -> bool {
        self.bindings
            .iter()
            .all(|(key, binding)| holds(binding, &binding.report(&super::lookup_in(&self.targets, key))))
    }

    /// True once the first list of every target finished or failed.
    pub fn is_settled(&self) -> bool {
        self.targets.values().all(Target::is_settled)
    }
}

/// The state of each watch scope of a target, for readers of a sink.
pub(super) fn sync_records(
    name: &Arc<str>,
    target: &Target,
    shown: &Shown<'_, '_>,
    as_of: Option<Timestamp>,
) -> Vec<SyncRecord> {
    target
        .rows()
        .scopes()
        .iter()
        .map(|scope| {
            let fault = target.fault_of(&scope.covers);
            let sum = shown.sum(scope);
            let state = match (scope.complete, fault.is_some() || target.held().is_some()) {
                (_, true) => "Degraded",
                (true, false) => "Complete",
                (false, false) => "Listing",
            };
            SyncRecord {
                target: name.clone(),
                kind: target.kind().to_owned(),
                scope: match &scope.covers {
                    WatchScope::Cluster => "".into(),
                    WatchScope::Namespace(namespace) => namespace.clone(),
                },
                state,
                reason: target
                    .held()
                    .or(fault.map(|fault| fault.reason))
                    .unwrap_or_default()
                    .to_owned(),
                last_list: scope.last_list,
                last_event: scope.last_event,
                as_of: as_of.filter(|_| state == "Complete"),
                rows: sum.rows,
                checksum: format!("{:032x}", sum.checksum),
            }
        })
        .collect()
}
