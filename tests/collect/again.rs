//! Runs that follow each other into one file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::database::{Key, Rows, difference, rows};
use crate::manifests::{config_map, deployment, put};
use crate::program::{Ended, kollect, sqlite, text};

/// A folder with five manifests, and the file that they are collected to.
struct Estate {
    folder: tempfile::TempDir,
    database: PathBuf,
}

impl Estate {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let manifests = folder.path().join("manifests");
        fs::create_dir(&manifests).unwrap();
        let estate = Self {
            database: folder.path().join("inventory.db"),
            folder,
        };
        for name in ["a", "b", "c"] {
            put(&manifests, &format!("{name}.json"), &config_map(name, "1"));
        }
        for name in ["web", "api"] {
            put(&manifests, &format!("{name}.json"), &deployment(name, "shop/main:1.0"));
        }
        estate
    }

    fn manifests(&self) -> PathBuf {
        self.folder.path().join("manifests")
    }

    fn collect(&self) -> Ended {
        let (manifests, database) = (self.manifests(), sqlite(&self.database));
        kollect(&["collect", "--from", text(&manifests), "--to", &database])
    }

    /// The rows after a complete run.
    fn collected(&self) -> Rows {
        self.collect().complete();
        rows(&self.database)
    }
}

/// Keys of rows that say something else, or are in one of them only.
fn changed<'a>(before: &'a Rows, after: &'a Rows) -> Vec<&'a Key> {
    let payload = |rows: &'a Rows, key: &Key| rows.get(key).map(|stored| stored.payload.as_str());
    let keys: BTreeSet<&Key> = before.keys().chain(after.keys()).collect();
    keys.into_iter()
        .filter(|key| payload(before, key) != payload(after, key))
        .collect()
}

fn named<'a>(rows: &'a Rows, name: &str) -> Vec<&'a Key> {
    let member = format!("\"name\":\"{name}\"");
    let found = rows.iter().filter(|(_, stored)| stored.payload.contains(&member));
    found.map(|(key, _)| key).collect()
}

/// One row of an inventory is touched now and then, so that its newest time tells that it is current.
const TOUCHED: usize = 1;

#[test]
fn a_second_run_without_changes_writes_no_row_again() {
    let estate = Estate::new();
    let first = estate.collected();
    assert_eq!(first.len(), 5);
    let second = estate.collected();
    assert_eq!(changed(&first, &second), Vec::<&Key>::new());
    assert!(difference(&first, &second).len() <= TOUCHED);
}

#[test]
fn only_rows_of_manifests_that_changed_are_written() {
    let estate = Estate::new();
    let first = estate.collected();
    put(&estate.manifests(), "web.json", &deployment("web", "shop/main:2.0"));
    let second = estate.collected();
    assert_eq!(changed(&first, &second), named(&second, "web"));
    assert!(difference(&first, &second).len() <= 1 + TOUCHED);
    fs::remove_file(estate.manifests().join("b.json")).unwrap();
    let third = estate.collected();
    assert_eq!(changed(&second, &third), named(&second, "b"));
    assert_eq!(third.len(), 4);
}

#[test]
fn nothing_is_removed_while_a_part_of_the_input_cannot_be_read() {
    let estate = Estate::new();
    let first = estate.collected();
    fs::remove_file(estate.manifests().join("b.json")).unwrap();
    put(&estate.manifests(), "web.json", &deployment("web", "shop/main:2.0"));
    let broken = estate.manifests().join("broken.yaml");
    fs::write(&broken, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: [\n").unwrap();
    let ended = estate.collect();
    let place = format!("{}:", broken.display());
    ended.failed(1, &[&place]);
    let line = ended.stderr.split(&place).nth(1).unwrap();
    let number: String = line.chars().take_while(char::is_ascii_digit).collect();
    assert!((4..=5).contains(&number.parse::<u64>().unwrap()), "{}", ended.stderr);
    let second = rows(&estate.database);
    assert_eq!(changed(&first, &second), named(&second, "web"), "b stays");
    fs::remove_file(&broken).unwrap();
    assert_eq!(estate.collected().len(), 4, "now b is known to be gone");
}

#[test]
fn a_dry_run_says_what_it_would_collect_and_makes_no_file() {
    let estate = Estate::new();
    let (manifests, database) = (estate.manifests(), sqlite(&estate.database));
    let ended = kollect(&["collect", "--from", text(&manifests), "--to", &database, "--dry-run"]);
    ended.complete();
    assert!(!Path::new(&estate.database).exists());
}
