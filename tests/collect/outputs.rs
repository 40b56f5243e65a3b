//! Rows on standard output and in folders.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde_json::Value;

use crate::manifests::{config_map, deployment, many, put};
use crate::program::{Ended, kollect, shell, text};

fn manifests() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "a.json", &config_map("a", "x,\"y\""));
    put(folder.path(), "web.json", &deployment("web", "shop/main:1.0"));
    folder
}

fn collect(from: &Path, output: &str) -> Ended {
    kollect(&["collect", "--from", text(from), "--output", output])
}

/// The envelope of the two manifests, in canonical order.
fn check_envelope(envelope: &Value) {
    assert_eq!(envelope["schemaVersion"], "kollect.dev/v1alpha1");
    assert_eq!(envelope["itemCount"], 2);
    let names: Vec<&Value> = envelope["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["name"])
        .collect();
    assert_eq!(names, ["a", "web"]);
    assert_eq!(envelope["items"][1]["attributes"]["images"][0], "shop/main:1.0");
    assert_eq!(envelope["items"][1]["attributes"]["replicas"], 2);
}

#[test]
fn json_and_yaml_are_one_envelope() {
    let folder = manifests();
    let json = collect(folder.path(), "json").complete();
    check_envelope(&serde_json::from_str(&json).unwrap());
    let yaml = collect(folder.path(), "yaml").complete();
    check_envelope(&serde_saphyr::from_str(&yaml).unwrap());
}

#[test]
fn ndjson_is_one_item_of_the_envelope_a_line() {
    let folder = manifests();
    let envelope: Value = serde_json::from_str(&collect(folder.path(), "json").complete()).unwrap();
    let lines: Vec<Value> = collect(folder.path(), "ndjson")
        .complete()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(Value::from(lines), envelope["items"]);
}

#[test]
fn csv_has_a_column_for_each_attribute() {
    let folder = manifests();
    let text = collect(folder.path(), "csv").complete();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    let header: Vec<&str> = lines[0].split(',').collect();
    assert_eq!(
        header[..7],
        ["namespace", "name", "group", "version", "kind", "target", "uid"]
    );
    assert!(header.contains(&"images") && header.contains(&"keys"), "{text}");
    assert!(lines[1].contains(r#""{""value"":""x,\""y\""""}""#), "{text}");
}

#[test]
fn a_table_has_a_line_for_each_row_without_decoration() {
    let folder = manifests();
    let table = collect(folder.path(), "table").complete();
    let words: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(words[0][..3], ["NAMESPACE", "KIND", "NAME"]);
    assert_eq!(words[1][..3], ["shop", "ConfigMap", "a"]);
    assert_eq!(words[2][..3], ["shop", "Deployment", "web"]);
    assert!(!table.contains('\u{1b}'), "{table:?}");
}

#[test]
fn a_folder_gets_one_document_a_target_which_is_replaced_only_for_new_rows() {
    let folder = manifests();
    let output = tempfile::tempdir().unwrap();
    let to = text(output.path());
    let file = |target: &str| output.path().join(format!("inventory/default/{target}.yaml"));
    let state = |target: &str| {
        let metadata = fs::metadata(file(target)).unwrap();
        (metadata.ino(), metadata.mtime(), metadata.mtime_nsec())
    };
    collect(folder.path(), to).complete();
    let envelope: Value = serde_json::from_str(&fs::read_to_string(file("deployments")).unwrap()).unwrap();
    assert_eq!(envelope["itemCount"], 1);
    assert_eq!(envelope["items"][0]["name"], "web");
    let (deployments, configmaps) = (state("deployments"), state("configmaps"));
    put(folder.path(), "a.json", &config_map("a", "other"));
    collect(folder.path(), to).complete();
    assert_eq!(state("deployments"), deployments, "the same rows");
    assert_ne!(state("configmaps"), configmaps);
    let left: Vec<_> = fs::read_dir(output.path().join("inventory/default")).unwrap().collect();
    assert_eq!(left.len(), 2, "no other file is left: {left:?}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let input = many(folder.path(), 5_000);
    let line = "{ \"$0\" collect --from \"$1\" --output ndjson; echo \"ended with $?\" >&2; } | head -n 1";
    let ended = shell(line, &[input.as_os_str()]);
    assert_eq!(ended.stdout.lines().count(), 1, "{ended:?}");
    let said: Vec<&str> = ended.stderr.lines().collect();
    assert_eq!(said, ["configmaps: 5000 row(s)", "ended with 0"]);
}

#[test]
fn an_output_that_cannot_be_written_is_a_failure() {
    let folder = manifests();
    let full = shell("\"$0\" collect --from \"$1\" >/dev/full", &[OsStr::new(folder.path())]);
    full.failed(2, &["cannot write to standard output"]);
    let file = folder.path().join("a.json");
    collect(folder.path(), text(&file)).failed(2, &["cannot write", text(&file)]);
}
