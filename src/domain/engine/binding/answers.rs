//! What a binding makes of its sink's answers.

use std::sync::Arc;
use std::time::Duration;

use super::super::operation::Operation;
use super::super::target::is_suspicious;
use super::super::{Answer, Closing};
use super::link::{Link, LinkState};
use super::{Binding, Lookup, Recording};
use crate::aggregate::view::Shown;
use crate::condition::reason;
use crate::delivery::{Claim, Receipt};
use crate::fault::{ErrorClass, Fault};
use crate::ids::RowKey;
use crate::time::Now;

/// How often state is recorded while rows change.
const RECORD_BUSY: Duration = Duration::from_secs(10);
/// How often it is recorded while nothing happens: readers see from it that the writer lives.
const RECORD_IDLE: Duration = Duration::from_mins(1);
/// Failed attempts after which the clean-up of a deleted inventory is given up: a sink that is away must not block a
/// deletion.
const CLOSING_ATTEMPTS: u32 = 6;

impl Binding {
    /// Takes an answer of the sink. Returns the name of a target that must be listed once more before rows that the
    /// sink holds count as deleted.
    pub fn answer<'a>(&mut self, answer: Answer, lookup: &impl Lookup<'a>, now: Now) -> Option<Arc<str>> {
        if let Answer::Found(held) = answer {
            let (view, rivals) = (self.view.clone(), self.rivals(lookup));
            if let Some(Operation::Read { target: name }) = &self.operation
                && let (Some(link), Some(target)) = (self.links.get_mut(name), lookup(name))
            {
                link.difference
                    .found(held, &Shown::new(name, target.rows(), &view, &rivals));
            }
            return None;
        }
        let operation = self.operation.take()?;
        match (operation, answer) {
            (Operation::Claim, Answer::Claimed(Ok(claim))) => self.claimed(&claim, now),
            (Operation::Read { target }, Answer::Read(Ok(()))) => {
                return self.read(&target, lookup, now);
            }
            (Operation::Deliver { keys, .. }, Answer::Delivered(Ok(receipt))) => self.delivered(&keys, receipt, now),
            (Operation::Close, Answer::Delivered(Ok(_))) => {
                self.succeeded(now, false);
                self.closing = Some(Closing::Retain);
            }
            (Operation::Record, Answer::Recorded(Ok(()))) => {
                self.succeeded(now, false);
                self.recording = Recording {
                    due: now.monotonic + RECORD_IDLE,
                    last: Some(now.monotonic),
                    owed: false,
                };
            }
            (operation, answer) => {
                if let Operation::Deliver { keys, purged } = operation {
                    self.undelivered(keys, purged, lookup);
                }
                self.failed(fault_of(answer), now);
            }
        }
        None
    }

    fn claimed(&mut self, claim: &Claim, now: Now) {
        self.claimed = true;
        let strangers = claim.targets.iter().filter(|name| !self.links.contains_key(*name));
        self.purge.extend(strangers.cloned());
        self.recording.due = now.monotonic;
        self.succeeded(now, false);
    }

    fn read<'a>(&mut self, name: &Arc<str>, lookup: &impl Lookup<'a>, now: Now) -> Option<Arc<str>> {
        self.succeeded(now, false);
        let (view, rivals) = (self.view.clone(), self.rivals(lookup));
        let link = self.links.get_mut(name)?;
        let target = lookup(name)?;
        if link.state != LinkState::Reading {
            // Something happened meanwhile that makes the answer worthless: it is read again.
            return None;
        }
        let shown = Shown::new(name, target.rows(), &view, &rivals);
        let (lost, held) = link.difference.losses(&shown);
        if link.doubted_after.is_none() && is_suspicious(lost, held) {
            link.reset();
            link.doubted_after = Some(target.lists_done());
            return Some(name.clone());
        }
        link.state = LinkState::Live;
        link.doubted_after = None;
        self.last_export = Some(now.wall);
        None
    }

    fn delivered(&mut self, keys: &[RowKey], receipt: Receipt, now: Now) {
        for key in keys {
            self.refused.remove(key);
        }
        for (key, reason) in receipt.refused {
            self.last_refusal = Some(reason);
            self.refused.insert(key);
        }
        if self.refused.is_empty() {
            self.last_refusal = None;
        }
        self.last_export = Some(now.wall);
        self.succeeded(now, true);
        let busy = self.recording.last.map_or(now.monotonic, |last| last + RECORD_BUSY);
        self.recording.hurry(busy.max(now.monotonic));
    }

    fn succeeded(&mut self, now: Now, spaced: bool) {
        self.fault = None;
        self.cadence.succeeded(now.monotonic, spaced);
    }

    fn undelivered<'a>(&mut self, keys: Vec<RowKey>, purged: Vec<Arc<str>>, lookup: &impl Lookup<'a>) {
        for RowKey { target, uid } in keys {
            let Some(link) = self.links.get_mut(&target) else {
                continue;
            };
            if lookup(&target).is_some_and(|target| !target.is_deliverable()) {
                link.expelled.insert(uid.clone());
            }
            link.difference.uncertain(uid);
        }
        let gone = purged.into_iter().filter(|name| !self.links.contains_key(name));
        self.purge.extend(gone);
    }

    fn failed(&mut self, fault: Fault, now: Now) {
        self.cadence.failed(now.monotonic, fault.class, self.incarnation);
        let hopeless = fault.class.is_terminal() || self.cadence.failures() >= CLOSING_ATTEMPTS;
        if self.closing.is_some() && hopeless {
            self.closing = Some(Closing::Retain);
            self.cadence.hurry();
        }
        match fault.class {
            ErrorClass::Transient | ErrorClass::Throttled { .. } => self.stop_reading(),
            ErrorClass::Unavailable | ErrorClass::Misconfigured | ErrorClass::Rejected => {
                self.claimed = false;
                self.links.values_mut().for_each(Link::reset);
            }
        }
        self.settled = false;
        self.failures = self.failures.saturating_add(1);
        self.fault = Some(fault);
    }

    fn stop_reading(&mut self) {
        for link in self.links.values_mut().filter(|link| link.state == LinkState::Reading) {
            link.reset();
        }
    }
}

/// The fault of a failed operation; an answer that does not fit the operation is a fault of its own.
fn fault_of(answer: Answer) -> Fault {
    match answer {
        Answer::Claimed(Err(fault))
        | Answer::Read(Err(fault))
        | Answer::Delivered(Err(fault))
        | Answer::Recorded(Err(fault)) => fault,
        Answer::Claimed(Ok(_))
        | Answer::Found(_)
        | Answer::Read(Ok(()))
        | Answer::Delivered(Ok(_))
        | Answer::Recorded(Ok(())) => Fault::new(
            ErrorClass::Transient,
            reason::EXPORT_FAILED,
            "the sink answered another operation than the one in flight; it is tried again",
        ),
    }
}
