//! A peer that answers requests as the test says: no socket, so paused time works.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use kollect_domain::ids::{Gvk, WatchScope};
use kollect_ports::source::{ObjectEvent, SourceEvent, SourceFailure};
use kube::Client;
use kube::client::Body;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;

use super::super::decoder::Everything;
use super::super::machine::{Machine, Wanted};
use super::super::page_size::PageSize;
use super::super::run;

type Answer = Response<UnsyncBoxBody<Bytes, Infallible>>;

/// Longer than any time a source may take for anything; time is paused, so it costs nothing.
const DEADLINE: Duration = Duration::from_mins(20);

const RESOURCES: &str = r#"{"resources":[{"name":"pods","kind":"Pod","namespaced":true,"verbs":["list","watch"]}]}"#;

/// A request of the source, to be answered by the test.
pub(super) struct Asked {
    pub(super) request: Request<Body>,
    answer: oneshot::Sender<Answer>,
}

impl Asked {
    /// Value of a query parameter.
    pub(super) fn query(&self, name: &str) -> Option<String> {
        let query = self.request.uri().query().unwrap_or_default();
        query
            .split('&')
            .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
            .map(str::to_owned)
    }

    pub(super) fn is_watch(&self) -> bool {
        self.query("watch").is_some()
    }

    pub(super) fn answer(self, code: u16, body: impl Into<Bytes>) {
        self.answer_with(code, &[], body);
    }

    pub(super) fn answer_with(self, code: u16, headers: &[(&str, &str)], body: impl Into<Bytes>) {
        let mut response = Response::builder().status(code);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        let body = Full::new(body.into()).boxed_unsync();
        self.send(response.body(body).unwrap());
    }

    /// Begins an answer whose body is sent piece by piece.
    pub(super) fn stream(self) -> Feed {
        let (sender, receiver) = mpsc::channel::<Bytes>(64);
        let pieces = futures::stream::unfold(receiver, async |mut receiver| {
            let bytes = receiver.recv().await?;
            Some((Ok(http_body::Frame::data(bytes)), receiver))
        });
        self.send(Response::new(BodyExt::boxed_unsync(StreamBody::new(pieces))));
        Feed(sender)
    }

    fn send(self, response: Answer) {
        assert!(self.answer.send(response).is_ok(), "the source gave up waiting");
    }
}

/// An answer under way; dropping it ends the body.
pub(super) struct Feed(mpsc::Sender<Bytes>);

impl Feed {
    pub(super) async fn send(&self, text: impl Into<Bytes>) {
        self.0.send(text.into()).await.unwrap();
    }

    /// Waits until the source hangs up.
    pub(super) async fn hung_up(&self) {
        timeout(DEADLINE, self.0.closed()).await.unwrap();
    }
}

/// A running source and its peer.
pub(super) struct Peer {
    client: Client,
    requests: mpsc::Receiver<Asked>,
    /// What access reviews answer.
    pub(super) allowed: Arc<AtomicBool>,
    /// Whether access reviews get no answer at all.
    pub(super) mute: Arc<AtomicBool>,
    pub(super) turns: Arc<Semaphore>,
}

impl Peer {
    /// A peer that answers discovery and access reviews by itself and hands everything else to the test.
    pub(super) fn new() -> Self {
        let (sender, requests) = mpsc::channel(16);
        let allowed = Arc::new(AtomicBool::new(true));
        let mute = Arc::new(AtomicBool::new(false));
        let (reviews, muted) = (Arc::clone(&allowed), Arc::clone(&mute));
        let service = tower::service_fn(move |request: Request<Body>| {
            let sender = sender.clone();
            let review = (!muted.load(Ordering::SeqCst)).then(|| reviews.load(Ordering::SeqCst));
            async move { Ok::<_, kube::Error>(respond(request, review, sender).await) }
        });
        Self {
            client: Client::new(service, "default"),
            requests,
            allowed,
            mute,
            turns: Arc::new(Semaphore::new(4)),
        }
    }

    /// Starts a source of all Pods.
    pub(super) fn source(&self) -> Source {
        let wanted = Wanted {
            gvk: Gvk::new("", "v1", "Pod"),
            scope: WatchScope::Cluster,
            label_selector: Some("app in (a,b)".to_owned()),
            decoder: Everything,
            page_size: PageSize::new(),
        };
        let machine = Machine::new(self.client.clone(), wanted, Arc::clone(&self.turns));
        let (sender, events) = mpsc::channel(64);
        tokio::spawn(async move {
            let mut stream = std::pin::pin!(run(machine));
            while let Some(event) = stream.next().await {
                if sender.send(event).await.is_err() {
                    return;
                }
            }
        });
        Source { events }
    }

    /// The next request that is neither discovery nor an access review.
    pub(super) async fn asked(&mut self) -> Asked {
        let asked = timeout(DEADLINE, self.requests.recv()).await;
        asked.expect("the source asks for nothing").unwrap()
    }

    /// Whether the source asks for anything within `time`.
    pub(super) async fn is_quiet_for(&mut self, time: Duration) -> bool {
        timeout(time, self.requests.recv()).await.is_err()
    }

