//! The files in `crds/` say what the types say.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kollect_adapters::kube::crd;

/// What to run when a file is out of date.
const COMMAND: &str = "cargo run -- crd --dir crds";
/// `kubectl apply` without `--server-side` keeps a copy in an annotation, which may have 256 KiB in all.
const LARGEST: usize = 200_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crds")
}

#[test]
fn the_files_in_crds_are_what_the_types_say() {
    let folder = folder();
    let mut expected = BTreeSet::new();
    for definition in crd::all() {
        let name = crd::file_name(&definition);
        let text = crd::to_yaml(&definition).unwrap();
        assert!(
            text.len() < LARGEST,
            "{name} has {} bytes: too many for kubectl apply",
            text.len()
        );
        let file = fs::read_to_string(folder.join(&name)).unwrap_or_default();
        assert!(
            file == text,
            "crds/{name} is out of date{}: run {COMMAND}",
            first_difference(&file, &text)
        );
        expected.insert(name);
    }
    let found: BTreeSet<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(found, expected, "crds/ holds the definitions and nothing else");
}

fn first_difference(file: &str, text: &str) -> String {
    let mut lines = file.lines().zip(text.lines()).zip(1..);
    lines
        .find(|((old, new), _)| old != new)
        .map_or_else(String::new, |((old, new), number)| {
            format!(" (line {number} is {old:?} instead of {new:?})")
        })
}
