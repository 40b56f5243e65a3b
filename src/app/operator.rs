//! The operator: one task that owns the engine and connects it with everything else.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use kollect_domain::config::Configuration;
use kollect_domain::engine::{Effect, Engine, Event};
use kollect_domain::ids::Gvk;
use kollect_domain::plan::reach::{Finding, Reach};
use kollect_domain::plan::{Decisions, Planner, affected_by_namespaces};
use kollect_domain::selection::namespaces::{Defaults, Namespaces};
use kollect_domain::time::Now;
use kollect_ports::clock::Clock;
use kollect_ports::metrics::{Metrics, Telemetry};
use kollect_ports::resources::{ConfigurationSource, ResourceWriter};
use kollect_ports::sink::SinkFactory;
use kollect_ports::source::ObjectSource;
use kollect_ports::witness::Witness;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::collect::{self, Sessions};
use crate::export::{self, Workers};
use crate::outbox::Outbox;
use crate::publish::{Publisher, View};

mod finalizers;
mod levels;
mod outcome;
mod rights;
mod series;
#[cfg(test)]
mod tests;

use levels::Levels;
pub use outcome::Outcome;
use rights::Rights;
use series::Sums;

/// Batches between the watches and the engine. **Policy**: wait, which slows the server's stream. Each batch has up to
/// 256 rows, which the engine keeps anyway, so the queue costs little and a longer one would hide a slow engine.
const QUEUE: usize = 32;

/// Events taken in one turn before deadlines are looked at again.
const TURN: usize = 64;

/// Pause before a list that must confirm a suspicious loss.
const CONFIRM_AFTER: Duration = Duration::from_secs(2);

/// Failures of a sink after which a run that ends by itself gives it up: some seconds.
const EXPORT_ATTEMPTS: u32 = 6;

/// The outside world.
#[derive(Debug, Clone)]
pub struct Ports {
    /// Objects to collect.
    pub source: Arc<dyn ObjectSource>,
    /// Sinks to export to.
    pub sinks: Arc<dyn SinkFactory>,
    /// Our own resources.
    pub configuration: Arc<dyn ConfigurationSource>,
    /// Their statuses.
    pub resources: Arc<dyn ResourceWriter>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Telemetry.
    pub metrics: Arc<dyn Metrics>,
    /// Who looks on while objects are judged, if anybody does.
    pub witness: Option<Arc<dyn Witness>>,
}

/// When the operator stops by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Never.
    Stopped,
    /// Once the first lists are done and every sink has their rows, or cannot be written.
    Exported,
}

/// What the operator can be told.
#[derive(Debug, Clone)]
pub struct Settings {
    /// When it stops by itself.
    pub until: Until,
    /// Namespace restrictions of every target.
    pub defaults: Defaults,
    /// Keys that are redacted besides the built-in ones.
    pub scrub_keys: Vec<String>,
    /// What is known of kinds from the start.
    pub reach: Reach,
    /// How long a stop waits for deliveries under way.
    pub shutdown_grace: Duration,
}

/// What the operator tells about itself.
#[derive(Debug, Clone)]
pub struct Signals {
    /// Becomes true once the first list of every target finished or failed.
    pub ready: watch::Sender<bool>,
    /// Asks the operator to stop.
    pub shutdown: CancellationToken,
}

struct Operator {
    ports: Ports,
    settings: Settings,
    ready: watch::Sender<bool>,
    planner: Planner,
    reach: Reach,
    rights: Rights,
    engine: Engine,
    configuration: Arc<Configuration>,
    decisions: Decisions,
    namespaces: watch::Sender<Arc<Namespaces>>,
    sessions: Sessions,
    workers: Workers,
    publisher: Publisher,
    levels: Levels,
    sums: Sums,
    outbox: Arc<Outbox>,
    configured: bool,
}

