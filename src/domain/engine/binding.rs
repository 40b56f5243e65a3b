//! One inventory exported to one sink: a state machine that asks for at most one operation at a time.
//!
//! claim → read back what the sink holds of each target → deliver differences, record state. A fault after which the
//! sink may hold something else than was acknowledged (it was away, it was misconfigured, somebody else wrote)
//! begins again with the claim.

mod answers;
mod link;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use link::{Link, LinkState};

use super::operation::Operation;
use super::report;
use super::target::{Stepped, Target};
use super::{BindingPlan, Closing, Command};
use crate::aggregate::difference::{Difference, Step};
use crate::aggregate::view::{Shown, View, is_appearance};
use crate::cadence::Cadence;
use crate::delivery::{Delivery, Purge};
use crate::fault::Fault;
use crate::ids::RowKey;
use crate::time::Now;

/// Finds a target of the inventory's namespace by name.
pub trait Lookup<'a>: Fn(&Arc<str>) -> Option<&'a Target> {}
impl<'a, F: Fn(&Arc<str>) -> Option<&'a Target>> Lookup<'a> for F {}

/// What a binding does next.
#[derive(Debug)]
pub enum Advance {
    /// Nothing at present.
    Nothing,
    /// An operation of the sink.
    Start(Command),
    /// It ends: its inventory was deleted and nothing is left to clean.
    Closed,
}

/// A binding.
#[derive(Debug)]
pub struct Binding {
    incarnation: u64,
    revision: u64,
    cadence: Cadence,
    closing: Option<Closing>,
    closed: bool,
    claimed: bool,
    view: Arc<View>,
    links: BTreeMap<Arc<str>, Link>,
    /// Targets that the sink has rows of although they do not exist or are not selected.
    purge: BTreeSet<Arc<str>>,
    operation: Option<Operation>,
    recording: Recording,
    last_export: Option<Timestamp>,
    settled: bool,
    fault: Option<Fault>,
    /// Failed operations since the sink was level.
    failures: u32,
    refused: BTreeSet<RowKey>,
    last_refusal: Option<String>,
}

/// When state is recorded for readers.
#[derive(Debug, Default)]
struct Recording {
    due: Duration,
    last: Option<Duration>,
    /// True while the last state has yet to be recorded before everything stops.
    owed: bool,
}

impl Recording {
    /// It is due now, unless it was due already.
    fn hurry(&mut self, now: Duration) {
        self.due = self.due.min(now);
    }
}

impl Binding {
    /// A binding that has not talked to its sink yet.
    pub fn new(incarnation: u64, plan: &BindingPlan) -> Self {
        Self {
            incarnation,
            revision: plan.revision,
            cadence: Cadence::new(plan.spacing),
            closing: plan.closing,
            closed: false,
            claimed: false,
            view: Arc::default(),
            links: BTreeMap::new(),
            purge: BTreeSet::new(),
            operation: None,
            recording: Recording::default(),
            last_export: None,
            settled: false,
            fault: None,
            failures: 0,
            refused: BTreeSet::new(),
            last_refusal: None,
        }
    }

    /// Takes what a plan may change without a new incarnation.
    pub fn configure(&mut self, plan: &BindingPlan) {
        self.cadence.set_spacing(plan.spacing);
        if plan.closing.is_some() && self.closing != plan.closing {
            self.cadence.hurry();
        }
        self.closing = plan.closing;
    }

    /// Number of this life of the binding.
    pub fn incarnation(&self) -> u64 {
        self.incarnation
    }

    /// True once nothing is left to do for a deleted inventory.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Revision of the sink's definition.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Nothing will happen to targets any more: once everything is delivered, the last state is recorded.
    pub fn wind_up(&mut self, now: Duration) {
        self.recording.owed = !self.links.is_empty() && self.closing.is_none();
        self.recording.hurry(now);
    }

    /// True while the last state has yet to be recorded before everything stops.
    pub fn owes_record(&self) -> bool {
        self.recording.owed
    }

