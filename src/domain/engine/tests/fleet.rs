//! A model of the outside for a cluster inventory: objects in namespaces, targets that share some of them, one sink.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, json};

use super::super::*;
use crate::aggregate::rows::Outcome;
use crate::aggregate::view::View;
use crate::condition::reason;
use crate::delivery::{Claim, Delivery, HeldRow, Purge, Receipt};
use crate::fault::{ErrorClass, Fault};
use crate::ids::{InventoryKey, NamespacedName, RowKey, SinkFamily, SinkKey};
use crate::row::{Row, RowIdentity};

/// An object; which targets collect it, and where it is, never changes.
#[derive(Debug, Clone)]
pub struct Object {
    pub namespace: &'static str,
    /// Names of the targets that collect it.
    pub targets: BTreeSet<&'static str>,
    pub value: u64,
    /// Whether extraction fails.
    pub broken: bool,
}

/// What happens to the next delivery.
#[derive(Debug, Clone, Copy)]
pub struct Failure {
    pub class: ErrorClass,
    /// Whether the sink nevertheless committed it.
    pub applied: bool,
}

/// What was asked of the sink.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    pub upserts: usize,
    pub deletes: usize,
    pub reads: usize,
}

#[derive(Debug)]
pub struct Fleet {
    pub engine: Engine,
    pub objects: BTreeMap<Arc<str>, Object>,
    pub sink: BTreeMap<RowKey, Arc<Row>>,
    pub asked: Asked,
    pub failures: VecDeque<Failure>,
    /// Objects that were deleted from the sink although they had to stay.
    pub lost: Vec<RowKey>,
    /// Whether operations of the sink wait for [`Fleet::serve`].
    pub slow: bool,
    pub relists: usize,
    pub records: Vec<crate::delivery::SyncRecord>,
    queue: VecDeque<(u64, Command)>,
    plan: Plan,
    now: Duration,
    epochs: u64,
}

fn key(target: &str) -> TargetKey {
    NamespacedName::new("", target)
}

fn inventory() -> InventoryKey {
    InventoryKey::new("", "fleet")
}

pub fn binding() -> BindingKey {
    BindingKey {
        inventory: inventory(),
        sink: SinkKey {
            family: SinkFamily::Database,
            object: NamespacedName::new("hub", "lake"),
        },
    }
}

impl Fleet {
    /// Nothing is collected yet.
    pub fn new() -> Self {
        let mut fleet = Self {
            engine: Engine::new(),
            objects: BTreeMap::new(),
            sink: BTreeMap::new(),
            asked: Asked::default(),
            failures: VecDeque::new(),
            lost: Vec::new(),
            slow: false,
            relists: 0,
            records: Vec::new(),
            queue: VecDeque::new(),
            plan: Plan::default(),
            now: Duration::from_secs(1_000),
            epochs: 0,
        };
        let plan = BindingPlan {
            revision: 1,
            spacing: Duration::ZERO,
            closing: None,
        };
        fleet.plan.bindings.insert(binding(), plan);
        fleet.configure();
        fleet
    }

