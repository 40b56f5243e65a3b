//! The samples in `tests/samples`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kollect_adapters::kube::crd;

use crate::api::Api;
use crate::round_trip::assert_nothing_is_lost;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples")
}

#[test]
fn every_sample_is_accepted_and_our_types_lose_nothing_of_it() {
    let Some(api) = Api::shared() else { return };
    let applied = api.json(
        &[
            "apply",
            "--validate=strict",
            "-o",
            "json",
            "-f",
            folder().to_str().unwrap(),
        ],
        "",
    );
    let mut kinds = BTreeSet::new();
    let mut sink_types = BTreeSet::new();
    for object in applied["items"].as_array().unwrap() {
        assert_nothing_is_lost(object);
        kinds.insert(object["kind"].as_str().unwrap().to_owned());
        sink_types.extend(object["spec"]["type"].as_str().map(str::to_owned));
    }
    let all_kinds = crd::all().into_iter().map(|definition| definition.spec.names.kind);
    assert_eq!(kinds, all_kinds.collect(), "there is a sample of each kind");
    let all_types = [
        "git", "gitlab", "s3", "gcs", "postgres", "sqlite", "mongodb", "bigquery", "nats", "kafka",
    ];
    assert_eq!(
        sink_types,
        all_types.map(str::to_owned).into(),
        "there is a sample of each type of sink"
    );
}

#[test]
fn every_ready_made_profile_is_accepted_as_it_is_and_our_types_lose_nothing_of_it() {
    let Some(api) = Api::shared() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ready_made");
    let arguments = [
        "apply",
        "--validate=strict",
        "-o",
        "json",
        "-f",
        folder.to_str().unwrap(),
    ];
    let applied = api.json(&arguments, "");
    let profiles = applied["items"].as_array().unwrap();
    profiles.iter().for_each(assert_nothing_is_lost);
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let manifests = files.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    assert_eq!(profiles.len(), manifests.count());
}

#[test]
fn every_refused_sample_is_refused_by_the_rule_that_its_first_line_names() {
    let Some(api) = Api::shared() else { return };
    let folder = folder().join("refused");
    let arguments = [
        "create",
        "--dry-run=server",
        "--validate=strict",
        "-o",
        "name",
        "-f",
        folder.to_str().unwrap(),
    ];
    let answer = api.ask(&arguments, "");
    assert_eq!(answer.stdout, "", "these were accepted");
    let complaints = answer.complaints();
    let mut rules = BTreeSet::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let rule = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let expected = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("# refused: "))
            .unwrap();
        let complaint = &complaints[&rule];
        for part in expected.split(": ") {
            assert!(complaint.contains(part), "{rule} should say {part:?}: {complaint}");
        }
        rules.insert(rule);
    }
    let refused: BTreeSet<String> = complaints.into_keys().collect();
    assert_eq!(refused, rules, "one refused object for each file");
}
