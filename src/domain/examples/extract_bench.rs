//! Measures extraction: from the text of one Pod of about 6.3 kB to its row of six attributes, under the mask and with
//! the whole object decoded first, side by side.
//!
//! Run with `cargo run --release -p kollect-domain --example extract_bench`, best on a machine that does nothing else.
//! Ends with 1 when the limit is exceeded.

#![expect(clippy::print_stdout, reason = "a benchmark reports on standard output")]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use kollect_domain::config::profile::{AttributeSpec, ProfileSpec};
use kollect_domain::extract::mask::Mask;
use kollect_domain::ids::{Gvk, TargetKey};
use kollect_domain::profile::Profile;
use serde::de::{DeserializeSeed, IgnoredAny};
use serde_json::{Value, json};

/// Times that each way is measured; they take turns, so that a slow moment hits all.
const RUNS: usize = 31;
/// Objects in each of them.
const OBJECTS: u32 = 1_000;
/// Share of the whole decode's time that extraction under the mask may take.
const LIMIT: f64 = 0.35;

const ATTRIBUTES: [(&str, &str); 6] = [
    ("images", "$.spec.containers[*].image"),
    ("node", "$.spec.nodeName"),
    ("phase", "$.status.phase"),
    ("team", "$.metadata.labels.team"),
    ("restarts", "cel:object.status.containerStatuses.map(c, c.restartCount)"),
    (
        "ready",
        "cel:object.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')",
    ),
];

