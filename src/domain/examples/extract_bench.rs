//! Measures extraction: the masked decode of one Deployment of about 8 kB and a row of six attributes.
//!
//! Run with `cargo run --release -p kollect-domain --example extract_bench`.

#![expect(clippy::print_stdout, reason = "a benchmark reports on standard output")]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use kollect_domain::config::profile::{AttributeSpec, ProfileSpec};
use kollect_domain::extract::mask::Mask;
use kollect_domain::ids::{Gvk, TargetKey};
use kollect_domain::profile::Profile;
use serde::de::DeserializeSeed;
use serde_json::{Value, json};

const ROUNDS: u32 = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    let text = deployment().to_string();
    println!("object: {} bytes, {ROUNDS} rounds", text.len());
    let paths = [
        ("name", "$.metadata.name"),
        ("image", "$.spec.template.spec.containers[*].image"),
        ("tier", r"$.metadata.labels.app\.kubernetes\.io/tier"),
        ("available", "$.status.conditions[?(@.type==\"Available\")].status"),
        ("replicas", "$.spec.replicas"),
        ("ready", "$.status.readyReplicas"),
    ];
    measure_profile("six paths", &text, &paths)?;
    let mut mixed = paths;
    mixed[1].1 = "cel:object.spec.template.spec.containers.map(c, c.image)";
    mixed[5].1 = "cel:has(object.status.readyReplicas) ? object.status.readyReplicas : 0";
    measure_profile("four paths, two expressions", &text, &mixed)?;
    let expressions = [
        ("name", "cel:object.metadata.name"),
        ("image", "cel:object.spec.template.spec.containers.map(c, c.image)"),
        ("tier", "cel:object.metadata.labels['app.kubernetes.io/tier']"),
        (
            "available",
            "cel:object.status.conditions.exists(c, c.type == 'Available' && c.status == 'True')",
        ),
        ("replicas", "cel:object.spec.replicas + 1"),
        (
            "ready",
            "cel:has(object.status.readyReplicas) ? object.status.readyReplicas : 0",
        ),
    ];
    measure_profile("six expressions", &text, &expressions)?;
    let skip_all = time(|| decode(&Mask::default(), &text).map(|_| ()))?;
    println!("{:32} {:7.2} us", "skipping only", micros(skip_all));
    let whole = time(|| decode(&Mask::all(), &text).map(|_| ()))?;
    println!("{:32} {:7.2} us", "decoding the whole object", micros(whole));
    Ok(())
}

fn measure_profile(label: &str, text: &str, paths: &[(&str, &str)]) -> Result<(), Box<dyn Error>> {
    let attributes = paths.iter().map(|(name, path)| AttributeSpec {
        name: (*name).to_owned(),
        path: (*path).to_owned(),
        type_hint: String::new(),
        optional: false,
    });
    let spec = ProfileSpec {
        gvk: Gvk::new("apps", "v1", "Deployment"),
        attributes: attributes.collect(),
        whole_objects: false,
        scrub_keys: Vec::new(),
        allow_secret_extraction: false,
    };
    let profile = Profile::validate(&spec, &[])?;
    let target = TargetKey::new("shop", "web");
    let masked = decode(profile.mask(), text)?;
    let row = profile.extract(&masked, &target)?;
    println!("{}", row.attributes());
    let decoding = time(|| decode(profile.mask(), text).map(|_| ()))?;
    let extraction = time(|| profile.extract(&masked, &target).map(|_| ()))?;
    println!(
        "{label:32} {:7.2} us = decode {:.2} + extract {:.2}; row: {} bytes",
        micros(decoding + extraction),
        micros(decoding),
        micros(extraction),
        row.size_bytes()
    );
    Ok(())
}

fn decode(mask: &Mask, text: &str) -> serde_json::Result<Value> {
    mask.deserialize(&mut serde_json::Deserializer::from_str(text))
}

/// The best of five runs, per round.
fn time<E>(mut work: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..ROUNDS {
            black_box(work())?;
        }
        best = best.min(start.elapsed() / ROUNDS);
    }
    Ok(best)
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

fn deployment() -> Value {
    let env: Vec<_> = (0..12)
        .map(|n| json!({"name": format!("SETTING_{n}"), "value": format!("value-of-setting-{n}")}))
        .collect();
    let container = |name: &str| {
        json!({
            "name": name,
            "image": format!("registry.example.com/shop/{name}:1.4.{}", name.len()),
            "imagePullPolicy": "IfNotPresent",
            "env": env,
            "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
            "resources": {"limits": {"cpu": "500m", "memory": "256Mi"}, "requests": {"cpu": "50m", "memory": "64Mi"}},
            "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http", "scheme": "HTTP"}, "periodSeconds": 10},
            "terminationMessagePath": "/dev/termination-log",
        })
    };
    let fields: serde_json::Map<_, _> = (0..40)
        .map(|n| (format!("f:fieldNumber{n}"), json!({"f:nested": {}, "f:value": {}})))
        .collect();
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "cart", "namespace": "shop", "uid": "11111111-2222-3333-4444-555555555555",
            "resourceVersion": "123456", "generation": 7, "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"app.kubernetes.io/name": "cart", "app.kubernetes.io/tier": "front", "team": "shop"},
            "annotations": {"deployment.kubernetes.io/revision": "7"},
            "managedFields": [
                {"manager": "kubectl", "operation": "Apply", "fieldsV1": fields},
                {"manager": "controller", "operation": "Update", "fieldsV1": fields},
            ],
        },
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app.kubernetes.io/name": "cart"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
            "template": {
                "metadata": {"labels": {"app.kubernetes.io/name": "cart"}},
                "spec": {"containers": [container("cart"), container("sidecar")], "restartPolicy": "Always"},
            },
        },
        "status": {
            "replicas": 3, "readyReplicas": 3, "availableReplicas": 3, "observedGeneration": 7,
            "conditions": [
                {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable",
                 "message": "Deployment has minimum availability."},
                {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable",
                 "message": "ReplicaSet cart-5d8 has successfully progressed."},
            ],
        },
    })
}
