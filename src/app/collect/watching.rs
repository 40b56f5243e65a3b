//! One watch: from the events of a source to steps of the engine.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use kollect_domain::aggregate::rows::Outcome;
use kollect_domain::condition::reason;
use kollect_domain::engine::{Event, SourceStep};
use kollect_domain::fault::{ErrorClass, Fault};
use kollect_domain::ids::WatchScope;
use kollect_domain::plan::reach::Finding;
use kollect_domain::plan::registration::Registration;
use kollect_domain::selection::namespaces::CLUSTER_SCOPED;
use kollect_ports::metrics::Telemetry;
use kollect_ports::source::{ObjectEvent, SourceEvent, SourceFailure, WatchRequest};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::Shared;
use super::orders::{Order, Orders};

/// Most namespaces whose objects are listed one namespace after the other; one list of everything is cheaper then.
const REVIEW_LIMIT: usize = 16;
/// Longest look at one namespace while the watch rests.
const REVIEW_DEADLINE: Duration = Duration::from_mins(1);

/// A stream of one kind.
pub(super) type SourceStream = BoxStream<'static, SourceEvent>;

/// What one target makes of a batch of objects.
type Judged<'a> = (&'a Arc<Registration>, Vec<(Arc<str>, Outcome)>);

/// One watch and the targets that it serves.
pub(super) struct Session {
    pub(super) request: WatchRequest,
    pub(super) shared: Shared,
    pub(super) members: Vec<Arc<Registration>>,
}

impl Session {
    pub(super) async fn run(self, mut stream: SourceStream, orders: Arc<Orders>) {
        loop {
            let mut reopen_at: Option<Instant> = None;
            loop {
                let reopen = async {
                    match reopen_at {
                        Some(at) => tokio::time::sleep_until(at).await,
                        None => futures::future::pending().await,
                    }
                };
                let pause = tokio::select! {
                    event = stream.next() => match event {
                        Some(event) => {
                            self.handle(event).await;
                            None
                        }
                        None => break,
                    },
                    order = orders.next() => self.carry_out(order).await,
                    () = reopen => break,
                };
                if let Some(pause) = pause {
                    let at = Instant::now() + pause;
                    reopen_at = Some(reopen_at.map_or(at, |earlier| earlier.min(at)));
                }
            }
            stream = self.shared.source.open(self.request.clone());
        }
    }

    /// Does what is asked for; after which time everything is to be listed again, if it is.
    async fn carry_out(&self, order: Order) -> Option<Duration> {
        if order.relist.is_some() || order.review.is_empty() {
            return order.relist;
        }
        match &self.request.scope {
            WatchScope::Namespace(own) => order.review.contains(own).then_some(Duration::ZERO),
            WatchScope::Cluster if order.review.len() > REVIEW_LIMIT => Some(Duration::ZERO),
            WatchScope::Cluster => {
                for namespace in &order.review {
                    let reviewed = tokio::time::timeout(REVIEW_DEADLINE, self.review(namespace)).await;
                    if reviewed != Ok(true) {
                        return Some(Duration::ZERO);
                    }
                }
                None
            }
        }
    }

    /// Lists one namespace and judges its objects again; false if that did not work.
    ///
    /// The watch rests meanwhile: what it tells afterwards is as new as this list, or is followed by what is. So the
    /// older of two states never stays. Nothing is swept, as deletions are the watch's.
    async fn review(&self, namespace: &Arc<str>) -> bool {
        let request = WatchRequest {
            scope: WatchScope::Namespace(namespace.clone()),
            ..self.request.clone()
        };
        let mut list = self.shared.source.open(request);
        while let Some(event) = list.next().await {
            match event {
                SourceEvent::Objects(objects) => self.judge(objects).await,
                SourceEvent::ListDone => return true,
                SourceEvent::ListStarted | SourceEvent::Resumed => {}
                // Objects without a namespace are touched by the one that stands for them only.
                SourceEvent::Failed {
                    failure: SourceFailure::ClusterScoped,
                    ..
                } => return **namespace != *CLUSTER_SCOPED,
                SourceEvent::Failed { .. } | SourceEvent::ListIncomplete { .. } => return false,
            }
        }
        false
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
                if let Some(finding) = finding(failure, &self.request.scope) {
                    // The receiver is dropped only when the process ends.
                    let _ = self.shared.findings.send((self.request.gvk.clone(), finding)).await;
                }
                if failure == SourceFailure::ClusterScoped {
                    return;
                }
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
        SourceFailure::NotServed | SourceFailure::ClusterScoped => {
            (ErrorClass::Misconfigured, reason::INFORMER_REGISTRATION_FAILED)
        }
        SourceFailure::Forbidden => (ErrorClass::Misconfigured, reason::SCOPE_FORBIDDEN),
        SourceFailure::Unavailable => (ErrorClass::Unavailable, reason::SOURCE_UNAVAILABLE),
    };
    Fault::new(class, reason, message)
}

/// What a failure tells about a kind in general.
fn finding(failure: SourceFailure, scope: &WatchScope) -> Option<Finding> {
    match (failure, scope) {
        (SourceFailure::Forbidden, WatchScope::Cluster) => Some(Finding::Forbidden),
        (SourceFailure::ClusterScoped, _) => Some(Finding::ClusterScoped),
        (SourceFailure::Forbidden | SourceFailure::NotServed | SourceFailure::Unavailable, _) => None,
    }
}
