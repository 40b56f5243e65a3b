//! Collection: one task per watch turns objects into row events.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use kollect_domain::aggregate::rows::Outcome;
use kollect_domain::condition::reason;
use kollect_domain::engine::{Event, SourceStep};
use kollect_domain::fault::{ErrorClass, Fault};
use kollect_domain::ids::TargetKey;
use kollect_domain::plan::registration::Registration;
use kollect_domain::plan::session::{self, SessionKey};
use kollect_domain::selection::namespaces::Namespaces;
use kollect_ports::clock::Clock;
use kollect_ports::metrics::{Metrics, Telemetry};
use kollect_ports::source::{ObjectEvent, ObjectSource, SourceEvent, SourceFailure, WatchRequest};
use kollect_ports::witness::Witness;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// The watches that are open.
#[derive(Debug)]
pub struct Sessions {
    shared: Shared,
    running: BTreeMap<SessionKey, Running>,
}

/// What every session needs.
#[derive(Debug, Clone)]
pub struct Shared {
    /// Where objects come from.
    pub source: Arc<dyn ObjectSource>,
    /// Where row events go.
    pub events: mpsc::Sender<Event>,
    /// The namespaces, as last seen.
    pub namespaces: watch::Receiver<Arc<Namespaces>>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Telemetry.
    pub metrics: Arc<dyn Metrics>,
    /// Who looks on, if anybody does.
    pub witness: Option<Arc<dyn Witness>>,
}

#[derive(Debug)]
struct Running {
    members: Vec<(TargetKey, u64)>,
    /// Pause before the kind is listed again; every send asks for one more list.
    relist: watch::Sender<Duration>,
    cancel: CancellationToken,
    task: JoinHandle<()>,
}

impl Sessions {
    /// No watch is open yet.
    pub fn new(shared: Shared) -> Self {
        Self {
            shared,
            running: BTreeMap::new(),
        }
    }

    /// Opens and closes watches until they are those of `registrations`. A watch whose targets changed is closed
    /// before it is opened anew, so its batches cannot mix with those of its successor.
    pub fn reconcile(&mut self, registrations: &BTreeMap<TargetKey, Arc<Registration>>) {
        let mut wanted = session::sessions(registrations.values());
        let mut closing = BTreeMap::new();
        let keys: Vec<SessionKey> = self.running.keys().cloned().collect();
        for key in keys {
            let unchanged = wanted
                .get(&key)
                .is_some_and(|members| session::members(members) == self.running[&key].members);
            if unchanged {
                wanted.remove(&key);
            } else if let Some(running) = self.running.remove(&key) {
                running.cancel.cancel();
                closing.insert(key, running.task);
            }
        }
        // All are opened before any is read: a source that reads all kinds in one go serves them together.
        let opened: Vec<_> = wanted
            .into_iter()
            .map(|(key, members)| (self.session(&key, members), key))
            .map(|(session, key)| (session.shared.source.open(session.request.clone()), session, key))
            .collect();
        for (stream, session, key) in opened {
            let predecessor = closing.remove(&key);
            let running = start(session, stream, predecessor);
            self.running.insert(key, running);
        }
    }

    fn session(&self, key: &SessionKey, members: Vec<Arc<Registration>>) -> Session {
        Session {
            request: WatchRequest {
                gvk: key.gvk.clone(),
                scope: key.scope.clone(),
                mask: Arc::new(session::mask(&members)),
                label_selector: key.label_selector.clone(),
            },
            shared: self.shared.clone(),
            members,
        }
    }

    /// Lists the kind of a target again, after a pause.
    pub fn relist(&self, target: &TargetKey, pause: Duration) {
        for running in self.running.values() {
            if running.members.iter().any(|(member, _)| member == target) {
                running.relist.send_replace(pause);
            }
        }
    }

    /// Asks all watches to end; the future is done when they did.
    pub fn close(&mut self) -> impl Future<Output = ()> + use<> {
        let running = std::mem::take(&mut self.running);
        for session in running.values() {
            session.cancel.cancel();
        }
        async move {
            for (_, session) in running {
                joined(session.task).await;
            }
        }
    }
}

fn start(session: Session, stream: SourceStream, predecessor: Option<JoinHandle<()>>) -> Running {
    let (relist, relists) = watch::channel(Duration::ZERO);
    let members = session::members(&session.members);
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    let span = tracing::info_span!("watch", object.kind = %session.request.gvk);
    let task = tokio::spawn(
        async move {
            if let Some(predecessor) = predecessor {
                joined(predecessor).await;
            }
            token.run_until_cancelled(session.run(stream, relists)).await;
        }
        .instrument(span),
    );
    Running {
        members,
        relist,
        cancel,
        task,
    }
}

async fn joined(task: JoinHandle<()>) {
    if let Err(error) = task.await
        && error.is_panic()
    {
        tracing::error!(%error, "a watch task panicked; its kind is listed anew by its successor");
    }
}

