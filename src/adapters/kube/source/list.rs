//! Listing a kind page by page, each page decoded while it arrives.
//!
//! This is the only place that decides how a list is transferred. Pages cost the server 40 % less than a streaming
//! list and use no more memory here, since a page is never held as a whole (docs/performance.md).

use std::time::Duration;

use futures::StreamExt;
use http_body_util::{BodyDataStream, BodyExt};
use kollect_ports::source::ObjectEvent;
use kube::Client;
use kube::client::Body;
use serde_json::Value;
use tokio::time::timeout;

use super::chunks::{self, ListDecoder, ListMeta, Step};
use super::decoder::ObjectDecoder;
use super::object::{Meta, Observer, metadata, undecodable};
use super::page_size::PageSize;
use super::skipped::Skipped;
use super::target::Target;
use crate::kube::client::{ApiError, Encoding, send, stalled, transport};

/// A list that sends nothing for this long has lost its connection: the server builds a page before it sends the first
/// byte, and then sends it at once.
const STALL: Duration = Duration::from_secs(30);
/// A batch holds no more objects than this, and no more text.
const BATCH_OBJECTS: usize = 256;
const BATCH_BYTES: usize = 256 << 10;
/// How often the server may drop a list's page token before the list is asked for in one piece.
const PAGED_ATTEMPTS: u32 = 2;
/// How often a list begins again before that counts as a failure.
const ATTEMPTS: u32 = 4;

/// What [`List::next`] reports.
#[derive(Debug)]
pub(super) enum Progress {
    /// Some objects.
    Objects(Vec<ObjectEvent>),
    /// The server forgot the rest of this list; it has begun again from the first object.
    Restarted,
    /// The list is complete as of this version.
    Done {
        /// The version to watch from.
        resource_version: String,
    },
}

/// A list under way.
pub(super) struct List<D> {
    client: Client,
    target: Target,
    decoder: D,
    operation: String,
    observer: Observer,
    skipped: Skipped,
    page_size: PageSize,
    /// Version of the first page: nothing that changed while the later pages were read is missed by a watch from here.
    version: Option<String>,
    attempts: u32,
    stage: Stage<D>,
}

enum Stage<D> {
    /// A page is to be asked for: the first one without a token.
    Ask { token: Option<String>, buffer: Vec<u8> },
    /// A page is being read.
    Read(Box<Page<D>>),
    /// The last page was read.
    Complete,
}

/// One page under way.
struct Page<D> {
    body: BodyDataStream<Body>,
    decoder: ListDecoder<D>,
    objects: u64,
    text_bytes: u64,
}

impl<D: ObjectDecoder> List<D> {
    /// Asks for the first page; returns when the server has begun to answer.
    ///
    /// # Errors
    /// [`ApiError`] as for any request.
    pub(super) async fn open(
        client: Client,
        target: Target,
        decoder: D,
        page_size: PageSize,
    ) -> Result<Self, ApiError> {
        let mut list = Self {
            operation: format!("list {target}"),
            observer: Observer::new(&target.gvk),
            client,
            target,
            decoder,
            skipped: Skipped::default(),
            page_size,
            version: None,
            attempts: 1,
            stage: Stage::Complete,
        };
        let page = list.ask(None, Vec::new()).await?;
        list.stage = Stage::Read(Box::new(page));
        Ok(list)
    }

    /// The next step.
    ///
    /// # Errors
    /// [`ApiError`]; the list is over then.
    pub(super) async fn next(&mut self) -> Result<Progress, ApiError> {
        match self.advance().await {
            Err(error) if error.has_code(410) && self.attempts < ATTEMPTS => {
                self.attempts += 1;
                self.version = None;
                let page = self.ask(None, Vec::new()).await?;
                self.stage = Stage::Read(Box::new(page));
                Ok(Progress::Restarted)
            }
            other => other,
        }
    }

    async fn advance(&mut self) -> Result<Progress, ApiError> {
        loop {
            match std::mem::replace(&mut self.stage, Stage::Complete) {
                Stage::Ask { token, buffer } => {
                    let page = self.ask(token.as_deref(), buffer).await?;
                    self.stage = Stage::Read(Box::new(page));
                }
                Stage::Read(page) => {
                    let batch = self.read(page).await?;
                    if !batch.is_empty() {
                        return Ok(Progress::Objects(batch));
                    }
                }
                Stage::Complete => {
                    return Ok(Progress::Done {
                        resource_version: self.version.clone().unwrap_or_default(),
                    });
                }
            }
        }
    }

