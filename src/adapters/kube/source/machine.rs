//! The life of one source: look the kind up, list it, watch it, and come back from every failure.
//!
//! ```text
//! Discover --> List --> Listing --> Connect --> Watching
//!    ^           ^                    ^  |         |
//!    |           +-- version too old -|--+---------+   (also: silence, version went back)
//!    |                                +-- closed --+
//!    +--------- kind not served (404) -------------+
//! ```
//!
//! Every other failure repeats the phase it happened in. Nothing runs outside of the stream: dropping it ends all.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kollect_domain::ids::{Gvk, WatchScope};
use kollect_ports::source::{SourceEvent, SourceFailure};
use kube::Client;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};

use super::access::{Verdict, is_allowed, supervise};
use super::decoder::ObjectDecoder;
use super::failure::{Failure, Health};
use super::list::{List, Progress};
use super::page_size::PageSize;
use super::target::Target;
use super::watch::{Watch, WatchEnd};
use crate::kube::client::ApiError;
use crate::kube::discovery::resolve;

/// A watch that lived this long proves that the server serves us.
const STEADY: Duration = Duration::from_secs(5);
/// Longest wait for a turn to list. Turns are a courtesy to the API server: a list whose reader is slow must not keep
/// others from starting for good.
const TURN: Duration = Duration::from_mins(1);

/// What a source was asked for.
#[derive(Debug, Clone)]
pub(super) struct Wanted<D> {
    pub(super) gvk: Gvk,
    pub(super) scope: WatchScope,
    pub(super) label_selector: Option<String>,
    pub(super) decoder: D,
    pub(super) page_size: PageSize,
}

/// One source.
pub(super) struct Machine<D> {
    client: Client,
    wanted: Wanted<D>,
    turns: Arc<Semaphore>,
    health: Health,
    phase: Phase<D>,
    /// Time to wait before the phase is entered.
    wait: Duration,
    outbox: VecDeque<SourceEvent>,
}

enum Phase<D> {
    Discover,
    List(Target),
    Listing {
        target: Target,
        list: Box<List<D>>,
        turn: Option<OwnedSemaphorePermit>,
    },
    Connect {
        target: Target,
        version: String,
    },
    Watching {
        target: Target,
        version: String,
        watch: Box<Watch<D>>,
        supervision: BoxFuture<'static, Verdict>,
        since: Instant,
    },
}

impl<D: ObjectDecoder> Machine<D> {
    /// A source that has not begun.
    pub(super) fn new(client: Client, wanted: Wanted<D>, turns: Arc<Semaphore>) -> Self {
        Self {
            client,
            wanted,
            turns,
            health: Health::new(),
            phase: Phase::Discover,
            wait: Duration::ZERO,
            outbox: VecDeque::new(),
        }
    }

    /// The next event; waits for it as long as it takes.
    pub(super) async fn next(&mut self) -> SourceEvent {
        loop {
            if let Some(event) = self.outbox.pop_front() {
                return event;
            }
            let wait = std::mem::take(&mut self.wait);
            if !wait.is_zero() {
                sleep(wait).await;
            }
            self.phase = match std::mem::replace(&mut self.phase, Phase::Discover) {
                Phase::Discover => self.discover().await,
                Phase::List(target) => self.begin_list(target).await,
                Phase::Listing { target, list, turn } => self.read_list(target, list, turn).await,
                Phase::Connect { target, version } => self.connect(target, version).await,
                Phase::Watching {
                    target,
                    version,
                    watch,
                    supervision,
                    since,
                } => self.watch(target, version, watch, supervision, since).await,
            };
        }
    }

    async fn discover(&mut self) -> Phase<D> {
        let served = match resolve(&self.client, &self.wanted.gvk).await {
            Ok(served) => served,
            Err(error) => return self.fail(Failure::of_discovery(&error), Phase::Discover),
        };
        let selector = self.wanted.label_selector.as_deref();
        if served.gvk != self.wanted.gvk {
            tracing::warn!(
                object.kind = %self.wanted.gvk,
                "the version is not served; collecting the kind in version {} instead, correct targetGVK",
                served.gvk.version
            );
        }
        match Target::new(&served, &self.wanted.scope, selector) {
            Ok(target) => Phase::List(target),
            Err(error) => self.fail(Failure::from(error), Phase::Discover),
        }
    }

    async fn begin_list(&mut self, target: Target) -> Phase<D> {
        let turn = match timeout(TURN, Arc::clone(&self.turns).acquire_owned()).await {
            Ok(Ok(turn)) => Some(turn),
            Ok(Err(_)) | Err(_) => None,
        };
        let decoder = self.wanted.decoder.clone();
        match List::open(self.client.clone(), target.clone(), decoder, self.wanted.page_size).await {
            Ok(list) => {
                self.health.recovered();
                self.outbox.push_back(SourceEvent::ListStarted);
                let list = Box::new(list);
                Phase::Listing { target, list, turn }
            }
            Err(error) => self.fail_request(&error, target, Phase::List),
        }
    }