type SourceStream = BoxStream<'static, SourceEvent>;

/// What one target makes of a batch of objects.
type Judged<'a> = (&'a Arc<Registration>, Vec<(Arc<str>, Outcome)>);

struct Session {
    request: WatchRequest,
    shared: Shared,
    members: Vec<Arc<Registration>>,
}

impl Session {
    async fn run(self, mut stream: SourceStream, mut relists: watch::Receiver<Duration>) {
        loop {
            let mut reopen_at: Option<Instant> = None;
            loop {
                let reopen = async {
                    match reopen_at {
                        Some(at) => tokio::time::sleep_until(at).await,
                        None => futures::future::pending().await,
                    }
                };
                tokio::select! {
                    event = stream.next() => match event {
                        Some(event) => self.handle(event).await,
                        None => break,
                    },
                    changed = relists.changed() => match changed {
                        Ok(()) => {
                            let at = Instant::now() + *relists.borrow_and_update();
                            reopen_at = Some(reopen_at.map_or(at, |earlier| earlier.min(at)));
                        }
                        // The sender lives as long as the session is wanted.
                        Err(_) => return,
                    },
                    () = reopen => break,
                }
            }
            stream = self.shared.source.open(self.request.clone());
        }
    }

    async fn handle(&self, event: SourceEvent) {
        match event {
            SourceEvent::ListStarted => self.tell_all(&SourceStep::ListStarted).await,
            SourceEvent::ListDone => self.tell_all(&SourceStep::ListDone).await,
            SourceEvent::ListIncomplete { message } => {
                let fault = Fault::new(ErrorClass::Rejected, reason::SOURCE_INCOMPLETE, message);
                self.tell_all(&SourceStep::ListIncomplete(fault)).await;
            }
            SourceEvent::Resumed => self.tell_all(&SourceStep::Resumed).await,
            SourceEvent::Failed { failure, message } => {
                tracing::warn!(object.kind = %self.request.gvk, ?failure, "collection is interrupted: {message}");
                self.tell_all(&SourceStep::Failed(fault(failure, message))).await;
            }
            SourceEvent::Objects(objects) => self.judge(objects).await,
        }
    }

    async fn judge(&self, objects: Vec<ObjectEvent>) {
        let started = self.shared.clock.now().monotonic;
        let namespaces = self.shared.namespaces.borrow().clone();
        let mut failures = 0;
        let batches: Vec<Judged<'_>> = self
            .members
            .iter()
            .map(|member| {
                let rows = objects
                    .iter()
                    .map(|event| match event {
                        ObjectEvent::Seen(object) => (object.uid.clone(), member.judge(&object.value, &namespaces)),
                        ObjectEvent::Gone { uid } => (uid.clone(), Outcome::Gone),
                        ObjectEvent::Undecodable { uid, message } => (uid.clone(), Outcome::Failed(message.clone())),
                    })
                    .inspect(|(_, outcome)| failures += u64::from(matches!(outcome, Outcome::Failed(_))))
                    .collect();
                (member, rows)
            })
            .collect();
        let duration = self.shared.clock.now().monotonic.saturating_sub(started);
        self.shared.metrics.record(Telemetry::Dispatched {
            duration,
            objects: objects.len() as u64,
            failures,
        });
        if let Some(witness) = &self.shared.witness {
            for (member, outcomes) in &batches {
                witness.judged(member, &objects, outcomes);
            }
        }
        drop(objects);
        for (member, rows) in batches {
            self.tell(member, SourceStep::Rows(rows)).await;
        }
    }

    async fn tell_all(&self, step: &SourceStep) {
        for member in &self.members {
            self.tell(member, step.clone()).await;
        }
    }

    /// Hands a step to the engine; a full queue makes the watch wait, which in turn slows the server's stream.
    async fn tell(&self, member: &Registration, step: SourceStep) {
        let event = Event::Source {
            target: member.target.clone(),
            epoch: member.epoch,
            scope: self.request.scope.clone(),
            step,
        };
        if let Err(error) = self.shared.events.try_send(event) {
            match error {
                mpsc::error::TrySendError::Full(event) => {
                    self.shared.metrics.record(Telemetry::Backpressure);
                    // The receiver is dropped only when the process ends.
                    let _ = self.shared.events.send(event).await;
                }
                mpsc::error::TrySendError::Closed(_) => {}
            }
        }
    }
}

fn fault(failure: SourceFailure, message: String) -> Fault {
    let (class, reason) = match failure {
        SourceFailure::NotServed => (ErrorClass::Misconfigured, reason::INFORMER_REGISTRATION_FAILED),
        SourceFailure::Forbidden => (ErrorClass::Misconfigured, reason::SCOPE_FORBIDDEN),
        SourceFailure::Unavailable => (ErrorClass::Unavailable, reason::SOURCE_UNAVAILABLE),
    };
    Fault::new(class, reason, message)
}
