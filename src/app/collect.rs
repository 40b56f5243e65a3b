//! Collection: one task per watch turns objects into row events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use kollect_domain::engine::Event;
use kollect_domain::ids::{Gvk, TargetKey, WatchScope};
use kollect_domain::plan::reach::Finding;
use kollect_domain::plan::registration::Registration;
use kollect_domain::plan::session::{self, SessionKey};
use kollect_domain::selection::namespaces::Namespaces;
use kollect_ports::clock::Clock;
use kollect_ports::metrics::Metrics;
use kollect_ports::source::{ObjectSource, WatchRequest};
use kollect_ports::witness::Witness;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

mod orders;
mod watching;

use orders::Orders;
use watching::{Session, SourceStream};

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
    /// Where goes what was found out about kinds.
    pub findings: mpsc::Sender<(Gvk, Finding)>,
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
    orders: Arc<Orders>,
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
    pub fn reconcile<'a>(
        &mut self,
        registrations: impl Iterator<Item = (&'a Arc<Registration>, &'a [WatchScope])> + Clone,
    ) {
        let mut wanted = session::sessions(registrations);
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

    /// Lists a scope of a target again, after a pause.
    pub fn relist(&self, target: &TargetKey, scope: &WatchScope, pause: Duration) {
        for (_, running) in self.serving(target).filter(|(key, _)| key.scope == *scope) {
            running.orders.relist(pause);
        }
    }

    /// Judges all objects of some namespaces again.
    pub fn review(&self, target: &TargetKey, namespaces: &BTreeSet<Arc<str>>) {
        for (_, running) in self.serving(target) {
            running.orders.review(namespaces);
        }
    }

    fn serving<'a>(&'a self, target: &'a TargetKey) -> impl Iterator<Item = (&'a SessionKey, &'a Running)> {
        let serves = move |running: &Running| running.members.iter().any(|(member, _)| member == target);
        self.running.iter().filter(move |(_, running)| serves(running))
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
    let orders = Arc::new(Orders::default());
    let given = orders.clone();
    let members = session::members(&session.members);
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    let span = tracing::info_span!("watch", object.kind = %session.request.gvk);
    let task = tokio::spawn(
        async move {
            if let Some(predecessor) = predecessor {
                joined(predecessor).await;
            }
            token.run_until_cancelled(session.run(stream, given)).await;
        }
        .instrument(span),
    );
    Running {
        members,
        orders,
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
