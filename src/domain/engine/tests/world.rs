//! A model of the outside: one kind of objects, one target, one sink.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, json};

use super::super::report::{BindingReport, TargetReport};
use super::super::*;
use crate::aggregate::rows::Outcome;
use crate::condition::reason;
use crate::delivery::{Claim, Delivery, HeldRow, Purge, Receipt};
use crate::fault::{ErrorClass, Fault};
use crate::ids::{InventoryKey, NamespacedName, RowKey, SinkFamily, SinkKey};
use crate::row::{Row, RowDigest, RowIdentity};

/// What the sink was asked for.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    pub written: usize,
    pub deleted: usize,
    pub deliveries: usize,
    pub records: usize,
}

/// State of one object: the value that its row shows, or broken.
#[derive(Debug, Clone, PartialEq)]
pub enum Object {
    Good(u64),
    Broken,
}

#[derive(Debug)]
pub struct World {
    pub engine: Engine,
    pub objects: BTreeMap<Arc<str>, Object>,
    /// uid -> digest of the row that the sink holds.
    pub sink: BTreeMap<Arc<str>, RowDigest>,
    pub stats: Stats,
    pub epoch: Epoch,
    pub relists: usize,
    pub closed: usize,
    pub foreign_writer: bool,
    pub down: bool,
    pub poison: Option<Arc<str>>,
    /// uids deleted from the sink while their object existed.
    pub wrongly_deleted: Vec<Arc<str>>,
    now: Duration,
    plan: Plan,
    failures: VecDeque<(ErrorClass, bool)>,
    /// Values under which an object's row was ever right.
    pub history: BTreeMap<Arc<str>, BTreeSet<RowDigest>>,
}

pub fn target() -> TargetKey {
    NamespacedName::new("shop", "apps")
}

pub fn binding() -> BindingKey {
    BindingKey {
        inventory: InventoryKey::new("shop", "estate"),
        sink: SinkKey {
            family: SinkFamily::Database,
            object: NamespacedName::new("shop", "lake"),
        },
    }
}

impl World {
    pub fn new() -> Self {
        let mut world = Self {
            engine: Engine::new(),
            objects: BTreeMap::new(),
            sink: BTreeMap::new(),
            stats: Stats::default(),
            epoch: Epoch(1),
            relists: 0,
            closed: 0,
            foreign_writer: false,
            down: false,
            poison: None,
            wrongly_deleted: Vec::new(),
            now: Duration::from_secs(1_000),
            plan: Plan::default(),
            failures: VecDeque::new(),
            history: BTreeMap::new(),
        };
        world.plan.bindings.insert(
            binding(),
            BindingPlan {
                revision: 1,
                spacing: Duration::ZERO,
                closing: None,
            },
        );
        world.collect();
        world
    }

    /// A world with so many objects, all delivered.
    pub fn listed(objects: usize) -> Self {
        let mut world = Self::new();
        for i in 0..objects {
            world.put(&format!("o{i:04}"), 1);
        }
        world.list();
        world.assert_level();
        world
    }

    fn collect(&mut self) {
        self.plan.targets.insert(
            target(),
            TargetPlan::Collect {
                epoch: self.epoch,
                kind: "apps/v1/Deployment".into(),
                scopes: vec![WatchScope::Cluster],
                ceiling: Arc::default(),
            },
        );
        self.configure();
    }

    fn configure(&mut self) {
        let effects = self.engine.configure(&self.plan.clone(), self.now());
        self.run(effects);
    }

    pub fn redefine(&mut self) {
        self.epoch = Epoch(self.epoch.0 + 1);
        self.collect();
    }

    pub fn hold(&mut self) {
        self.plan.targets.insert(
            target(),
            TargetPlan::Hold {
                reason: reason::PROFILE_NOT_FOUND,
            },
        );
        self.configure();
    }

    pub fn remove_target(&mut self) {
        self.plan.targets.clear();
        self.configure();
        self.tick(Duration::from_mins(1));
    }

    pub fn close(&mut self, closing: Closing) {
        if let Some(plan) = self.plan.bindings.get_mut(&binding()) {
            plan.closing = Some(closing);
        }
        self.configure();
    }

    /// The process dies and comes back; the objects may have changed meanwhile.
    pub fn restart(&mut self) {
        self.engine = Engine::new();
        self.epoch = Epoch(1);
        self.collect();
    }

    pub fn restart_held(&mut self) {
        self.engine = Engine::new();
        self.configure();
    }

    fn now(&self) -> Now {
        Now {
            wall: Timestamp::from_second(1_700_000_000).unwrap() + self.now,
            monotonic: self.now,
        }
    }