    /// The next request, which must be a list.
    pub(super) async fn asked_to_list(&mut self) -> Asked {
        let asked = self.asked().await;
        assert!(!asked.is_watch(), "{}", asked.request.uri());
        asked
    }

    /// The next request, which must be a watch from `version`.
    pub(super) async fn asked_to_watch(&mut self, version: &str) -> Asked {
        let asked = self.asked().await;
        assert!(asked.is_watch(), "{}", asked.request.uri());
        assert_eq!(asked.query("resourceVersion").as_deref(), Some(version));
        asked
    }

    /// Starts a source and brings it to an open watch from version 7, with one Pod `a` seen.
    pub(super) async fn watching(&mut self) -> (Source, Feed) {
        let mut source = self.source();
        self.asked_to_list().await.answer(200, list(&["a"], "7", ""));
        let feed = self.asked_to_watch("7").await.stream();
        source
            .expect(&[Short::ListStarted, Short::Seen("a"), Short::ListDone])
            .await;
        (source, feed)
    }
}

async fn respond(request: Request<Body>, review: Option<bool>, sender: mpsc::Sender<Asked>) -> Answer {
    let fixed = match request.uri().path() {
        "/api/v1" => Some(RESOURCES.to_owned()),
        path if path.ends_with("/selfsubjectaccessreviews") => match review {
            Some(allowed) => Some(format!(r#"{{"status":{{"allowed":{allowed}}}}}"#)),
            None => std::future::pending().await,
        },
        _ => None,
    };
    if let Some(body) = fixed {
        return Response::new(Full::new(Bytes::from(body)).boxed_unsync());
    }
    let (answer, answered) = oneshot::channel();
    let asked = Asked { request, answer };
    match sender.send(asked).await {
        Ok(()) => match answered.await {
            Ok(answer) => answer,
            Err(_) => std::future::pending().await,
        },
        Err(_) => std::future::pending().await,
    }
}

/// A running source.
pub(super) struct Source {
    events: mpsc::Receiver<SourceEvent>,
}

/// A source event, short enough to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Short<'a> {
    ListStarted,
    ListDone,
    Resumed,
    Failed(SourceFailure),
    Seen(&'a str),
    Gone(&'a str),
    Undecodable(&'a str),
}

impl Source {
    pub(super) async fn next(&mut self) -> SourceEvent {
        let event = timeout(DEADLINE, self.events.recv()).await;
        event.expect("the source reports nothing").expect("the source ended")
    }

    /// The next events must be exactly these; objects are named by their uid.
    pub(super) async fn expect(&mut self, expected: &[Short<'_>]) {
        let mut expected: VecDeque<Short<'_>> = expected.iter().copied().collect();
        while !expected.is_empty() {
            let event = self.next().await;
            let mut found = Vec::new();
            match &event {
                SourceEvent::ListStarted => found.push(Short::ListStarted),
                SourceEvent::ListDone => found.push(Short::ListDone),
                SourceEvent::Resumed => found.push(Short::Resumed),
                SourceEvent::ListIncomplete { message } => panic!("a server's list is whole or fails: {message}"),
                SourceEvent::Failed { failure, .. } => found.push(Short::Failed(*failure)),
                SourceEvent::Objects(objects) => found.extend(objects.iter().map(|object| match object {
                    ObjectEvent::Seen(object) => Short::Seen(&object.uid),
                    ObjectEvent::Gone { uid } => Short::Gone(uid),
                    ObjectEvent::Undecodable { uid, .. } => Short::Undecodable(uid),
                })),
            }
            for short in found {
                assert_eq!(Some(short), expected.pop_front(), "{event:?}");
            }
        }
    }

    /// Whether the source reports nothing within `time`.
    pub(super) async fn is_quiet_for(&mut self, time: Duration) -> bool {
        timeout(time, self.events.recv()).await.is_err()
    }
}

/// A list of Pods whose names are their uids.
pub(super) fn list(names: &[&str], version: &str, token: &str) -> String {
    let items: Vec<String> = names.iter().map(|name| pod(name, version)).collect();
    format!(
        r#"{{"kind":"PodList","metadata":{{"resourceVersion":"{version}","continue":"{token}"}},"items":[{}]}}"#,
        items.join(",")
    )
}

pub(super) fn pod(name: &str, version: &str) -> String {
    format!(r#"{{"metadata":{{"uid":"{name}","name":"{name}","namespace":"ns","resourceVersion":"{version}"}}}}"#)
}

/// One line of a watch.
pub(super) fn event(event_type: &str, object: &str) -> String {
    format!("{{\"type\":\"{event_type}\",\"object\":{object}}}\n")
}

pub(super) fn bookmark(version: &str) -> String {
    event(
        "BOOKMARK",
        &format!(r#"{{"kind":"Pod","metadata":{{"resourceVersion":"{version}"}}}}"#),
    )
}

pub(super) fn status(code: u16) -> String {
    format!(r#"{{"kind":"Status","metadata":{{}},"status":"Failure","message":"scripted","code":{code}}}"#)
}
