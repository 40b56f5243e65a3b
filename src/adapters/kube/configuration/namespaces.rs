//! The namespaces of the cluster: watched, or asked for one by one where only some may be read.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use k8s_openapi::api::core::v1::Namespace as CoreNamespace;
use kollect_domain::config::Namespace;
use kollect_domain::selection::watch::NAMESPACE_WATCH_ANNOTATION;
use kube::api::{Api, ObjectMeta, PartialObjectMeta};
use kube::core::PartialObjectMetaExt as _;
use kube::runtime::watcher::Event;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, ResourceExt};

use super::failure::{chain, seen};

type Metadata = PartialObjectMeta<CoreNamespace>;

/// How often namespaces are asked for that may not be watched.
const PERIOD: Duration = Duration::from_secs(30);

/// The label that the API server sets on every namespace.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// All namespaces, endlessly.
pub(super) fn watched(client: Client) -> BoxStream<'static, Event<Metadata>> {
    watcher(Api::<Metadata>::all(client), watcher::Config::default())
        .default_backoff()
        .filter_map(|event| std::future::ready(seen("Namespace", "", event).and_then(Result::ok)))
        .boxed()
}

/// Some namespaces, endlessly, as if they were listed again and again.
pub(super) fn asked(client: Client, names: Vec<String>) -> BoxStream<'static, Event<Metadata>> {
    let api = Api::<CoreNamespace>::all(client);
    stream::unfold((api, names, Duration::ZERO), |(api, names, pause)| async move {
        tokio::time::sleep(pause).await;
        let events = ask(&api, &names).await;
        Some((stream::iter(events), (api, names, PERIOD)))
    })
    .flatten()
    .boxed()
}

/// One round; nothing if a namespace is not known at present.
async fn ask(api: &Api<CoreNamespace>, names: &[String]) -> Vec<Event<Metadata>> {
    let mut events = vec![Event::Init];
    for name in names {
        match api.get_metadata(name).await {
            Ok(metadata) => events.push(Event::InitApply(metadata)),
            Err(kube::Error::Api(status)) if status.is_not_found() => {}
            // Its labels stay unknown; it is served all the same.
            Err(kube::Error::Api(status)) if status.is_forbidden() => events.push(Event::InitApply(only_name(name))),
            Err(error) => {
                tracing::warn!("cannot read Namespace {name}, trying again: {}", chain(&error));
                return Vec::new();
            }
        }
    }
    events.push(Event::InitDone);
    events
}

fn only_name(name: &str) -> Metadata {
    ObjectMeta {
        name: Some(name.to_owned()),
        labels: Some(BTreeMap::from([(NAME_LABEL.to_owned(), name.to_owned())])),
        ..ObjectMeta::default()
    }
    .into_response_partial()
}

/// A namespace as selection needs it.
pub(super) fn namespace(object: &Metadata) -> (String, Namespace) {
    let annotations: BTreeMap<String, String> = object
        .annotations()
        .iter()
        .filter(|(key, _)| *key == NAMESPACE_WATCH_ANNOTATION)
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let namespace = Namespace {
        labels: object.labels().clone(),
        annotations,
    };
    (object.name_any(), namespace)
}