/// Runs until asked to stop, or until what [`Settings::until`] says; then delivers what is under way, within the grace
/// time.
pub async fn run(ports: Ports, settings: Settings, signals: Signals) -> Outcome {
    let (events, mut inbox) = mpsc::channel(QUEUE);
    let (found, mut findings) = mpsc::channel(QUEUE);
    let mut configurations = ports.configuration.watch();
    let outbox = Outbox::new();
    let writer = {
        let (outbox, resources, metrics) = (outbox.clone(), ports.resources.clone(), ports.metrics.clone());
        tokio::spawn(async move { outbox.run(resources, metrics).await })
    };
    let mut operator = Operator::new(ports, settings, signals.ready, (events, found), outbox);
    loop {
        let now = operator.ports.clock.now();
        let deadline = operator.next_deadline(now);
        tokio::select! {
            configuration = configurations.next() => match configuration {
                Some(configuration) => operator.configure(configuration),
                None => break,
            },
            Some(event) = inbox.recv() => operator.take(event, &mut inbox),
            Some((gvk, finding)) = findings.recv() => operator.learn(&gvk, finding),
            () = tokio::time::sleep(deadline) => operator.tick(),
            () = signals.shutdown.cancelled() => break,
        }
        // Said before the failure that comes with it, so no failure is the last word while one waits.
        while let Ok((gvk, finding)) = findings.try_recv() {
            operator.learn(&gvk, finding);
        }
        operator.after_turn(inbox.len());
        if operator.is_done() {
            break;
        }
    }
    operator.drain(&mut inbox).await;
    writer.abort();
    // Aborted on purpose; nothing else is to be learned from it.
    let _ = writer.await;
    Outcome::of(&operator.decisions, &operator.engine)
}

impl Operator {
    fn new(
        ports: Ports,
        settings: Settings,
        ready: watch::Sender<bool>,
        (events, findings): (mpsc::Sender<Event>, mpsc::Sender<(Gvk, Finding)>),
        outbox: Arc<Outbox>,
    ) -> Self {
        let (namespaces, known) = watch::channel(Arc::default());
        let sessions = Sessions::new(collect::Shared {
            source: ports.source.clone(),
            events: events.clone(),
            findings: findings.clone(),
            namespaces: known,
            clock: ports.clock.clone(),
            metrics: ports.metrics.clone(),
            witness: ports.witness.clone(),
        });
        let workers = Workers::new(export::Shared {
            factory: ports.sinks.clone(),
            events,
            clock: ports.clock.clone(),
            metrics: ports.metrics.clone(),
        });
        Self {
            planner: Planner::new(settings.defaults.clone(), settings.scrub_keys.clone()),
            publisher: Publisher::new(outbox.clone()),
            levels: Levels::default(),
            sums: Sums::default(),
            rights: Rights::new(ports.source.clone(), findings),
            reach: settings.reach.clone(),
            engine: Engine::new(),
            configuration: Arc::default(),
            decisions: Decisions::default(),
            configured: false,
            ports,
            settings,
            ready,
            namespaces,
            sessions,
            workers,
            outbox,
        }
    }

    /// How long nothing is due, while statuses are published.
    fn next_deadline(&self, now: Now) -> Duration {
        let deadlines = [
            self.engine.next_deadline(),
            self.publisher.next_deadline(),
            self.levels.next_deadline(),
            self.sums.next_deadline(),
        ];
        until(&deadlines, now)
    }

    /// Takes a new configuration.
    fn configure(&mut self, configuration: Arc<Configuration>) {
        let before = std::mem::replace(&mut self.configuration, configuration);
        self.namespaces.send_replace(self.configuration.namespaces.clone());
        let affected = affected_by_namespaces(
            self.decisions.registrations.values(),
            &before.namespaces,
            &self.configuration.namespaces,
        );
        self.configured = true;
        self.plan();
        for (target, namespaces) in affected {
            self.sessions.review(&target, &namespaces);
        }
    }

    /// Takes what was found out about a kind.
    fn learn(&mut self, gvk: &Gvk, finding: Finding) {
        if self.reach.learn(gvk, finding) {
            tracing::info!(object.kind = %gvk, ?finding, "how the kind is read changes");
            self.plan();
        }
    }

    /// Makes a new plan and follows it.
    fn plan(&mut self) {
        let now = self.ports.clock.now();
        self.decisions = self.planner.plan(&self.configuration, &self.reach);
        let decisions = &self.decisions;
        let effects = self.engine.configure(&decisions.plan, now);
        self.workers.reconcile(&decisions.sinks, |binding| {
            decisions.plan.bindings.contains_key(binding)
        });
        self.sessions.reconcile(decisions.watched());
        let collected = |gvk: &Gvk| decisions.registrations.values().any(|r| r.profile.gvk() == gvk);
        self.reach.retain(collected);
        self.rights.watch(self.reach.forbidden());
        self.carry_out(effects);
        for change in finalizers::changes(&self.configuration, &self.decisions.plan) {
            self.outbox.put_finalizer(change);
        }
        self.publisher.all_changed(&self.configuration, now);
        let duration = self.ports.clock.now().monotonic.saturating_sub(now.monotonic);
        self.ports.metrics.record(Telemetry::Reconciled { duration });
    }

