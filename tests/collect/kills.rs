//! The end of the program at any moment.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use kollect_testbed::eventually;

use crate::database::{payloads, rows};
use crate::manifests::many;
use crate::program::{Running, command, kollect, sqlite, text};

const OBJECTS: usize = 20_000;
const KILLS: u32 = 8;

#[test]
fn a_killed_run_leaves_a_readable_file_that_the_next_run_completes() {
    let folder = tempfile::tempdir().unwrap();
    let input = many(folder.path(), OBJECTS);
    let whole = folder.path().join("whole.db");
    let undisturbed = kollect(&["collect", "--from", text(&input), "--to", &sqlite(&whole)]);
    let took = undisturbed.took;
    undisturbed.complete();
    let expected = payloads(&whole);
    assert_eq!(expected.len(), OBJECTS);
    let mut killed = Vec::new();
    for kill in 0..KILLS {
        let file = folder.path().join(format!("killed-{kill}.db"));
        if kill_one(&input, &file, took * kill / KILLS) {
            killed.push(rows(&file).len());
        }
        let found = payloads(&file);
        assert!(found.is_subset(&expected), "rows that nobody wrote");
        // Completing some of them is enough to know that those files can be completed.
        if kill % 2 == 1 {
            complete(&input, &file, &expected);
        }
    }
    assert!(killed.len() >= 4, "most runs ended before they were killed");
    assert!(killed.iter().any(|rows| *rows < OBJECTS), "all were killed too late");
}

/// Kills a run so long after its file appeared; false when it ended before.
fn kill_one(input: &Path, file: &Path, delay: Duration) -> bool {
    let mut run = Running::start(&mut command(&["collect", "--from", text(input), "--to", &sqlite(file)]));
    let appeared = || (file.exists() || !run.is_running()).then_some(());
    eventually(Duration::from_mins(1), "the file appears", appeared).unwrap();
    std::thread::sleep(delay);
    run.signal("KILL");
    run.end().was_killed()
}

fn complete(input: &Path, file: &Path, expected: &BTreeSet<String>) {
    kollect(&["collect", "--from", text(input), "--to", &sqlite(file)]).complete();
    assert!(payloads(file) == *expected, "the next run completes the file");
    assert_eq!(rows(file).len(), OBJECTS);
}
