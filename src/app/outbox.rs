//! Writes that wait for the API server: the latest per object, retried until they are stored or replaced.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kollect_domain::ids::NamespacedName;
use kollect_ports::error::PortError;
use kollect_ports::metrics::{Metrics, Telemetry};
use kollect_ports::resources::{FinalizerChange, ResourceKind, ResourceWriter, StatusUpdate};
use tokio::sync::Notify;
use tokio::time::Instant;

/// First and longest pause after a failed write.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));

/// A write.
#[derive(Debug, Clone)]
enum Write {
    Status(StatusUpdate),
    Finalizer(FinalizerChange),
}

/// What a write is about; a later write about the same replaces an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Subject {
    kind: ResourceKind,
    object: NamespacedName,
    finalizer: Option<&'static str>,
}

/// A write that waits, and since how many failures.
#[derive(Debug)]
struct Waiting {
    write: Write,
    failures: u32,
    not_before: Instant,
}

/// The waiting writes. **Policy**: coalesce; bounded by the number of our own resources.
#[derive(Debug, Default)]
pub struct Outbox {
    waiting: Mutex<BTreeMap<Subject, Waiting>>,
    wake: Notify,
}

/// What the writer does next.
enum Next {
    Write(Subject, Waiting),
    WaitUntil(Instant),
    Idle,
}

impl Outbox {
    /// An empty outbox.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Puts in a status.
    pub fn put_status(&self, update: StatusUpdate) {
        let subject = Subject {
            kind: update.kind,
            object: update.object.clone(),
            finalizer: None,
        };
        self.put(subject, Write::Status(update));
    }

    /// Puts in a change of a finalizer.
    pub fn put_finalizer(&self, change: FinalizerChange) {
        let subject = Subject {
            kind: change.kind,
            object: change.object.clone(),
            finalizer: Some(change.finalizer),
        };
        self.put(subject, Write::Finalizer(change));
    }

    fn put(&self, subject: Subject, write: Write) {
        let waiting = Waiting {
            write,
            failures: 0,
            not_before: Instant::now(),
        };
        self.lock().insert(subject, waiting);
        self.wake.notify_one();
    }

    fn next(&self) -> Next {
        let mut waiting = self.lock();
        let Some((subject, at)) = waiting
            .iter()
            .min_by_key(|(_, waiting)| waiting.not_before)
            .map(|(subject, waiting)| (subject.clone(), waiting.not_before))
        else {
            return Next::Idle;
        };
        if at > Instant::now() {
            return Next::WaitUntil(at);
        }
        match waiting.remove(&subject) {
            Some(due) => Next::Write(subject, due),
            None => Next::Idle,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Subject, Waiting>> {
        // A panic cannot leave the map half changed.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True when nothing waits.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Writes for ever. What fails is tried again with backoff, each on its own, unless something newer about the
    /// same object replaces it.
    pub async fn run(&self, writer: Arc<dyn ResourceWriter>, metrics: Arc<dyn Metrics>) {
        loop {
            match self.next() {
                Next::Idle => self.wake.notified().await,
                Next::WaitUntil(at) => {
                    // A timeout here is the normal end of the pause.
                    let _ = tokio::time::timeout_at(at, self.wake.notified()).await;
                }
                Next::Write(subject, waiting) => self.write(subject, waiting, &*writer, &*metrics).await,
            }
        }
    }

    async fn write(&self, subject: Subject, waiting: Waiting, writer: &dyn ResourceWriter, metrics: &dyn Metrics) {
        let result = carry_out(writer, &waiting.write).await;
        metrics.record(Telemetry::StatusWritten {
            success: result.is_ok(),
        });
        if let Err(error) = result {
            tracing::warn!(object = %subject.object, "cannot write status or finalizer: {error}");
            let pause = BACKOFF.0.saturating_mul(1 << waiting.failures.min(8)).min(BACKOFF.1);
            let again = Waiting {
                failures: waiting.failures + 1,
                not_before: Instant::now() + pause,
                ..waiting
            };
            self.lock().entry(subject).or_insert(again);
        }
    }
}

async fn carry_out(writer: &dyn ResourceWriter, write: &Write) -> Result<(), PortError> {
    match write {
        Write::Status(update) => writer.write_status(update).await,
        Write::Finalizer(change) => writer.set_finalizer(change).await,
    }
}
