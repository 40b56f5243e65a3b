//! A target that is listed namespace by namespace.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::super::*;
use super::world::{binding, target};
use crate::aggregate::rows::Outcome;
use crate::condition::reason;
use crate::config::scope::ScopeSpec;
use crate::config::{Configuration, Resource};
use crate::delivery::{Claim, HeldRow, Receipt};
use crate::fault::{ErrorClass, Fault};
use crate::ids::NamespacedName;
use crate::row::{Row, RowIdentity};

/// What a sink holds: namespace by uid, with the digest.
type Held = BTreeMap<Arc<str>, HeldRow>;

struct Estate {
    engine: Engine,
    plan: Plan,
    epoch: u64,
    sink: Held,
    written: usize,
    /// Deliveries that the sink is going to refuse for now.
    refusals: usize,
    passed: Duration,
}

fn scope(namespace: &str) -> WatchScope {
    WatchScope::Namespace(namespace.into())
}

fn row(namespace: &str, name: &str) -> (Arc<str>, Outcome) {
    let uid = format!("{namespace}-{name}");
    let identity = RowIdentity {
        target_namespace: "shop",
        target_name: "apps",
        namespace,
        name,
        group: "apps",
        version: "v1",
        kind: "Deployment",
        uid: &uid,
    };
    let row = Row::new(&identity, &serde_json::Map::new());
    (uid.as_str().into(), Outcome::Row(Arc::new(row)))
}

fn forbidden() -> SourceStep {
    SourceStep::Failed(Fault::new(
        ErrorClass::Misconfigured,
        reason::SCOPE_FORBIDDEN,
        "no right",
    ))
}

fn denying(namespace: &str) -> Ceiling {
    let spec = ScopeSpec {
        denied_namespaces: [namespace.to_owned()].into(),
        ..ScopeSpec::default()
    };
    let key = NamespacedName::new("shop", "boundary");
    let resource = Resource {
        key: key.clone(),
        labels: [].into(),
        created: None,
        uid: "boundary".into(),
        generation: 1,
        deleting: false,
        finalizers: vec![],
        spec: Ok(Arc::new(spec)),
        conditions: vec![],
    };
    let configuration = Configuration {
        scopes: [(key, resource)].into(),
        ..Configuration::default()
    };
    Ceiling::over("shop", &configuration).unwrap()
}

impl Estate {
    /// An estate that lists these scopes and delivered nothing yet.
    fn new(scopes: &[WatchScope]) -> Self {
        let mut plan = Plan::default();
        let binding_plan = BindingPlan {
            revision: 1,
            spacing: Duration::ZERO,
            closing: None,
        };
        plan.bindings.insert(binding(), binding_plan);
        let mut estate = Self {
            engine: Engine::new(),
            plan,
            epoch: 1,
            sink: Held::new(),
            written: 0,
            refusals: 0,
            passed: Duration::from_secs(1),
        };
        estate.watch(scopes);
        estate
    }

    fn now(&self) -> Now {
        Now {
            wall: Timestamp::UNIX_EPOCH + self.passed,
            monotonic: self.passed,
        }
    }

    /// Lets time pass, and what is due happen.
    fn tick(&mut self, by: Duration) {
        let end = self.passed + by;
        while let Some(deadline) = self.engine.next_deadline().filter(|deadline| *deadline <= end) {
            self.passed = self.passed.max(deadline);
            let effects = self.engine.tick(self.now());
            self.run(effects);
        }
        self.passed = end;
    }

    fn watch(&mut self, scopes: &[WatchScope]) {
        self.watch_under(scopes, Ceiling::default());
    }

    fn watch_under(&mut self, scopes: &[WatchScope], ceiling: Ceiling) {
        let plan = TargetPlan::Collect {
            epoch: Epoch(self.epoch),
            kind: "apps/v1/Deployment".into(),
            scopes: scopes.to_vec(),
            ceiling: Arc::new(ceiling),
        };
        self.plan.targets.insert(target(), plan);
        let effects = self.engine.configure(&self.plan.clone(), self.now());
        self.run(effects);
    }

