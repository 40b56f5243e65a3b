//! The inputs as an [`ObjectSource`].
//!
//! All streams that are open when the first of them is read share one pass over the inputs: each object is decoded once
//! and handed to everybody who asked for its kind. A stream that is opened later gets a pass of its own. After its
//! pass a stream stays silent: files do not change.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use kollect_domain::extract::mask::Mask;
use kollect_domain::ids::{Gvk, WatchScope};
use kollect_ports::source::{ObjectEvent, ObjectSource, ObservedObject, SourceEvent, WatchRequest};
use serde_json::Value;
use tokio::sync::mpsc;

use super::identity::Identifier;
use super::input::Input;
use super::item::{Identified, Interest, Item, widened};
use super::read::{Listener, read_all};
use super::report::{Place, Report};
use super::scope::{Scope, Scopes};
use super::survey::Survey;

/// Objects of one batch.
const BATCH_OBJECTS: usize = 256;
/// Batches that wait for one reader. **Policy**: wait, which stops the pass; enough to keep both sides busy.
const BATCHES: usize = 4;

/// Manifests and dumps of one cluster.
#[derive(Clone)]
pub struct FileSource {
    shared: Arc<Shared>,
}

struct Shared {
    inputs: Vec<Input>,
    scopes: Scopes,
    identifier: Identifier,
    progress: Arc<AtomicU64>,
    waiting: Mutex<Vec<Subscriber>>,
    /// Held by the pass that runs; its report stays when it is over.
    last: Mutex<Report>,
}

struct Subscriber {
    api_version: String,
    kind: String,
    group: Arc<str>,
    mask: Arc<Mask>,
    scope: WatchScope,
    sender: mpsc::Sender<SourceEvent>,
    batch: Vec<ObjectEvent>,
}

impl FileSource {
    /// A source over inputs that were surveyed, for the cluster with this label.
    pub fn new(inputs: Vec<Input>, survey: &Survey, cluster: &str) -> Self {
        Self {
            shared: Arc::new(Shared {
                inputs,
                scopes: survey.scopes.clone(),
                identifier: Identifier::new(cluster),
                progress: Arc::default(),
                waiting: Mutex::default(),
                last: Mutex::default(),
            }),
        }
    }

    /// Bytes that were read so far, and bytes of all inputs.
    pub fn progress(&self) -> (u64, u64) {
        let all = self.shared.inputs.iter().map(Input::bytes).sum();
        (self.shared.progress.load(Ordering::Relaxed), all)
    }

    /// What the last pass found; waits for the one that runs.
    pub fn report(&self) -> Report {
        locked(&self.shared.last).clone()
    }
}

impl std::fmt::Debug for FileSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileSource")
            .field("inputs", &self.shared.inputs.len())
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl ObjectSource for FileSource {
    fn open(&self, request: WatchRequest) -> BoxStream<'static, SourceEvent> {
        let (sender, receiver) = mpsc::channel(BATCHES);
        let WatchRequest {
            gvk,
            scope,
            mask,
            // Only an optimisation of servers; whoever reads the stream selects by labels all the same.
            label_selector: _,
        } = request;
        let api_version = match &*gvk.group {
            "" => gvk.version.to_string(),
            group => format!("{group}/{}", gvk.version),
        };
        locked(&self.shared.waiting).push(Subscriber {
            api_version,
            kind: gvk.kind.to_string(),
            group: gvk.group,
            mask,
            scope,
            sender,
            batch: Vec::new(),
        });
        let shared = self.shared.clone();
        let events = stream::unfold(receiver, |mut receiver| async move {
            let event = receiver.recv().await?;
            Some((event, receiver))
        });
        stream::once(async move { start(shared) })
            .filter_map(|()| async { None })
            .chain(events)
            .chain(stream::pending())
            .boxed()
    }

    async fn may_read(&self, _: &Gvk, _: &WatchScope) -> bool {
        true
    }
}

/// Starts a pass for all who wait; nothing when an earlier pass took them along.
fn start(shared: Arc<Shared>) {
    let subscribers = std::mem::take(&mut *locked(&shared.waiting));
    if !subscribers.is_empty() {
        // The runtime waits for it when it ends; it ends as soon as nobody reads the streams any more.
        tokio::task::spawn_blocking(move || run(&shared, subscribers));
    }
}

fn run(shared: &Shared, subscribers: Vec<Subscriber>) {
    let mut last = locked(&shared.last);
    shared.progress.store(0, Ordering::Relaxed);
    let mut pass = Pass::new(shared, subscribers);
    let interests = pass.interests();
    pass.tell_all(&SourceEvent::ListStarted);
    read_all(&shared.inputs, &interests, &shared.progress, &mut pass);
    *last = pass.finish();
}

/// One pass over all inputs.
struct Pass<'a> {
    shared: &'a Shared,
    subscribers: Vec<Subscriber>,
    /// By the number of an interest: the subscribers, and the scope of the kind.
    routes: Vec<(Vec<usize>, Option<Scope>)>,
    /// Hashes of the uids that were seen, by interest.
    seen: HashSet<(usize, u64)>,
    hasher: RandomState,
    report: Report,
}