    /// Reads objects of a page up to the size of a batch, and leaves `stage` where the next call goes on.
    async fn read(&mut self, mut page: Box<Page<D>>) -> Result<Vec<ObjectEvent>, ApiError> {
        let mut batch = Vec::new();
        let mut batch_bytes = 0;
        while batch.len() < BATCH_OBJECTS && batch_bytes < BATCH_BYTES {
            let (bytes, decoded) = match page.decoder.next().map_err(|error| self.unusable(error))? {
                Step::Object { value, bytes } => (bytes, Ok(value)),
                Step::Skipped { meta, error, bytes } => (bytes, Err((meta, error))),
                // What is decoded already should not wait for the network.
                Step::NeedMore if !batch.is_empty() => break,
                Step::NeedMore => {
                    page.receive(&self.operation).await?;
                    continue;
                }
                Step::End(meta) => {
                    self.page_size.learn(page.objects, page.text_bytes);
                    self.stage = self.after_page(meta, page.decoder.into_buffer())?;
                    return Ok(batch);
                }
            };
            page.objects += 1;
            page.text_bytes += bytes as u64;
            batch_bytes += bytes;
            batch.extend(self.observe(decoded));
        }
        self.stage = Stage::Read(page);
        Ok(batch)
    }

    fn observe(&mut self, decoded: Result<Value, (Meta, serde_json::Error)>) -> Option<ObjectEvent> {
        let value = match decoded {
            Ok(value) => value,
            Err((meta, error)) => {
                self.skipped.note(&self.target, &meta.name, &error);
                return undecodable(meta, false, &error);
            }
        };
        let name = metadata(&value, "name").unwrap_or_default().to_owned();
        let object = self.observer.observe(value);
        if object.is_none() {
            self.skipped.note(&self.target, &name, &"it has no uid or no name");
        }
        object.map(ObjectEvent::Seen)
    }

    fn after_page(&mut self, meta: ListMeta, buffer: Vec<u8>) -> Result<Stage<D>, ApiError> {
        if meta.resource_version.is_empty() {
            return Err(ApiError::Undecodable {
                operation: self.operation.clone(),
                source: serde::de::Error::missing_field("metadata.resourceVersion"),
            });
        }
        self.version.get_or_insert(meta.resource_version);
        Ok(if meta.r#continue.is_empty() {
            Stage::Complete
        } else {
            Stage::Ask {
                token: Some(meta.r#continue),
                buffer,
            }
        })
    }

    async fn ask(&mut self, token: Option<&str>, buffer: Vec<u8>) -> Result<Page<D>, ApiError> {
        let limit = (self.attempts <= PAGED_ATTEMPTS).then(|| self.page_size.limit());
        let request = self
            .target
            .list_request(limit, token)
            .map_err(|source| transport(&self.operation, kube::Error::BuildRequest(source)))?;
        let response = send(&self.client, &self.operation, request, Encoding::Compressed, STALL).await?;
        Ok(Page {
            body: response.into_body().into_data_stream(),
            decoder: ListDecoder::new(self.decoder.clone(), buffer),
            objects: 0,
            text_bytes: 0,
        })
    }

    fn unusable(&self, error: chunks::ListError) -> ApiError {
        let operation = self.operation.clone();
        match error {
            chunks::ListError::Json(source) => ApiError::Undecodable { operation, source },
            chunks::ListError::Status(refusal) => ApiError::Refused { operation, refusal },
            chunks::ListError::TooLarge => ApiError::TooLarge {
                operation,
                limit_bytes: chunks::PIECE_LIMIT_BYTES,
            },
        }
    }
}

impl<D: ObjectDecoder> Page<D> {
    /// Receives until another attempt to decode is worth it.
    async fn receive(&mut self, operation: &str) -> Result<(), ApiError> {
        while self.decoder.is_hungry() {
            let chunk = timeout(STALL, self.body.next())
                .await
                .map_err(|_| stalled(operation, STALL))?;
            match chunk {
                None => self.decoder.finish(),
                Some(Ok(data)) => self.decoder.push(&data),
                Some(Err(source)) => return Err(transport(operation, source)),
            }
        }
        Ok(())
    }
}