    fn restart(&mut self, scopes: &[WatchScope]) {
        self.engine = Engine::new();
        self.watch(scopes);
    }

    fn step(&mut self, scope: &WatchScope, step: SourceStep) {
        let event = Event::Source {
            target: target(),
            epoch: Epoch(self.epoch),
            scope: scope.clone(),
            step,
        };
        let effects = self.engine.apply(event, self.now());
        self.run(effects);
    }

    fn list(&mut self, scope: &WatchScope, rows: Vec<(Arc<str>, Outcome)>) {
        self.step(scope, SourceStep::ListStarted);
        self.step(scope, SourceStep::Rows(rows));
        self.step(scope, SourceStep::ListDone);
    }

    fn run(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let Effect::Sink {
                incarnation, command, ..
            } = effect
            else {
                panic!("a sink is all that is asked for, not {effect:?}");
            };
            for answer in self.serve(command) {
                let event = Event::Sink {
                    binding: binding(),
                    incarnation,
                    answer,
                };
                let effects = self.engine.apply(event, self.now());
                self.run(effects);
            }
        }
    }

    fn serve(&mut self, command: Command) -> Vec<Answer> {
        match command {
            Command::Claim => vec![Answer::Claimed(Ok(Claim {
                targets: (!self.sink.is_empty()).then(|| target().name).into_iter().collect(),
            }))],
            Command::Read { .. } => vec![
                Answer::Found(self.sink.values().cloned().collect()),
                Answer::Read(Ok(())),
            ],
            Command::Deliver(_) if self.refusals > 0 => {
                self.refusals -= 1;
                let fault = Fault::new(ErrorClass::Transient, reason::EXPORT_FAILED, "not now");
                vec![Answer::Delivered(Err(fault))]
            }
            Command::Deliver(delivery) => {
                for (key, row) in delivery.upserts {
                    let held = HeldRow {
                        uid: key.uid.clone(),
                        namespace: row.namespace().into(),
                        digest: row.digest(),
                    };
                    self.sink.insert(key.uid, held);
                    self.written += 1;
                }
                for key in delivery.deletes {
                    self.sink.remove(&key.uid);
                }
                vec![Answer::Delivered(Ok(Receipt::default()))]
            }
            Command::Record(_) => vec![Answer::Recorded(Ok(()))],
        }
    }

    fn delivered(&self) -> Vec<&str> {
        self.sink.keys().map(|uid| &**uid).collect()
    }
}

#[test]
fn nothing_is_delivered_until_every_namespace_was_listed_or_cannot_be() {
    let (a, b) = (scope("a"), scope("b"));
    let mut estate = Estate::new(&[a.clone(), b.clone()]);
    estate.list(&a, vec![row("a", "1")]);
    assert!(estate.delivered().is_empty(), "half of a new definition is not shown");
    estate.step(&b, forbidden());
    assert_eq!(estate.delivered(), ["a-1"]);
    let report = estate.engine.target(&target()).unwrap();
    assert_eq!((report.listed, report.complete), (true, false));
    assert_eq!(report.forbidden, [Arc::from("b")]);
    assert_eq!(report.fault, None, "the others go on");
}

#[test]
fn a_target_without_any_readable_namespace_is_at_fault() {
    let (a, b) = (scope("a"), scope("b"));
    let mut estate = Estate::new(&[a.clone(), b.clone()]);
    estate.step(&a, forbidden());
    assert_eq!(
        estate.engine.target(&target()).unwrap().fault,
        None,
        "b may still be listed"
    );
    estate.step(&b, forbidden());
    let fault = estate
        .engine
        .target(&target())
        .unwrap()
        .fault
        .expect("nothing can be read");
    assert_eq!(fault.reason, reason::SCOPE_FORBIDDEN);
}

