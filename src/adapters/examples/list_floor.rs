//! How close a list comes to the floor: the same pages, downloaded the same way and thrown away.
//!
//! ```text
//! cargo run --release -p kollect-adapters --example list_floor -- KUBECONFIG load 10000
//! cargo run --release -p kollect-adapters --example list_floor -- KUBECONFIG floor
//! cargo run --release -p kollect-adapters --example list_floor -- KUBECONFIG source
//! ```
//!
//! `load` creates Deployments of 8 kB in the namespace `load`. Each of the others prints objects, wall time, processor
//! time of this process and its peak memory.

#![expect(clippy::print_stdout, reason = "a measuring program prints its figures")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use futures::StreamExt;
use http_body_util::BodyExt;
use kollect_adapters::kube::client::{ConnectOptions, connect};
use kollect_adapters::kube::source::KubeObjectSource;
use kollect_domain::extract::mask::Mask;
use kollect_domain::ids::{Gvk, WatchScope};
use kollect_ports::source::{ObjectSource, SourceEvent, WatchRequest};
use kube::Client;
use kube::client::Body;
use kube::core::params::ListParams;
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const NAMESPACE: &str = "load";
const PATH: &str = "/apis/apps/v1/deployments";
const LOADERS: usize = 8;

#[tokio::main]
async fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "usage: list_floor KUBECONFIG load COUNT | floor | source";
    let [kubeconfig, mode, rest @ ..] = &arguments[..] else {
        return Err(usage.into());
    };
    let options = ConnectOptions {
        kubeconfig: Some(kubeconfig.into()),
        context: None,
    };
    let client = connect(&options).await?;
    let began = Instant::now();
    let objects = match (mode.as_str(), rest) {
        ("load", [count]) => load(&client, count.parse()?).await?,
        ("floor", []) => floor(&client).await?,
        ("source", []) => source(client).await,
        _ => return Err(usage.into()),
    };
    let seconds = began.elapsed().as_secs_f64();
    println!("{mode}: {objects} objects, {seconds:.2} s, {}", resources()?);
    Ok(())
}

/// Lists once as the operator does, up to `ListDone`.
async fn source(client: Client) -> usize {
    let mut mask = Mask::default();
    for path in [
        &["metadata", "labels"][..],
        &["spec", "replicas"],
        &["spec", "template", "spec", "containers"],
        &["status", "readyReplicas"],
    ] {
        mask.keep(path.iter().copied());
    }
    let request = WatchRequest {
        gvk: Gvk::new("apps", "v1", "Deployment"),
        scope: WatchScope::Cluster,
        mask: Arc::new(mask),
        label_selector: None,
    };
    let mut events = KubeObjectSource::new(client).open(request);
    let mut objects = 0;
    while let Some(event) = events.next().await {
        match event {
            SourceEvent::Objects(batch) => objects += batch.len(),
            SourceEvent::ListDone => break,
            SourceEvent::Failed { message, .. } | SourceEvent::ListIncomplete { message } => println!("{message}"),
            SourceEvent::ListStarted | SourceEvent::Resumed => {}
        }
    }
    objects
}

/// Downloads the same pages and throws the bytes away. Counts nothing but bytes, so that nothing is decoded.
async fn floor(client: &Client) -> Outcome<usize> {
    let (mut bytes, mut token) = (0, None);
    loop {
        let page = ListParams {
            limit: Some(500),
            continue_token: token,
            ..ListParams::default()
        };
        let request = kube::core::Request::new(PATH).list(&page)?.map(Body::from);
        let mut body = client.send(request).await?.into_body().into_data_stream();
        // Built-in lists begin with their metadata.
        let mut head = Vec::new();
        while let Some(chunk) = body.next().await {
            let chunk = chunk?;
            bytes += chunk.len();
            if head.len() < 4096 {
                head.extend_from_slice(&chunk);
            }
        }
        token = continue_token(&String::from_utf8_lossy(&head));
        if token.is_none() {
            println!("floor: {bytes} bytes");
            return Ok(0);
        }
    }
}

fn continue_token(head: &str) -> Option<String> {
    let (_, rest) = head.split_once(r#""continue":""#)?;
    rest.split_once('"').map(|(token, _)| token.to_owned())
}

async fn load(client: &Client, count: usize) -> Outcome<usize> {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    post(client, "/api/v1/namespaces", &namespace).await?;
    let next = Arc::new(AtomicUsize::new(0));
    let loaders = (0..LOADERS).map(|_| {
        let (client, next) = (client.clone(), Arc::clone(&next));
        tokio::spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return Outcome::Ok(());
                }
                let path = format!("/apis/apps/v1/namespaces/{NAMESPACE}/deployments");
                post(&client, &path, &deployment(number)).await?;
            }
        })
    });
    for loader in loaders.collect::<Vec<_>>() {
        loader.await??;
    }
    Ok(count)
}

async fn post(client: &Client, path: &str, object: &Value) -> Outcome<()> {
    let request = http::Request::post(path)
        .header("content-type", "application/json")
        .body(Body::from(object.to_string().into_bytes()))?;
    let response = client.send(request).await?;
    let status = response.status();
    let answer = response.into_body().collect().await?.to_bytes();
    if status.is_success() || status.as_u16() == 409 {
        return Ok(());
    }
    Err(format!("{path}: {status} {}", String::from_utf8_lossy(&answer)).into())
}

/// A Deployment whose text is about 8 kB once the server has added its defaults and managed fields.
fn deployment(number: usize) -> Value {
    let environment: Vec<Value> = (0..24)
        .map(|index| json!({"name": format!("SETTING_{index}"), "value": format!("value {index} of {number}, a little longer")}))
        .collect();
    let labels = json!({"app": format!("app-{}", number % 100), "tier": "backend", "number": number.to_string()});
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": format!("web-{number:06}"), "namespace": NAMESPACE, "labels": labels,
            "annotations": {"note": "x".repeat(2_700)}},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"number": number.to_string()}},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [
                {"name": "web", "image": format!("registry.example/web:{}", number % 37), "env": environment},
                {"name": "proxy", "image": "registry.example/proxy:1", "ports": [{"containerPort": 8080}]},
            ]}},
        },
    })
}

/// Processor time and peak memory of this process.
fn resources() -> Outcome<String> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap_or("unknown");
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // Fields 14 and 15, counted after the name in parentheses; in ticks of 10 ms.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u32 = [11, 12]
        .iter()
        .filter_map(|field| fields.get(*field)?.parse::<u32>().ok())
        .sum();
    Ok(format!(
        "{:.2} s of processor time, peak {}",
        f64::from(ticks) / 100.0,
        peak.trim()
    ))
}
