//! Files: where they may lie, what they may be, and what happens to them meanwhile.

use std::path::Path;
use std::sync::Arc;

use kollect_domain::condition::reason;
use kollect_ports::error::ErrorClass;
use kollect_ports::sink::SinkFactory as _;

use super::{
    Bench, FILE, SqliteFolder, SqliteSinkFactory, WRITER, build, deliver, inventory, row, rows, run, sink_key, spec,
};

#[test]
fn without_a_folder_sinks_of_this_type_are_refused_with_the_flag_to_set() {
    let factory = SqliteSinkFactory::new(WRITER, SqliteFolder::Unset);
    let refusal = factory.build(&sink_key(), &Arc::new(spec(FILE, "items"))).unwrap_err();
    assert_eq!(
        (refusal.class, refusal.reason),
        (ErrorClass::Misconfigured, reason::SINK_TYPE_UNAVAILABLE)
    );
    assert!(refusal.message.contains("--sqlite-dir"), "{refusal}");
}

#[test]
fn names_of_files_and_tables_that_cannot_be_used_are_refused_at_once() {
    for (file, table, field) in [("../fleet.db", "items", "file"), (FILE, "sqlite_items", "table")] {
        let refusal = build(Path::new("/"), &spec(file, table), WRITER, "").unwrap_err();
        assert_eq!(refusal.reason, reason::INVALID_SINK);
        assert!(refusal.message.contains(&format!("spec.sqlite.{field}")), "{refusal}");
    }
}

#[test]
fn a_missing_folder_and_a_folder_in_place_of_the_file_are_named() {
    run(async {
        let bench = Bench::new();
        let absent = bench.folder.path().join("absent");
        let sink = build(&absent, &bench.spec, WRITER, "").unwrap();
        let refusal = sink.claim(&inventory()).await.unwrap_err();
        assert_eq!(refusal.class, ErrorClass::Misconfigured);
        assert!(refusal.message.contains("absent does not exist"), "{refusal}");
        std::fs::create_dir(bench.path()).unwrap();
        let refusal = bench.build(WRITER, "").claim(&inventory()).await.unwrap_err();
        assert_eq!(refusal.class, ErrorClass::Misconfigured);
        assert!(refusal.message.contains("is a folder"), "{refusal}");
    });
}

#[cfg(unix)]
#[test]
fn a_link_in_the_folder_is_not_followed_out_of_it() {
    run(async {
        let (bench, outside) = (Bench::new(), tempfile::tempdir().unwrap());
        let target = outside.path().join("other.db");
        for exists in [false, true] {
            if exists {
                std::fs::write(&target, "").unwrap();
            } else {
                std::os::unix::fs::symlink(&target, bench.path()).unwrap();
            }
            let refusal = bench.build(WRITER, "").claim(&inventory()).await.unwrap_err();
            assert_eq!(refusal.class, ErrorClass::Misconfigured);
            assert!(refusal.message.contains("symbolic link"), "{refusal}");
        }
        assert_eq!(std::fs::read(&target).unwrap(), b"");
    });
}

#[test]
fn a_file_that_is_not_a_database_is_left_alone() {
    run(async {
        let bench = Bench::new();
        let text = "not a database, but somebody's notes\n".repeat(100);
        std::fs::write(bench.path(), &text).unwrap();
        let refusal = bench.build(WRITER, "").claim(&inventory()).await.unwrap_err();
        assert_eq!(
            (refusal.class, refusal.reason),
            (ErrorClass::Misconfigured, reason::DESTINATION_INCOMPATIBLE)
        );
        assert!(refusal.message.contains("not a SQLite database"), "{refusal}");
        assert!(refusal.message.contains(FILE), "{refusal}");
        assert_eq!(std::fs::read_to_string(bench.path()).unwrap(), text);
    });
}

#[cfg(unix)]
#[test]
fn a_file_that_was_removed_is_created_anew_and_asks_for_a_comparison() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        deliver(&*sink, rows(3, 1)).await.unwrap();
        for ending in ["", "-wal", "-shm"] {
            std::fs::remove_file(format!("{}{ending}", bench.path().display())).unwrap();
        }
        let lost = deliver(&*sink, vec![row("u-9", 1)]).await.unwrap_err();
        assert_eq!(lost.class, ErrorClass::Unavailable, "{lost}");
        assert_eq!(sink.claim(&inventory()).await.unwrap().targets, []);
        assert_eq!(deliver(&*sink, rows(3, 1)).await.unwrap().written, 3);
        assert_eq!(bench.sql("SELECT count(*) FROM items"), "3");
    });
}

#[test]
fn sinks_that_create_the_file_at_once_all_succeed() {
    let bench = Bench::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let apps = inventory();
        let sinks: Vec<_> = (0..8)
            .map(|number| bench.build(WRITER, &format!("c-{number}")))
            .collect();
        let claims = futures::future::join_all(sinks.iter().map(|sink| sink.claim(&apps))).await;
        assert!(claims.iter().all(Result::is_ok), "{claims:?}");
    });
}

#[test]
fn a_closed_file_is_one_file() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        deliver(&*sink, rows(3, 1)).await.unwrap();
        drop(sink);
        let names: Vec<_> = std::fs::read_dir(bench.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, [FILE]);
    });
}
