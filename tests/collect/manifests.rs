//! Manifests that tests collect.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

pub fn config_map(name: &str, value: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "shop", "labels": {"value": value}},
        "data": {"key": value},
    })
}

pub fn deployment(name: &str, image: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "main", "image": image}]},
            },
        },
    })
}

/// Writes one manifest to a file of the folder.
pub fn put(folder: &Path, file: &str, manifest: &Value) -> PathBuf {
    let path = folder.join(file);
    fs::write(&path, manifest.to_string()).unwrap();
    path
}

/// A file with so many `ConfigMap`s, one a line.
pub fn many(folder: &Path, count: usize) -> PathBuf {
    let path = folder.join("many.ndjson");
    let mut file = BufWriter::new(File::create(&path).unwrap());
    for number in 0..count {
        writeln!(file, "{}", config_map(&format!("map-{number:06}"), &number.to_string())).unwrap();
    }
    file.flush().unwrap();
    path
}