#[test]
fn rows_of_a_namespace_that_may_not_be_read_any_more_stay_also_after_a_restart() {
    let (a, b) = (scope("a"), scope("b"));
    let scopes = [a.clone(), b.clone()];
    let mut estate = Estate::new(&scopes);
    estate.list(&a, vec![row("a", "1"), row("a", "2")]);
    estate.list(&b, vec![row("b", "1")]);
    estate.step(&b, forbidden());
    estate.list(&a, vec![row("a", "2")]);
    assert_eq!(estate.delivered(), ["a-2", "b-1"]);
    estate.restart(&scopes);
    estate.step(&b, forbidden());
    estate.list(&a, vec![row("a", "3")]);
    assert_eq!(estate.delivered(), ["a-3", "b-1"]);
    estate.list(&b, vec![]);
    assert_eq!(estate.delivered(), ["a-3"], "a list that is empty and allowed says so");
}

#[test]
fn from_the_whole_cluster_to_namespaces_no_row_is_written_again() {
    let (all, a, b) = (WatchScope::Cluster, scope("a"), scope("b"));
    let mut estate = Estate::new(std::slice::from_ref(&all));
    estate.list(&all, vec![row("a", "1"), row("b", "1"), row("b", "2"), row("c", "1")]);
    assert_eq!((estate.delivered().len(), estate.written), (4, 4));
    estate.watch(&[a.clone(), b.clone()]);
    estate.list(&a, vec![row("a", "1")]);
    assert_eq!(estate.delivered().len(), 4, "b is still to come");
    estate.list(&b, vec![row("b", "2")]);
    assert_eq!(estate.delivered(), ["a-1", "b-2"], "c is not watched any more");
    assert_eq!(estate.written, 4);
    estate.watch(std::slice::from_ref(&all));
    estate.list(&all, vec![row("a", "1"), row("b", "2")]);
    assert_eq!((estate.delivered(), estate.written), (vec!["a-1", "b-2"], 4));
}

#[test]
fn a_namespace_more_leaves_those_that_were_listed_alone() {
    let (a, b) = (scope("a"), scope("b"));
    let mut estate = Estate::new(std::slice::from_ref(&a));
    estate.list(&a, vec![row("a", "1")]);
    estate.watch(&[a.clone(), b.clone()]);
    estate.list(&b, vec![row("b", "1")]);
    assert_eq!(estate.delivered(), ["a-1", "b-1"], "without another list of a");
    estate.watch(std::slice::from_ref(&b));
    estate.list(&b, vec![row("b", "1")]);
    assert_eq!(estate.delivered(), ["b-1"]);
}

#[test]
fn a_selection_of_no_namespace_is_complete_and_empty() {
    let a = scope("a");
    let mut estate = Estate::new(std::slice::from_ref(&a));
    estate.list(&a, vec![row("a", "1")]);
    estate.watch(&[]);
    assert!(estate.delivered().is_empty());
    let report = estate.engine.target(&target()).unwrap();
    assert!(report.complete && report.rows == 0);

    let mut estate = Estate::new(std::slice::from_ref(&a));
    estate.list(&a, vec![row("a", "1")]);
    estate.restart(&[]);
    assert!(estate.delivered().is_empty(), "also when only the sink remembers");
}

#[test]
fn rows_that_policy_denies_go_at_once_and_the_others_stay_until_they_are_listed() {
    let all = WatchScope::Cluster;
    let mut estate = Estate::new(std::slice::from_ref(&all));
    estate.list(&all, vec![row("a", "1"), row("b", "1")]);
    estate.epoch = 2;
    estate.watch_under(std::slice::from_ref(&all), denying("b"));
    assert_eq!(estate.delivered(), ["a-1"], "the sink need not wait for a list");
    estate.list(&all, vec![row("a", "1")]);
    assert_eq!(estate.delivered(), ["a-1"]);
}

#[test]
fn what_policy_denies_is_tried_again_until_the_sink_took_it() {
    let all = WatchScope::Cluster;
    let mut estate = Estate::new(std::slice::from_ref(&all));
    estate.list(&all, vec![row("a", "1"), row("b", "1")]);
    estate.epoch = 2;
    estate.refusals = 2;
    estate.watch_under(std::slice::from_ref(&all), denying("b"));
    assert_eq!(estate.delivered(), ["a-1", "b-1"], "the sink refused");
    estate.tick(Duration::from_mins(5));
    assert_eq!(estate.delivered(), ["a-1"]);
}
