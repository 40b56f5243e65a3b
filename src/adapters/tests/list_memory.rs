//! Memory of a list: batches, not pages, and never the kind. Alone in its process, so that nothing else is counted.

#![cfg(all(feature = "kube", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "a test file: the helpers fail as its tests do")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kollect_adapters::kube::client::{ConnectOptions, connect};
use kollect_adapters::kube::source::KubeObjectSource;
use kollect_domain::extract::mask::Mask;
use kollect_domain::ids::{Gvk, WatchScope};
use kollect_ports::source::{ObjectEvent, ObjectSource, SourceEvent, WatchRequest};
use kollect_testbed::{ControlPlane, required};
use kube::Client;
use kube::api::{Api, PostParams};

const NAMESPACE: &str = "list-memory";
const OBJECTS: usize = 10_000;
const LOADERS: usize = 8;
/// 10,000 objects are 14 MB of text, and several times that as values. A list may need its connection, one page's
/// decompressor, 256 KiB of text in flight and one batch; the rest of the bound is the allocator's slack.
const BOUND_KIB: u64 = 12 << 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_objects_are_listed_in_the_memory_of_one_batch() {
    if !required("control-plane") {
        return;
    }
    let cluster = ControlPlane::start().unwrap();
    cluster.kubectl(&["create", "namespace", NAMESPACE], None).unwrap();
    let options = ConnectOptions {
        kubeconfig: Some(cluster.kubeconfig_path().to_owned()),
        context: None,
    };
    let client = connect(&options).await.unwrap();
    load(&client).await;

    let mut mask = Mask::default();
    mask.keep(["data", "key"]);
    let request = WatchRequest {
        gvk: Gvk::new("", "v1", "ConfigMap"),
        scope: WatchScope::Namespace(NAMESPACE.into()),
        mask: Arc::new(mask),
        label_selector: Some("load=yes".to_owned()),
    };
    // Forgets the peak of the loading.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = memory_kib("VmRSS:");
    let mut events = KubeObjectSource::new(client).open(request);
    let mut names = BTreeSet::new();
    loop {
        let event = tokio::time::timeout(Duration::from_mins(1), events.next()).await;
        match event.unwrap().unwrap() {
            SourceEvent::Objects(batch) => {
                assert!(batch.len() <= 256, "a batch of {}", batch.len());
                for event in batch {
                    let ObjectEvent::Seen(object) = event else {
                        panic!("nothing was deleted");
                    };
                    let number: usize = object.name.strip_prefix("object-").unwrap().parse().unwrap();
                    names.insert(number);
                }
            }
            SourceEvent::ListDone => break,
            other => assert_eq!(other, SourceEvent::ListStarted),
        }
    }
    let grown = memory_kib("VmHWM:").saturating_sub(before);
    assert_eq!(names, (0..OBJECTS).collect());
    assert!(grown < BOUND_KIB, "the list took {grown} KiB");
}

async fn load(client: &Client) {
    let next = Arc::new(AtomicUsize::new(0));
    let loaders = (0..LOADERS).map(|_| {
        let (api, next) = (
            Api::<ConfigMap>::namespaced(client.clone(), NAMESPACE),
            Arc::clone(&next),
        );
        tokio::spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= OBJECTS {
                    return;
                }
                let mut object = ConfigMap::default();
                object.metadata.name = Some(format!("object-{number}"));
                object.metadata.labels = Some([("load".to_owned(), "yes".to_owned())].into());
                object.data = Some(
                    [
                        ("key".to_owned(), "x".to_owned()),
                        ("rest".to_owned(), "y".repeat(1_000)),
                    ]
                    .into(),
                );
                api.create(&PostParams::default(), &object).await.unwrap();
            }
        })
    });
    for loader in loaders.collect::<Vec<_>>() {
        loader.await.unwrap();
    }
}

fn memory_kib(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
