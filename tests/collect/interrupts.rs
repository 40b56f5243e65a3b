//! A run that is interrupted.

use std::time::{Duration, Instant};

use kollect_testbed::eventually;

use crate::database::rows;
use crate::manifests::many;
use crate::program::{Running, command, kollect, sqlite, text};

const OBJECTS: usize = 20_000;
/// An interrupted run may finish what it has begun, and no more.
const SECONDS: Duration = Duration::from_secs(10);

#[test]
fn an_interrupted_run_says_so_and_ends_within_seconds_and_removes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("inventory.db");
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    for input in [&first, &second] {
        std::fs::create_dir(input).unwrap();
    }
    let some = many(&first, 100);
    kollect(&["collect", "--from", text(&some), "--to", &sqlite(&file)]).complete();
    // The same first objects at other places, so that all rows of the first run would be gone at the end of the second.
    let all = many(&second, OBJECTS);
    let text_of_all = std::fs::read_to_string(&all).unwrap().replace("\"map-", "\"other-");
    std::fs::write(&all, text_of_all).unwrap();
    let mut run = Running::start(&mut command(&["collect", "--from", text(&all), "--to", &sqlite(&file)]));
    let beside = folder.path().join("inventory.db-wal");
    let opened = || (beside.exists() || !run.is_running()).then_some(());
    eventually(Duration::from_mins(1), "the file is opened", opened).unwrap();
    let asked = Instant::now();
    run.signal("INT");
    let ended = run.end();
    assert!(asked.elapsed() < SECONDS, "{:?}", asked.elapsed());
    let code = ended.code().unwrap();
    ended.failed(code, &["interrupted before all was collected"]);
    assert!([1, 2].contains(&code), "{ended:?}");
    let of_first = rows(&file)
        .into_values()
        .filter(|stored| stored.payload.contains("\"name\":\"map-"));
    assert_eq!(of_first.count(), 100);
}

#[test]
fn a_second_interrupt_ends_the_program_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let input = many(folder.path(), OBJECTS);
    let file = folder.path().join("inventory.db");
    let mut run = Running::start(&mut command(&[
        "collect",
        "--from",
        text(&input),
        "--to",
        &sqlite(&file),
    ]));
    let opened = || (file.exists() || !run.is_running()).then_some(());
    eventually(Duration::from_mins(1), "the file is opened", opened).unwrap();
    for _ in 0..50 {
        run.signal("TERM");
    }
    let asked = Instant::now();
    let ended = run.end();
    assert!(asked.elapsed() < Duration::from_secs(5), "{ended:?}");
    assert_ne!(ended.code(), Some(0), "{ended:?}");
    rows(&file);
}