impl<'a> Pass<'a> {
    fn new(shared: &'a Shared, subscribers: Vec<Subscriber>) -> Self {
        Self {
            shared,
            subscribers,
            routes: Vec::new(),
            seen: HashSet::new(),
            hasher: RandomState::new(),
            report: Report::default(),
        }
    }

    /// One interest for each kind, whoever asks for it.
    fn interests(&mut self) -> Vec<Interest> {
        let mut interests: Vec<Interest> = Vec::new();
        for (number, subscriber) in self.subscribers.iter().enumerate() {
            let mask = widened(&subscriber.mask);
            let same = |interest: &Interest| {
                interest.kind == subscriber.kind && interest.api_version == subscriber.api_version
            };
            if let Some(index) = interests.iter().position(same) {
                Arc::make_mut(&mut interests[index].mask).merge(&mask);
                self.routes[index].0.push(number);
            } else {
                interests.push(Interest {
                    api_version: subscriber.api_version.clone(),
                    kind: subscriber.kind.clone(),
                    mask: Arc::new(mask),
                });
                let scope = self.shared.scopes.of(&subscriber.group, &subscriber.kind);
                self.routes.push((vec![number], scope));
            }
        }
        interests
    }

    fn tell_all(&self, event: &SourceEvent) {
        for subscriber in &self.subscribers {
            // Whoever reads no more has no use for it.
            let _ = subscriber.sender.blocking_send(event.clone());
        }
    }

    fn observed(&mut self, place: Place, index: usize, mut value: Value) {
        let (subscribers, scope) = &self.routes[index];
        let first = &self.subscribers[subscribers[0]];
        let identifier = &self.shared.identifier;
        let identity = match identifier.complete(&mut value, &first.group, &first.kind, *scope) {
            Ok(identity) => identity,
            Err(error) => {
                let message = format!("{} is not read: {error}", first.kind);
                return self.report.problem(place, message);
            }
        };
        self.report.read += 1;
        if !self.seen.insert((index, self.hasher.hash_one(&identity.uid))) {
            let message = format!(
                "{} {} is given more than once; the last one counts",
                first.kind,
                [&*identity.namespace, &*identity.name]
                    .join("/")
                    .trim_start_matches('/')
            );
            self.report.remark(place, message);
        }
        let object = ObservedObject {
            uid: identity.uid.into(),
            namespace: identity.namespace.into(),
            name: identity.name.into(),
            value,
        };
        self.send(index, &object.namespace.clone(), ObjectEvent::Seen(object));
    }

    fn send(&mut self, index: usize, namespace: &str, event: ObjectEvent) {
        let mut event = Some(event);
        let numbers = &self.routes[index].0;
        for (at, number) in numbers.iter().enumerate() {
            let subscriber = &mut self.subscribers[*number];
            if !subscriber.scope.covers(namespace) {
                continue;
            }
            let last = at + 1 == numbers.len();
            subscriber.batch.extend(if last { event.take() } else { event.clone() });
            if subscriber.batch.len() >= BATCH_OBJECTS {
                subscriber.flush();
            }
        }
    }

    fn finish(mut self) -> Report {
        for subscriber in &mut self.subscribers {
            subscriber.flush();
        }
        let end = if self.report.problem_count == 0 {
            SourceEvent::ListDone
        } else {
            SourceEvent::ListIncomplete {
                message: self.report.summary(),
            }
        };
        self.tell_all(&end);
        self.report
    }
}

impl Listener for Pass<'_> {
    fn object(&mut self, place: Place, item: Item) {
        self.report.objects += 1;
        if let Some((index, value)) = item.found {
            self.observed(place, index, value);
        }
    }

    fn undecodable(&mut self, place: Place, object: Identified, message: String) {
        self.report.objects += 1;
        let asked_for = self.routes.iter().position(|(subscribers, _)| {
            let first = &self.subscribers[subscribers[0]];
            first.kind == object.kind && first.api_version == object.api_version
        });
        let Some(index) = asked_for else {
            return;
        };
        let kind = object.kind;
        let mut identity = serde_json::json!({ "metadata": {
            "uid": object.metadata.uid, "namespace": object.metadata.namespace, "name": object.metadata.name,
        }});
        let (subscribers, scope) = &self.routes[index];
        let group = &self.subscribers[subscribers[0]].group;
        match self.shared.identifier.complete(&mut identity, group, &kind, *scope) {
            Ok(identity) => {
                let remark = format!("{kind} {} cannot be decoded: {message}", identity.name);
                self.report.remark(place, remark);
                let uid = identity.uid.into();
                self.send(index, &identity.namespace, ObjectEvent::Undecodable { uid, message });
            }
            Err(error) => self
                .report
                .problem(place, format!("{kind} is not read: {error}; {message}")),
        }
    }

    fn problem(&mut self, place: Place, message: String) {
        self.report.problem(place, message);
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.subscribers.iter().all(|subscriber| subscriber.sender.is_closed()) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Subscriber {
    fn flush(&mut self) {
        if !self.batch.is_empty() {
            let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH_OBJECTS));
            // Whoever reads no more has no use for it.
            let _ = self.sender.blocking_send(SourceEvent::Objects(batch));
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