    /// Takes an event, and others that wait already.
    fn take(&mut self, event: Event, inbox: &mut mpsc::Receiver<Event>) {
        self.apply(event);
        for _ in 1..TURN {
            let Ok(event) = inbox.try_recv() else {
                break;
            };
            self.apply(event);
        }
    }

    fn apply(&mut self, event: Event) {
        let effects = self.engine.apply(event, self.ports.clock.now());
        self.carry_out(effects);
    }

    fn tick(&mut self) {
        let effects = self.engine.tick(self.ports.clock.now());
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Sink {
                    binding,
                    incarnation,
                    command,
                } => self.workers.start(&binding, incarnation, command),
                Effect::Relist { target, scope } => self.sessions.relist(&target, &scope, CONFIRM_AFTER),
                Effect::Closed { binding } => {
                    let still_open = self
                        .decisions
                        .plan
                        .bindings
                        .keys()
                        .any(|other| other.inventory == binding.inventory && !self.engine.is_closed(other));
                    if !still_open {
                        self.outbox.put_finalizer(finalizers::released(binding.inventory));
                    }
                }
            }
        }
    }

    fn after_turn(&mut self, queued: usize) {
        let now = self.ports.clock.now();
        let targets = self.engine.take_changed_targets();
        let bindings = self.engine.take_changed_bindings();
        if !targets.is_empty() {
            self.ports.metrics.record(Telemetry::QueueDepth(queued));
            self.levels.changed();
            self.sums.changed();
        }
        let (decisions, engine, metrics) = (&self.decisions, &self.engine, &self.ports.metrics);
        self.levels.report(decisions, engine, &**metrics, now.monotonic);
        self.sums.compute(decisions, engine, metrics, now.monotonic);
        self.publisher.changed(targets, bindings, &self.configuration, now);
        let view = View {
            configuration: &self.configuration,
            decisions: &self.decisions,
            engine: &self.engine,
            sinks: &*self.ports.sinks,
        };
        self.publisher.publish(view, now);
        if self.configured && !*self.ready.borrow() && self.engine.is_settled() {
            tracing::info!(rows = self.engine.row_count(), "ready: the first lists are done");
            self.ready.send_replace(true);
        }
    }

    fn is_done(&self) -> bool {
        self.settings.until == Until::Exported
            && self.configured
            && self.engine.is_settled()
            && self.engine.is_exported(EXPORT_ATTEMPTS)
    }

    /// Stops collecting, and delivers what is known until every sink is level or the grace time is over.
    async fn drain(&mut self, inbox: &mut mpsc::Receiver<Event>) {
        tracing::info!("stopping: delivering what is under way");
        let grace = tokio::time::sleep(self.settings.shutdown_grace);
        tokio::pin!(grace);
        // Watches hand over their last batch before they end, so the queue must be emptied meanwhile.
        let closing = self.sessions.close();
        tokio::pin!(closing);
        loop {
            tokio::select! {
                () = &mut closing => break,
                Some(event) = inbox.recv() => self.take(event, inbox),
                () = &mut grace => break,
            }
        }
        while let Ok(event) = inbox.try_recv() {
            self.take(event, inbox);
        }
        let effects = self.engine.wind_up(self.ports.clock.now());
        self.carry_out(effects);
        while !self.engine.is_drained() {
            let now = self.ports.clock.now();
            // Statuses are not published any more, so their deadlines do not count.
            let deadline = until(&[self.engine.next_deadline()], now);
            tokio::select! {
                Some(event) = inbox.recv() => self.take(event, inbox),
                () = tokio::time::sleep(deadline) => self.tick(),
                () = &mut grace => {
                    tracing::warn!("stopped with changes undelivered; the next start delivers the difference");
                    break;
                }
            }
        }
        self.rights.close().await;
        self.sums.close().await;
        self.workers.close().await;
    }
}

/// How long it is until the first of the deadlines.
fn until(deadlines: &[Option<Duration>], now: Now) -> Duration {
    /// Nothing is due: look again some time, which costs nothing.
    const IDLE: Duration = Duration::from_mins(1);
    let first = deadlines.iter().flatten().min();
    first.map_or(IDLE, |deadline| deadline.saturating_sub(now.monotonic))
}