    pub fn tick(&mut self, by: Duration) {
        let end = self.now + by;
        while let Some(deadline) = self.engine.next_deadline().filter(|deadline| *deadline <= end) {
            self.now = self.now.max(deadline);
            let effects = self.engine.tick(self.now());
            assert!(
                !effects.is_empty() || self.engine.next_deadline() != Some(deadline),
                "a deadline without work"
            );
            self.run(effects);
        }
        self.now = end;
    }

    pub fn put(&mut self, uid: &str, value: u64) {
        self.objects.insert(uid.into(), Object::Good(value));
        let digest = self.digest(uid, value);
        self.history.entry(uid.into()).or_default().insert(digest);
    }

    /// Puts an object and lets the watch report it.
    pub fn change(&mut self, uid: &str, value: u64) {
        self.put(uid, value);
        self.report(uid);
    }

    pub fn break_object(&mut self, uid: &str) {
        self.objects.insert(uid.into(), Object::Broken);
        self.report(uid);
    }

    pub fn report(&mut self, uid: &str) {
        let outcome = self.outcome(uid);
        self.step(SourceStep::Rows(vec![(uid.into(), outcome)]));
    }

    fn outcome(&self, uid: &str) -> Outcome {
        match self.objects.get(uid) {
            None => Outcome::Gone,
            Some(Object::Broken) => Outcome::Failed("attribute \"v\": broken".into()),
            Some(Object::Good(value)) => self.row(uid, *value),
        }
    }

    /// The row of an object; every registration extracts differently.
    pub fn row(&self, uid: &str, value: u64) -> Outcome {
        Outcome::Row(Arc::new(make_row(self.epoch, uid, value)))
    }

    fn digest(&self, uid: &str, value: u64) -> RowDigest {
        make_row(self.epoch, uid, value).digest()
    }

    pub fn list(&mut self) {
        self.list_start();
        self.list_page();
        self.list_done();
    }

    pub fn list_start(&mut self) {
        self.step(SourceStep::ListStarted);
    }

    pub fn list_page(&mut self) {
        let uids: Vec<Arc<str>> = self.objects.keys().cloned().collect();
        let rows = uids.into_iter().map(|uid| (uid.clone(), self.outcome(&uid))).collect();
        self.step(SourceStep::Rows(rows));
    }

    pub fn list_done(&mut self) {
        self.step(SourceStep::ListDone);
    }

    pub fn fail(&mut self, what: &str) {
        let fault = Fault::new(ErrorClass::Unavailable, reason::SOURCE_UNAVAILABLE, what);
        self.step(SourceStep::Failed(fault));
    }

    /// The list ends without being able to show all.
    pub fn list_incomplete(&mut self) {
        let fault = Fault::new(ErrorClass::Rejected, reason::SOURCE_INCOMPLETE, "a document is broken");
        self.step(SourceStep::ListIncomplete(fault));
    }

    /// Nothing will be collected any more.
    pub fn wind_up(&mut self) {
        let effects = self.engine.wind_up(self.now());
        self.run(effects);
    }

    pub fn step(&mut self, step: SourceStep) {
        self.step_as(self.epoch, step);
    }

    pub fn step_as(&mut self, epoch: Epoch, step: SourceStep) {
        let event = Event::Source {
            target: target(),
            epoch,
            scope: WatchScope::Cluster,
            step,
        };
        let effects = self.engine.apply(event, self.now());
        self.run(effects);
    }

    /// The next delivery fails; `applied` if the sink nevertheless committed it.
    pub fn fail_next(&mut self, class: ErrorClass, applied: bool) {
        self.failures.push_back((class, applied));
    }

    fn run(&mut self, effects: Vec<Effect>) {
        let mut queue: VecDeque<Effect> = effects.into();
        while let Some(effect) = queue.pop_front() {
            match effect {
                Effect::Sink {
                    incarnation, command, ..
                } => {
                    for answer in self.serve(command) {
                        let event = Event::Sink {
                            binding: binding(),
                            incarnation,
                            answer,
                        };
                        queue.extend(self.engine.apply(event, self.now()));
                    }
                }
                Effect::Relist { .. } => self.relists += 1,
                Effect::Closed { .. } => self.closed += 1,
            }
        }
    }

