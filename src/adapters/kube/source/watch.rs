//! Watching a kind: events as they arrive, in batches that never wait for more.

use std::time::Duration;

use bytes::Bytes;
use futures::{FutureExt, StreamExt};
use http_body_util::{BodyDataStream, BodyExt};
use kollect_ports::source::{ObjectEvent, ObservedObject};
use kube::Client;
use kube::client::Body;
use serde_json::Value;
use tokio::time::timeout;

use super::decoder::ObjectDecoder;
use super::event::{WatchEvent, decode_event, resource_version_of};
use super::lines::{LINE_LIMIT_BYTES, Lines};
use super::object::{Observer, metadata, undecodable};
use super::skipped::Skipped;
use super::target::Target;
use crate::kube::backoff::jittered;
use crate::kube::client::{ApiError, Encoding, Refusal, send, transport};

/// The server ends a watch after a time in these bounds, so that load spreads over its replicas; the difference keeps
/// watches that started together from ending together.
const LIFE: (Duration, Duration) = (Duration::from_mins(4), Duration::from_mins(5));
/// How long the server may take to open a watch.
const OPEN: Duration = Duration::from_secs(30);
/// A watch without a single byte for this long is not trusted any more. The server sends a bookmark about every minute;
/// a dead connection sends nothing, and neither does a server whose storage was restored to before our version: it
/// waits for that version to come.
pub(super) const SILENCE: Duration = Duration::from_mins(3);
/// A batch holds no more events than this, and no more text.
const BATCH_EVENTS: usize = 256;
const BATCH_BYTES: usize = 256 << 10;

/// Events that could be read without waiting.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// The events, in the server's order; empty when there were bookmarks only.
    pub(super) events: Vec<ObjectEvent>,
    /// Version up to which everything was received.
    pub(super) resource_version: Option<String>,
    text_bytes: usize,
}

impl Batch {
    fn is_full(&self) -> bool {
        self.events.len() >= BATCH_EVENTS || self.text_bytes >= BATCH_BYTES
    }

    fn is_empty(&self) -> bool {
        self.events.is_empty() && self.resource_version.is_none()
    }
}

/// Why a watch ended.
#[derive(Debug)]
pub(super) enum WatchEnd {
    /// The server closed it, as it does every few minutes, or the connection broke.
    Closed,
    /// The server ended it with an error.
    Refused(Refusal),
    /// Nothing arrived for [`SILENCE`].
    Silent,
    /// The server reported a version older than ours: its storage was restored.
    WentBack,
    /// What arrived is no event.
    Broken(ApiError),
}

/// An open watch.
#[derive(Debug)]
pub(super) struct Watch<D> {
    body: BodyDataStream<Body>,
    lines: Lines,
    decoder: D,
    operation: String,
    target: Target,
    observer: Observer,
    skipped: Skipped,
    version: String,
    /// Why the watch is over, once everything before was handed out.
    ended: Option<WatchEnd>,
}

impl<D: ObjectDecoder> Watch<D> {
    /// Opens a watch of everything after `version`.
    ///
    /// # Errors
    /// [`ApiError`] as for any request; 410 when the version is too old.
    pub(super) async fn open(client: &Client, target: Target, decoder: D, version: String) -> Result<Self, ApiError> {
        let operation = format!("watch {target}");
        let life = u32::try_from(jittered(LIFE.0, LIFE.1).as_secs()).unwrap_or(u32::MAX);
        let request = target
            .watch_request(&version, life)
            .map_err(|source| transport(&operation, kube::Error::BuildRequest(source)))?;
        let response = send(client, &operation, request, Encoding::Plain, OPEN).await?;
        Ok(Self {
            body: response.into_body().into_data_stream(),
            lines: Lines::default(),
            observer: Observer::new(&target.gvk),
            decoder,
            operation,
            target,
            skipped: Skipped::default(),
            version,
            ended: None,
        })
    }