    pub fn put(&mut self, uid: &str, namespace: &'static str, targets: &[&'static str]) {
        let object = Object {
            namespace,
            targets: targets.iter().copied().collect(),
            value: 0,
            broken: false,
        };
        self.objects.insert(uid.into(), object);
    }

    pub fn view(&self) -> View {
        self.plan
            .views
            .get(&inventory())
            .map(|view| View::clone(view))
            .unwrap_or_default()
    }

    pub fn set_view(&mut self, view: View) {
        self.plan.views.insert(inventory(), Arc::new(view));
        self.configure();
    }

    /// A new registration of a target, not listed yet.
    pub fn collect(&mut self, target: &str) {
        self.epochs += 1;
        let plan = TargetPlan::Collect {
            epoch: Epoch(self.epochs),
            kind: "apps/v1/Deployment".into(),
            scopes: vec![WatchScope::Cluster],
            ceiling: Arc::default(),
        };
        self.plan.targets.insert(key(target), plan);
        self.configure();
    }

    pub fn hold(&mut self, target: &str) {
        let reason = reason::PROFILE_NOT_FOUND;
        self.plan.targets.insert(key(target), TargetPlan::Hold { reason });
        self.configure();
    }

    pub fn remove(&mut self, target: &str) {
        self.plan.targets.remove(&key(target));
        self.configure();
    }

    /// The process dies and comes back.
    pub fn restart(&mut self) {
        self.engine = Engine::new();
        self.queue.clear();
        self.configure();
    }

    fn configure(&mut self) {
        let effects = self.engine.configure(&self.plan.clone(), self.now());
        self.take(effects);
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
            self.take(effects);
        }
        self.now = end;
    }

    /// A list of a target that runs to its end.
    pub fn list(&mut self, target: &str) {
        self.list_start(target);
        self.step(target, SourceStep::ListDone);
    }

    /// A list of a target that shows everything and has not ended.
    pub fn list_start(&mut self, target: &str) {
        self.step(target, SourceStep::ListStarted);
        let uids: Vec<Arc<str>> = self.objects.keys().cloned().collect();
        let rows = uids
            .iter()
            .map(|uid| (uid.clone(), self.outcome(target, uid)))
            .collect();
        self.step(target, SourceStep::Rows(rows));
    }

    pub fn fail(&mut self, target: &str) {
        let fault = Fault::new(ErrorClass::Unavailable, reason::SOURCE_UNAVAILABLE, "away");
        self.step(target, SourceStep::Failed(fault));
    }

    /// The watch of a target reports an object as it is now.
    pub fn report(&mut self, target: &str, uid: &str) {
        let outcome = self.outcome(target, uid);
        self.step(target, SourceStep::Rows(vec![(uid.into(), outcome)]));
    }

    fn outcome(&self, target: &str, uid: &str) -> Outcome {
        match self.objects.get(uid) {
            None => Outcome::Gone,
            Some(object) if !object.targets.contains(target) => Outcome::NoMatch,
            Some(object) if object.broken => Outcome::Failed("broken".into()),
            Some(object) => Outcome::Row(row(target, uid, object)),
        }
    }

    fn step(&mut self, target: &str, step: SourceStep) {
        let Some(TargetPlan::Collect { epoch, .. }) = self.plan.targets.get(&key(target)) else {
            return;
        };
        let event = Event::Source {
            target: key(target),
            epoch: *epoch,
            scope: WatchScope::Cluster,
            step,
        };
        let effects = self.engine.apply(event, self.now());
        self.take(effects);
    }

    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Sink {
                    incarnation, command, ..
                } => {
                    if let Command::Deliver(delivery) = &command {
                        self.judge(delivery);
                    }
                    self.queue.push_back((incarnation, command));
                }
                Effect::Relist { .. } => self.relists += 1,
                Effect::Closed { .. } => {}
            }
        }
        while !self.slow && self.serve() {}
    }

    /// The sink carries out one operation; false if it is idle.
    pub fn serve(&mut self) -> bool {
        let Some((incarnation, command)) = self.queue.pop_front() else {
            return false;
        };
        for answer in self.answers(command) {
            let event = Event::Sink {
                binding: binding(),
                incarnation,
                answer,
            };
            let effects = self.engine.apply(event, self.now());
            self.take(effects);
        }
        true
    }

    fn answers(&mut self, command: Command) -> Vec<Answer> {
        match command {
            Command::Claim => {
                let targets: BTreeSet<Arc<str>> = self.sink.keys().map(|key| key.target.clone()).collect();
                let targets = targets.into_iter().collect();
                vec![Answer::Claimed(Ok(Claim { targets }))]
            }
            Command::Read { target } => {
                self.asked.reads += 1;
                let of_target = self.sink.iter().filter(|(key, _)| key.target == target);
                let held = of_target.map(|(key, row)| HeldRow {
                    uid: key.uid.clone(),
                    namespace: row.namespace().into(),
                    digest: row.digest(),
                });
                vec![Answer::Found(held.collect()), Answer::Read(Ok(()))]
            }
            Command::Deliver(delivery) => vec![Answer::Delivered(self.deliver(&delivery))],
            Command::Record(records) => {
                self.records = records;
                vec![Answer::Recorded(Ok(()))]
            }
        }
    }

    /// A row of a selected target whose object lives may go only if another row of the object is there afterwards, and
    /// only where objects are shown once.
    fn judge(&mut self, delivery: &Delivery) {
        let mut after = self.sink.clone();
        apply(&mut after, delivery);
        let view = self.view();
        let shown_elsewhere = |uid: &Arc<str>| view.dedupe && after.keys().any(|key| key.uid == *uid);
        let lost = self
            .sink
            .keys()
            .filter(|key| !after.contains_key(*key) && self.is_due(key, &view) && !shown_elsewhere(&key.uid));
        let lost: Vec<RowKey> = lost.cloned().collect();
        self.lost.extend(lost);
    }

    /// Whether a target that is configured and selected collects a living object of a namespace that is shown.
    fn is_due(&self, row: &RowKey, view: &View) -> bool {
        let object = self.objects.get(&row.uid);
        object.is_some_and(|object| object.targets.contains(&*row.target) && view.admits(object.namespace))
            && view.selects(&row.target)
            && self.plan.targets.contains_key(&key(&row.target))
    }

    fn deliver(&mut self, delivery: &Delivery) -> Result<Receipt, Fault> {
        self.asked.upserts += delivery.upserts.len();
        self.asked.deletes += delivery.deletes.len();
        let failure = self.failures.pop_front();
        if failure.is_none_or(|failure| failure.applied) {
            apply(&mut self.sink, delivery);
        }
        match failure {
            Some(failure) => Err(Fault::new(failure.class, reason::EXPORT_FAILED, "scripted")),
            None => Ok(Receipt::default()),
        }
    }

    /// What the sink should hold, from the objects and the configuration alone.
    pub fn expected(&self) -> BTreeMap<RowKey, Arc<Row>> {
        let view = self.view();
        let mut expected = BTreeMap::new();
        for (uid, object) in &self.objects {
            let mut due: Vec<RowKey> = object
                .targets
                .iter()
                .map(|target| RowKey {
                    target: (*target).into(),
                    uid: uid.clone(),
                })
                .filter(|row| self.is_due(row, &view) && !object.broken)
                .collect();
            if view.dedupe {
                due = due.pop().into_iter().collect();
            }
            expected.extend(due.into_iter().map(|row_key| {
                let row = row(&row_key.target, uid, object);
                (row_key, row)
            }));
        }
        expected
    }

    pub fn assert_level(&self) {
        assert_eq!(
            self.sink.keys().collect::<Vec<_>>(),
            self.expected().keys().collect::<Vec<_>>()
        );
        assert_eq!(self.sink, self.expected());
        let report = self.engine.binding(&binding()).unwrap();
        assert!(report.level, "{report:?}");
    }
}

fn row(target: &str, uid: &str, object: &Object) -> Arc<Row> {
    let identity = RowIdentity {
        target_namespace: object.namespace,
        target_name: target,
        namespace: object.namespace,
        name: uid,
        group: "apps",
        version: "v1",
        kind: "Deployment",
        uid,
    };
    let attributes: Map<_, _> = [("v".to_owned(), json!(object.value))].into_iter().collect();
    Arc::new(Row::new(&identity, &attributes))
}

fn apply(sink: &mut BTreeMap<RowKey, Arc<Row>>, delivery: &Delivery) {
    match &delivery.purge {
        Purge::Nothing => {}
        Purge::Targets(targets) => sink.retain(|key, _| !targets.contains(&key.target)),
        Purge::Inventory => sink.clear(),
    }
    for key in &delivery.deletes {
        sink.remove(key);
    }
    sink.extend(delivery.upserts.iter().cloned());
}