    fn serve(&mut self, command: Command) -> Vec<Answer> {
        let fault = self.fault_for(&command);
        match command {
            Command::Claim => vec![Answer::Claimed(fault.map_or_else(
                || {
                    let targets = if self.sink.is_empty() {
                        vec![]
                    } else {
                        vec![target().name]
                    };
                    Ok(Claim { targets })
                },
                Err,
            ))],
            Command::Read { .. } => {
                if let Some(fault) = fault {
                    return vec![Answer::Read(Err(fault))];
                }
                let held = self.sink.iter().map(|(uid, digest)| HeldRow {
                    uid: uid.clone(),
                    namespace: "shop".into(),
                    digest: *digest,
                });
                vec![Answer::Found(held.collect()), Answer::Read(Ok(()))]
            }
            Command::Deliver(delivery) => vec![Answer::Delivered(self.deliver(&delivery, fault))],
            Command::Record(_) => {
                self.stats.records += usize::from(fault.is_none());
                vec![Answer::Recorded(fault.map_or(Ok(()), Err))]
            }
        }
    }

    fn fault_for(&self, command: &Command) -> Option<Fault> {
        if self.foreign_writer {
            return Some(Fault::new(
                ErrorClass::Misconfigured,
                reason::WRITER_CONFLICT,
                "held by another writer",
            ));
        }
        let _ = command;
        self.down.then(|| {
            Fault::new(
                ErrorClass::Unavailable,
                reason::CONNECTION_TEST_FAILED,
                "connection refused",
            )
        })
    }

    fn deliver(&mut self, delivery: &Delivery, fault: Option<Fault>) -> Result<Receipt, Fault> {
        if let Some(fault) = fault {
            return Err(fault);
        }
        check_shape(delivery);
        let failure = self.failures.pop_front();
        if let Some((class, false)) = failure {
            return Err(Fault::new(class, reason::EXPORT_FAILED, "scripted"));
        }
        self.stats.deliveries += 1;
        let mut receipt = Receipt::default();
        if delivery.purge != Purge::Nothing {
            self.sink.clear();
        }
        for (key, row) in &delivery.upserts {
            if self.poison.as_ref() == Some(&key.uid) {
                receipt.refused.push((key.clone(), "poisoned".into()));
            } else if self.sink.insert(key.uid.clone(), row.digest()) != Some(row.digest()) {
                receipt.written += 1;
            }
        }
        for RowKey { uid, .. } in &delivery.deletes {
            if self.objects.contains_key(uid) && self.sink.contains_key(uid) {
                self.wrongly_deleted.push(uid.clone());
            }
            receipt.deleted += u64::from(self.sink.remove(uid).is_some());
        }
        self.stats.written += usize::try_from(receipt.written).unwrap();
        self.stats.deleted += usize::try_from(receipt.deleted).unwrap();
        match failure {
            Some((class, _)) => Err(Fault::new(
                class,
                reason::EXPORT_FAILED,
                "scripted: acknowledgement lost",
            )),
            None => Ok(receipt),
        }
    }

    pub fn target_report(&self) -> TargetReport {
        self.engine.target(&target()).unwrap()
    }

    pub fn binding_report(&self) -> BindingReport {
        self.engine.binding(&binding()).unwrap()
    }

    pub fn assert_row(&self, uid: &str, value: u64) {
        assert_eq!(self.sink.get(uid), Some(&make_row(Epoch(1), uid, value).digest()));
    }

    /// The sink holds exactly the rows of the good objects, and says so.
    pub fn assert_level(&self) {
        let expected: BTreeMap<Arc<str>, RowDigest> = self
            .objects
            .iter()
            .filter_map(|(uid, object)| match object {
                Object::Good(value) => Some((uid.clone(), self.digest(uid, *value))),
                Object::Broken => None,
            })
            .collect();
        assert_eq!(self.sink, expected);
        assert!(self.binding_report().level, "{:?}", self.binding_report());
    }
}

fn make_row(epoch: Epoch, uid: &str, value: u64) -> Row {
    let identity = RowIdentity {
        target_namespace: "shop",
        target_name: "apps",
        namespace: "shop",
        name: uid,
        group: "apps",
        version: "v1",
        kind: "Deployment",
        uid,
    };
    let attributes: Map<_, _> = [("v".to_owned(), json!(value)), ("epoch".to_owned(), json!(epoch.0))]
        .into_iter()
        .collect();
    Row::new(&identity, &attributes)
}

fn check_shape(delivery: &Delivery) {
    let upserts: Vec<&RowKey> = delivery.upserts.iter().map(|(key, _)| key).collect();
    let deletes: Vec<&RowKey> = delivery.deletes.iter().collect();
    for keys in [&upserts, &deletes] {
        assert!(keys.is_sorted_by(|a, b| a < b), "sorted, without duplicates");
    }
    assert!(upserts.iter().all(|key| !deletes.contains(key)), "no key in common");
}
