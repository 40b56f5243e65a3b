//! An input that is much larger than the memory that reading it may take.
//!
//! Only Linux tells the peak of a process that is not yet waited for.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use serde_json::{Value, json};

use crate::database::rows;
use crate::manifests::deployment;
use crate::program::{kollect, sqlite, text};

const INPUT_BYTES: u64 = 300_000_000;
/// Most memory of a run.
const PEAK_BYTES: u64 = 100_000_000;
/// What one Deployment takes in a dump of a busy cluster, roughly.
const OBJECT_BYTES: usize = 8_000;

/// A Deployment as a cluster has it, so large by what no profile asks for.
fn large_deployment(number: u64) -> Value {
    let mut object = deployment(
        &format!("app-{number:06}"),
        &format!("registry.example.com/team/app:{number}"),
    );
    object["metadata"]["uid"] = json!(format!("00000000-0000-4000-8000-{number:012}"));
    object["metadata"]["labels"] = json!({"app": format!("app-{number}"), "team": format!("team-{}", number % 40)});
    object["metadata"]["annotations"] = json!({"example.com/notes": "a long story. ".repeat(100)});
    let variables: Vec<Value> = (0..30)
        .map(|variable| json!({"name": format!("SETTING_{variable}"), "value": format!("{}", variable * number)}))
        .collect();
    object["spec"]["template"]["spec"]["containers"][0]["env"] = variables.into();
    let unfilled = format!("{object:#}").len();
    let managed = json!({"f:spec": {"f:template": {}}, "manager": "m".repeat(OBJECT_BYTES.saturating_sub(unfilled))});
    object["metadata"]["managedFields"] = json!([managed]);
    object["status"] = json!({"replicas": 2, "readyReplicas": 2, "updatedReplicas": 2});
    object
}

/// Writes a `List` as `kubectl get -o json` prints it; gives the number of its items.
fn write_list(path: &Path) -> u64 {
    let mut file = BufWriter::new(File::create(path).unwrap());
    write!(file, "{{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n").unwrap();
    let (mut count, mut bytes) = (0, 0);
    while bytes < INPUT_BYTES {
        let separator = if count == 0 { "" } else { ",\n" };
        let object = format!("{separator}{:#}", large_deployment(count));
        file.write_all(object.as_bytes()).unwrap();
        bytes += object.len() as u64;
        count += 1;
    }
    write!(file, "\n    ],\n    \"kind\": \"List\"\n}}\n").unwrap();
    file.flush().unwrap();
    count
}

#[test]
fn a_dump_of_300_megabytes_is_collected_in_100_megabytes_of_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (input, file) = (folder.path().join("dump.json"), folder.path().join("inventory.db"));
    let count = write_list(&input);
    let to = sqlite(&file);
    let ended = kollect(&["collect", "--from", text(&input), "--kind", "deployments", "--to", &to]);
    let peak = ended.peak;
    ended.complete();
    assert_eq!(rows(&file).len() as u64, count);
    assert!(peak > 0, "the system tells nothing about memory");
    assert!(peak <= PEAK_BYTES, "{} MB for {count} objects", peak / 1_000_000);
}