    /// Waits for events and returns as soon as there are some and no more can be read without waiting.
    ///
    /// Not to be used again after an error, or after the returned future was dropped half-way.
    ///
    /// # Errors
    /// [`WatchEnd`] when the watch is over.
    pub(super) async fn next(&mut self) -> Result<Batch, WatchEnd> {
        let mut batch = Batch::default();
        loop {
            while self.ended.is_none() && !batch.is_full() {
                let Some(line) = self.lines.next_line() else {
                    break;
                };
                batch.text_bytes += line.len();
                self.ended = self.take(&line, &mut batch).err();
            }
            if batch.is_full() || (self.ended.is_some() && !batch.is_empty()) {
                return Ok(batch);
            }
            if let Some(end) = self.ended.take() {
                return Err(end);
            }
            if batch.is_empty() {
                let chunk = timeout(SILENCE, self.body.next()).await;
                self.ended = chunk.map_or(Some(WatchEnd::Silent), |chunk| self.receive(chunk));
            } else if let Some(chunk) = self.body.next().now_or_never() {
                self.ended = self.receive(chunk);
            } else {
                return Ok(batch);
            }
        }
    }

    /// Keeps what has arrived; says so when nothing more will.
    fn receive(&mut self, chunk: Option<kube::Result<Bytes>>) -> Option<WatchEnd> {
        match chunk {
            None => return Some(WatchEnd::Closed),
            Some(Err(error)) => {
                tracing::debug!(source.target = %self.target, "the watch broke off: {error}");
                return Some(WatchEnd::Closed);
            }
            Some(Ok(data)) => self.lines.push(&data),
        }
        (self.lines.pending_bytes() > LINE_LIMIT_BYTES).then(|| {
            WatchEnd::Broken(ApiError::TooLarge {
                operation: self.operation.clone(),
                limit_bytes: LINE_LIMIT_BYTES,
            })
        })
    }

    fn take(&mut self, line: &[u8], batch: &mut Batch) -> Result<(), WatchEnd> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let event = decode_event(&self.decoder, line).map_err(|source| {
            WatchEnd::Broken(ApiError::Undecodable {
                operation: self.operation.clone(),
                source,
            })
        })?;
        let version = match event {
            WatchEvent::Seen(value) => {
                let version = version_of(&value, line);
                batch.events.extend(self.observe(value).map(ObjectEvent::Seen));
                version
            }
            WatchEvent::Gone(value) => {
                let version = version_of(&value, line);
                let gone = self.observe(value);
                batch
                    .events
                    .extend(gone.map(|object| ObjectEvent::Gone { uid: object.uid }));
                version
            }
            WatchEvent::Bookmark { resource_version } => {
                if is_older(&resource_version, &self.version) {
                    return Err(WatchEnd::WentBack);
                }
                Some(resource_version)
            }
            WatchEvent::Failed(refusal) => return Err(WatchEnd::Refused(refusal)),
            WatchEvent::Undecodable { meta, gone, error } => {
                self.skipped.note(&self.target, &meta.name, &error);
                let version = meta.resource_version.clone();
                batch.events.extend(undecodable(meta, gone, &error));
                Some(version)
            }
        };
        if let Some(version) = version.filter(|version| !version.is_empty()) {
            self.version.clone_from(&version);
            batch.resource_version = Some(version);
        }
        Ok(())
    }

    fn observe(&mut self, value: Value) -> Option<ObservedObject> {
        let name = metadata(&value, "name").unwrap_or_default().to_owned();
        let object = self.observer.observe(value);
        if object.is_none() {
            self.skipped.note(&self.target, &name, &"it has no uid or no name");
        }
        object
    }
}

fn version_of(value: &Value, line: &[u8]) -> Option<String> {
    metadata(value, "resourceVersion")
        .map(str::to_owned)
        .or_else(|| resource_version_of(line))
}

/// Whether version `new` is older than `old`; unknown forms are never older.
///
/// **Source**: KEP-5504, "Comparable Resource Version": versions compare as decimal numbers.
fn is_older(new: &str, old: &str) -> bool {
    match (new.parse::<u128>(), old.parse::<u128>()) {
        (Ok(new), Ok(old)) => new < old,
        _ => false,
    }
}