    async fn read_list(
        &mut self,
        target: Target,
        mut list: Box<List<D>>,
        turn: Option<OwnedSemaphorePermit>,
    ) -> Phase<D> {
        match list.next().await {
            Ok(Progress::Objects(objects)) => {
                self.outbox.push_back(SourceEvent::Objects(objects));
                Phase::Listing { target, list, turn }
            }
            Ok(Progress::Restarted) => {
                self.outbox.push_back(SourceEvent::ListStarted);
                Phase::Listing { target, list, turn }
            }
            Ok(Progress::Done { resource_version }) => {
                self.outbox.push_back(SourceEvent::ListDone);
                let version = resource_version;
                Phase::Connect { target, version }
            }
            Err(error) => self.fail_request(&error, target, Phase::List),
        }
    }

    async fn connect(&mut self, target: Target, version: String) -> Phase<D> {
        // A watch alone may be allowed while lists are not: then it would open and be cut again every few seconds.
        if self.health.reported() == Some(SourceFailure::Forbidden)
            && matches!(is_allowed(&self.client, &target).await, Ok(false))
        {
            let failure = Failure::rights_withdrawn(&target);
            return self.fail(failure, Phase::Connect { target, version });
        }
        let decoder = self.wanted.decoder.clone();
        match Watch::open(&self.client, target.clone(), decoder, version.clone()).await {
            Ok(watch) => {
                if self.health.recovered() {
                    self.outbox.push_back(SourceEvent::Resumed);
                }
                Phase::Watching {
                    supervision: supervise(self.client.clone(), target.clone()).boxed(),
                    watch: Box::new(watch),
                    since: Instant::now(),
                    target,
                    version,
                }
            }
            Err(error) if error.has_code(410) => relist(target, "its version is too old"),
            Err(error) => self.fail_request(&error, target, |target| Phase::Connect { target, version }),
        }
    }

    async fn watch(
        &mut self,
        target: Target,
        version: String,
        mut watch: Box<Watch<D>>,
        mut supervision: BoxFuture<'static, Verdict>,
        since: Instant,
    ) -> Phase<D> {
        let next = tokio::select! {
            next = watch.next() => next,
            verdict = &mut supervision => return self.give_up(verdict, target, version),
        };
        let end = match next {
            Ok(batch) => {
                if !batch.events.is_empty() {
                    self.outbox.push_back(SourceEvent::Objects(batch.events));
                }
                let version = batch.resource_version.unwrap_or(version);
                return Phase::Watching {
                    target,
                    version,
                    watch,
                    supervision,
                    since,
                };
            }
            Err(end) => end,
        };
        if since.elapsed() >= STEADY {
            self.health.steady();
        } else {
            self.wait = self.health.hold_back();
        }
        self.after_watch(end, target, version)
    }

    fn give_up(&mut self, verdict: Verdict, target: Target, version: String) -> Phase<D> {
        match verdict {
            Verdict::Denied => {
                let failure = Failure::rights_withdrawn(&target);
                self.fail(failure, Phase::Connect { target, version })
            }
            // If the server is really gone, connecting fails and says so.
            Verdict::Unanswered => Phase::Connect { target, version },
        }
    }

    fn after_watch(&mut self, end: WatchEnd, target: Target, version: String) -> Phase<D> {
        match end {
            WatchEnd::Closed => Phase::Connect { target, version },
            WatchEnd::Refused(refusal) if refusal.code == 410 => relist(target, "its version is too old"),
            WatchEnd::Refused(refusal) => {
                let operation = format!("watch {target}");
                let error = ApiError::Refused { operation, refusal };
                self.fail_request(&error, target, |target| Phase::Connect { target, version })
            }
            WatchEnd::Silent => relist(target, "it was silent for too long"),
            WatchEnd::WentBack => relist(target, "the server went back to an older version"),
            // The same text would come again: a list goes around it.
            WatchEnd::Broken(error) => self.fail_request(&error, target, Phase::List),
        }
    }

    fn fail_request(&mut self, error: &ApiError, target: Target, again: impl FnOnce(Target) -> Phase<D>) -> Phase<D> {
        let failure = Failure::of_request(error, &target);
        let next = if error.has_code(404) {
            Phase::Discover
        } else {
            again(target)
        };
        self.fail(failure, next)
    }

    fn fail(&mut self, failure: Failure, next: Phase<D>) -> Phase<D> {
        tracing::debug!(source.kind = %self.wanted.gvk, "{}", failure.message);
        let (event, wait) = self.health.failed(failure);
        self.outbox.extend(event);
        self.wait = wait;
        next
    }
}

fn relist<D>(target: Target, why: &str) -> Phase<D> {
    tracing::info!(source.target = %target, "the watch of {target} cannot go on: {why}; listing again");
    Phase::List(target)
}