    /// Something happened to a target.
    pub fn target_changed<'a>(&mut self, name: &Arc<str>, stepped: &Stepped, lookup: &impl Lookup<'a>, now: Duration) {
        let Some(target) = lookup(name) else {
            return;
        };
        let (view, rivals) = (self.view.clone(), self.rivals(lookup));
        let Some(link) = self.links.get_mut(name) else {
            return;
        };
        if link.state != LinkState::Unread {
            let shown = Shown::new(name, target.rows(), &view, &rivals);
            for change in stepped.changes.iter().chain(&stepped.expelled) {
                if let Some(held) = shown.held_before(change) {
                    link.difference.changed(&change.uid, held);
                }
            }
            link.expelled
                .extend(stepped.expelled.iter().map(|change| change.uid.clone()));
            if stepped.completed && link.difference.is_partial() {
                link.reset();
            }
        }
        if view.dedupe && (link.exported || link.is_ready(target)) {
            let changes = stepped.changes.iter().chain(&stepped.expelled);
            let appeared = changes.filter(|change| is_appearance(change, target.rows()));
            self.recheck_earlier(name, &appeared.map(|change| &change.uid), lookup);
        }
        self.settled &= !stepped.completed;
        if stepped.visible {
            self.recording.hurry(now);
        }
    }

    /// What to do now.
    pub fn advance<'a>(&mut self, lookup: &impl Lookup<'a>, now: Now) -> Advance {
        self.note_ready(lookup);
        if self.fault.is_none() && self.is_level(lookup) {
            self.settled = true;
            self.failures = 0;
        }
        if self.closed || self.operation.is_some() || !self.cadence.ready(now.monotonic) {
            return Advance::Nothing;
        }
        if self.closing == Some(Closing::Retain) {
            self.closed = true;
            return Advance::Closed;
        }
        let Some((operation, command)) = self.next(lookup, now) else {
            return Advance::Nothing;
        };
        self.operation = Some(operation);
        self.cadence.started();
        Advance::Start(command)
    }

    fn next<'a>(&mut self, lookup: &impl Lookup<'a>, now: Now) -> Option<(Operation, Command)> {
        if !self.claimed {
            return Some((Operation::Claim, Command::Claim));
        }
        if self.closing == Some(Closing::Purge) {
            let delivery = Delivery {
                purge: Purge::Inventory,
                ..Delivery::default()
            };
            return Some((Operation::Close, Command::Deliver(delivery)));
        }
        self.next_read(lookup)
            .or_else(|| self.next_delivery(lookup))
            .or_else(|| self.next_record(lookup, now))
    }

    fn next_read<'a>(&mut self, lookup: &impl Lookup<'a>) -> Option<(Operation, Command)> {
        let (name, target) = self.unread(lookup)?;
        let (view, rivals) = (self.view.clone(), self.rivals(lookup));
        let link = self.links.get_mut(&name)?;
        link.state = LinkState::Reading;
        self.settled = false;
        link.difference = Difference::against_empty(&Shown::new(&name, target.rows(), &view, &rivals));
        let operation = Operation::Read { target: name.clone() };
        Some((operation, Command::Read { target: name }))
    }

    fn next_delivery<'a>(&mut self, lookup: &impl Lookup<'a>) -> Option<(Operation, Command)> {
        let mut delivery = Delivery::default();
        let mut keys = Vec::new();
        let (view, rivals) = (self.view.clone(), self.rivals(lookup));
        for (name, link) in &mut self.links {
            let Some(target) = lookup(name).filter(|target| link.has_work(target)) else {
                continue;
            };
            let shown = Shown::new(name, target.rows(), &view, &rivals);
            for (uid, step) in link.take(target, &shown) {
                let key = RowKey {
                    target: name.clone(),
                    uid,
                };
                keys.push(key.clone());
                match step {
                    Step::Upsert(row) => delivery.upserts.push((key, row)),
                    Step::Delete => delivery.deletes.push(key),
                }
            }
        }
        let purged: Vec<Arc<str>> = std::mem::take(&mut self.purge).into_iter().collect();
        if keys.is_empty() && purged.is_empty() {
            return None;
        }
        if !purged.is_empty() {
            delivery.purge = Purge::Targets(purged.clone());
        }
        Some((Operation::Deliver { keys, purged }, Command::Deliver(delivery)))
    }

    fn next_record<'a>(&mut self, lookup: &impl Lookup<'a>, now: Now) -> Option<(Operation, Command)> {
        if now.monotonic < self.recording.due || self.links.is_empty() {
            return None;
        }
        let rivals = self.rivals(lookup);
        let records = self
            .links
            .iter()
            .filter_map(|(name, link)| {
                let target = lookup(name)?;
                let level = link.state == LinkState::Live && link.difference.is_empty();
                let shown = Shown::new(name, target.rows(), &self.view, &rivals);
                Some(report::sync_records(name, target, &shown, level.then_some(now.wall)))
            })
            .flatten()
            .collect();
        Some((Operation::Record, Command::Record(records)))
    }

    /// When [`Binding::advance`] has something to do.
    pub fn deadline<'a>(&self, lookup: &impl Lookup<'a>) -> Option<Duration> {
        if self.closed {
            return None;
        }
        let possible = self.cadence.next()?;
        let urgent = !self.claimed
            || self.closing.is_some()
            || !self.purge.is_empty()
            || self.unread(lookup).is_some()
            || self
                .links
                .iter()
                .any(|(name, link)| lookup(name).is_some_and(|target| link.has_work(target)));
        if urgent {
            Some(possible)
        } else if self.links.is_empty() {
            None
        } else {
            Some(possible.max(self.recording.due))
        }
    }

    /// True when the sink acknowledged exactly the present rows of every target that may be delivered.
    fn is_level<'a>(&self, lookup: &impl Lookup<'a>) -> bool {
        let delivering = matches!(
            self.operation,
            Some(Operation::Deliver { .. } | Operation::Close | Operation::Claim)
        );
        let behind = self.links.iter().any(|(name, link)| {
            lookup(name).is_some_and(Target::is_deliverable)
                && (link.state != LinkState::Live || !link.difference.is_empty())
        });
        self.claimed && !delivering && !behind && self.purge.is_empty()
    }

    /// How the binding is doing.
    pub fn report<'a>(&self, lookup: &impl Lookup<'a>) -> report::BindingReport {
        report::BindingReport {
            level: self.is_level(lookup),
            settled: self.settled,
            waiting: self
                .links
                .keys()
                .filter(|name| lookup(name).is_some_and(|target| !target.is_deliverable()))
                .cloned()
                .collect(),
            connected: self.claimed,
            last_export: self.last_export,
            fault: self.fault.clone(),
            failures: self.failures,
            refused: self.refused.len(),
            last_refusal: self.last_refusal.clone(),
        }
    }
}