/// A way to go over a text, and how long that took in each run.
struct Way<'w> {
    name: &'static str,
    work: Box<dyn Fn() -> Result<(), Box<dyn Error>> + 'w>,
    times: Vec<Duration>,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let text = pod().to_string();
    let profile = profile()?;
    let target = TargetKey::new("shop", "pods");
    let whole: Value = serde_json::from_str(&text)?;
    let masked = decode(profile.mask(), &text)?;
    let row = profile.extract(&masked, &target)?;
    if row != profile.extract(&whole, &target)? {
        return Err("the mask changes the row".into());
    }
    let under_mask = || -> Result<(), Box<dyn Error>> {
        let object = decode(profile.mask(), black_box(&text))?;
        black_box(profile.extract(&object, &target)?);
        Ok(())
    };
    let decoded_whole = || -> Result<(), Box<dyn Error>> {
        let object: Value = serde_json::from_str(black_box(&text))?;
        black_box(profile.extract(&object, &target)?);
        Ok(())
    };
    let mut ways = [
        way("text to row, under the mask", under_mask),
        way("text to row, whole object decoded", decoded_whole),
        way("of these: decode under the mask", || {
            black_box(decode(profile.mask(), black_box(&text))?);
            Ok(())
        }),
        way("of these: decode the whole object", || {
            black_box(serde_json::from_str::<Value>(black_box(&text))?);
            Ok(())
        }),
        way("of these: evaluate, redact, encode", || {
            black_box(profile.extract(black_box(&masked), &target)?);
            Ok(())
        }),
        way("floor: text skipped by serde_json", || {
            serde_json::from_str::<IgnoredAny>(black_box(&text))?;
            Ok(())
        }),
    ];
    for _ in 0..RUNS {
        for way in &mut ways {
            let started = Instant::now();
            for _ in 0..OBJECTS {
                (way.work)()?;
            }
            way.times.push(started.elapsed() / OBJECTS);
        }
    }
    println!(
        "Pod of {} bytes, {} attributes, row of {} bytes; medians of {RUNS} runs of {OBJECTS} objects\n",
        text.len(),
        ATTRIBUTES.len(),
        row.payload().len()
    );
    println!("| | median, µs | ÷ whole |\n| --- | ---: | ---: |");
    let medians: Vec<f64> = ways.iter().map(|way| median(&way.times)).collect();
    for (way, median) in ways.iter().zip(&medians) {
        println!("| {} | {median:.2} | {:.2} |", way.name, median / medians[1]);
    }
    let ratio = medians[0] / medians[1];
    let verdict = if ratio <= LIMIT { "ok" } else { "over" };
    println!("\nunder the mask ÷ whole: {ratio:.2}, limit {LIMIT:.2}: {verdict}");
    Ok(if ratio <= LIMIT {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn way<'w>(name: &'static str, work: impl Fn() -> Result<(), Box<dyn Error>> + 'w) -> Way<'w> {
    Way {
        name,
        work: Box::new(work),
        times: Vec::new(),
    }
}

/// In microseconds.
fn median(times: &[Duration]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2].as_secs_f64() * 1e6
}

fn decode(mask: &Mask, text: &str) -> serde_json::Result<Value> {
    mask.deserialize(&mut serde_json::Deserializer::from_str(text))
}

fn profile() -> Result<Profile, Box<dyn Error>> {
    let attributes = ATTRIBUTES.iter().map(|(name, path)| AttributeSpec {
        name: (*name).to_owned(),
        path: (*path).to_owned(),
        type_hint: String::new(),
        optional: false,
    });
    let spec = ProfileSpec {
        gvk: Gvk::new("", "v1", "Pod"),
        attributes: attributes.collect(),
        export: None,
        metrics: Vec::new(),
        scrub_keys: Vec::new(),
        allow_secret_extraction: false,
        allow_whole_secrets: false,
    };
    Ok(Profile::validate(&spec, &[])?)
}

/// A Pod as the API server lists it, with two containers and two entries of managed fields.
fn pod() -> Value {
    let env: Vec<_> = (0..8)
        .map(|n| json!({"name": format!("SETTING_{n}"), "value": format!("value-of-setting-{n}")}))
        .collect();
    let container = |name: &str| {
        json!({
            "name": name, "image": format!("registry.example.com/shop/{name}:1.4.2"),
            "imagePullPolicy": "IfNotPresent", "env": env,
            "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
            "resources": {"limits": {"cpu": "500m", "memory": "256Mi"}, "requests": {"cpu": "50m", "memory": "64Mi"}},
            "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http", "scheme": "HTTP"}, "periodSeconds": 10},
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            "volumeMounts": [{"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "token", "readOnly": true}],
        })
    };
    let status = |name: &str| {
        json!({
            "name": name, "image": format!("registry.example.com/shop/{name}:1.4.2"),
            "imageID": format!("registry.example.com/shop/{name}@sha256:{}", "0123456789abcdef".repeat(4)),
            "containerID": format!("containerd://{}", "fedcba9876543210".repeat(4)),
            "ready": true, "started": true, "restartCount": 2, "lastState": {},
            "state": {"running": {"startedAt": "2026-01-01T00:00:10Z"}},
        })
    };
    let fields: serde_json::Map<_, _> = (0..22)
        .map(|n| (format!("f:field{n}"), json!({".": {}, "f:value": {}})))
        .collect();
    let condition = |kind: &str| {
        json!({
            "type": kind, "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-01T00:00:10Z",
        })
    };
    let conditions: Vec<Value> = [
        "PodReadyToStartContainers",
        "Initialized",
        "Ready",
        "ContainersReady",
        "PodScheduled",
    ]
    .map(condition)
    .into();
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "cart-5d8f7c9b4-x2x7q", "generateName": "cart-5d8f7c9b4-", "namespace": "shop",
            "uid": "11111111-2222-3333-4444-555555555555", "resourceVersion": "123456",
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"app.kubernetes.io/name": "cart", "pod-template-hash": "5d8f7c9b4", "team": "shop"},
            "annotations": {"checksum/config": "0123456789abcdef".repeat(4)},
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "cart-5d8f7c9b4", "controller": true,
                "blockOwnerDeletion": true, "uid": "66666666-7777-8888-9999-000000000000",
            }],
            "managedFields": [
                {"manager": "kube-controller-manager", "operation": "Update", "apiVersion": "v1", "fieldsV1": fields},
                {"manager": "kubelet", "operation": "Update", "apiVersion": "v1", "subresource": "status", "fieldsV1": fields},
            ],
        },
        "spec": {
            "containers": [container("cart"), container("sidecar")], "nodeName": "node-17",
            "restartPolicy": "Always", "serviceAccountName": "default", "schedulerName": "default-scheduler",
            "tolerations": [
                {"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300},
                {"effect": "NoExecute", "key": "node.kubernetes.io/unreachable", "operator": "Exists", "tolerationSeconds": 300},
            ],
            "volumes": [{"name": "token", "projected": {"defaultMode": 420, "sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
            ]}}],
        },
        "status": {
            "phase": "Running", "hostIP": "10.0.0.17", "podIP": "10.1.2.3", "podIPs": [{"ip": "10.1.2.3"}],
            "qosClass": "Burstable", "startTime": "2026-01-01T00:00:00Z",
            "conditions": conditions, "containerStatuses": [status("cart"), status("sidecar")],
        },
    })
}
