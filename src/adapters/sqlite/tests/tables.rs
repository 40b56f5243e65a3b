//! Tables as they are created, as they are found, and as they cannot be used.

use kollect_domain::condition::reason;
use kollect_domain::config::sink::Provisioning;
use kollect_ports::error::ErrorClass;
use rstest::rstest;

use super::{Bench, FILE, WRITER, deliver, inventory, row, run, spec};

const TABLE: &str = "CREATE TABLE items (
    inventory_namespace TEXT NOT NULL, inventory_name TEXT NOT NULL, target_name TEXT NOT NULL,
    source_uid TEXT NOT NULL, cluster TEXT NOT NULL DEFAULT '', resource_namespace TEXT NOT NULL DEFAULT '',
    payload TEXT NOT NULL, exported_at TEXT NOT NULL";
const KEY: &str = "cluster, inventory_namespace, inventory_name, target_name, source_uid";

#[test]
fn a_new_file_has_the_two_tables_and_a_write_ahead_log() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        let columns =
            "SELECT group_concat(name || ' ' || type || ' ' || \"notnull\", ', ') FROM pragma_table_info('items')";
        assert_eq!(
            bench.sql(columns),
            "inventory_namespace TEXT 1, inventory_name TEXT 1, target_name TEXT 1, source_uid TEXT 1, \
             cluster TEXT 1, resource_namespace TEXT 1, payload TEXT 1, exported_at TEXT 1"
        );
        let key =
            "SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_table_info('items') WHERE pk ORDER BY pk)";
        assert_eq!(bench.sql(key), KEY);
        assert_eq!(
            bench.sql("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"),
            "items\nitems_sync"
        );
        assert_eq!(bench.sql("PRAGMA journal_mode"), "wal");
        drop(sink);
    });
}

#[rstest]
#[case::column_missing("source_uid2 TEXT, PRIMARY KEY (inventory_name)", Some(("resource_namespace", "other")),
    "column resource_namespace (TEXT) is missing")]
#[case::wrong_type("PRIMARY KEY (inventory_name)", Some(("payload TEXT", "payload BLOB")), "column payload has type BLOB")]
#[case::extra_required_column(
    "owner TEXT NOT NULL, PRIMARY KEY (inventory_name)",
    None,
    "column \"owner\" needs a value"
)]
#[case::other_key("PRIMARY KEY (source_uid)", None, "no primary key or unique index on exactly")]
#[case::key_without_cluster(
    "PRIMARY KEY (inventory_namespace, inventory_name, target_name, source_uid)",
    None,
    "no primary key or unique index on exactly"
)]
#[case::key_that_ignores_case(
    "PRIMARY KEY (cluster, inventory_namespace, inventory_name, target_name, source_uid COLLATE NOCASE)",
    None,
    "compared bytewise"
)]
fn a_table_that_cannot_hold_the_rows_is_refused_with_what_is_wrong(
    #[case] rest: &str,
    #[case] change: Option<(&str, &str)>,
    #[case] complaint: &str,
) {
    run(async {
        let bench = Bench::new();
        let (from, to) = change.unwrap_or_default();
        let table = if from.is_empty() {
            TABLE.to_owned()
        } else {
            TABLE.replace(from, to)
        };
        bench.execute(&format!("{table}, {rest})"));
        let before = std::fs::read(bench.path()).unwrap();
        let refusal = bench.build(WRITER, "").claim(&inventory()).await.unwrap_err();
        assert_eq!(
            (refusal.class, refusal.reason),
            (ErrorClass::Misconfigured, reason::DESTINATION_INCOMPATIBLE)
        );
        assert!(refusal.message.contains(complaint), "{refusal}");
        assert_eq!(
            std::fs::read(bench.path()).unwrap(),
            before,
            "the file is left as it is"
        );
    });
}

#[test]
fn a_view_is_not_a_table() {
    run(async {
        let bench = Bench::new();
        bench.execute("CREATE VIEW ITEMS AS SELECT 1 AS cluster");
        let refusal = bench.build(WRITER, "").claim(&inventory()).await.unwrap_err();
        assert!(refusal.message.contains("is not a table"), "{refusal}");
    });
}

#[rstest]
#[case::unique_index(&format!("note TEXT, added INTEGER NOT NULL DEFAULT 0); CREATE UNIQUE INDEX i ON items ({KEY}"))]
#[case::own_row_number(&format!("number INTEGER PRIMARY KEY, UNIQUE ({KEY})"))]
#[case::without_row_numbers(&format!("PRIMARY KEY ({KEY})) WITHOUT ROWID; SELECT (1"))]
fn a_usable_table_may_look_different(#[case] rest: &str) {
    run(async {
        let bench = Bench::new();
        bench.execute(&format!("{TABLE}, {rest})"));
        let sink = bench.claimed().await;
        assert_eq!(deliver(&*sink, vec![row("u-1", 1)]).await.unwrap().written, 1);
        assert_eq!(deliver(&*sink, vec![row("u-1", 2)]).await.unwrap().written, 1);
        assert_eq!(deliver(&*sink, vec![row("u-1", 2)]).await.unwrap().written, 0);
    });
}

#[test]
fn odd_names_are_names() {
    run(async {
        let mut bench = Bench::new();
        bench.spec = spec(FILE, "Fleet \"A\"; DROP TABLE x");
        let sink = bench.claimed().await;
        assert_eq!(deliver(&*sink, vec![row("u-1", 1)]).await.unwrap().written, 1);
        assert_eq!(bench.sql("SELECT count(*) FROM \"Fleet \"\"A\"\"; DROP TABLE x\""), "1");
    });
}

#[test]
fn existing_mode_creates_nothing_and_says_what_is_missing() {
    run(async {
        let mut bench = Bench::new();
        bench.spec.provisioning = Provisioning::Existing;
        let refusal = bench.build(WRITER, "").claim(&inventory()).await.unwrap_err();
        assert_eq!(refusal.reason, reason::DESTINATION_INCOMPATIBLE);
        assert!(refusal.message.contains("the file does not exist"), "{refusal}");
        assert!(!bench.path().exists());
        bench.execute("CREATE TABLE other (a)");
        for table in ["items", "items_sync"] {
            let refusal = bench.build(WRITER, "").claim(&inventory()).await.unwrap_err();
            assert!(
                refusal.message.contains(&format!("table \"{table}\" does not exist")),
                "{refusal}"
            );
            // The message holds the statement; running it is all that is left to do.
            let (_, ddl) = refusal.message.split_once("create it with: ").unwrap();
            bench.execute(ddl.split_once(" [file").unwrap().0);
        }
        let sink = bench.claimed().await;
        assert_eq!(deliver(&*sink, vec![row("u-1", 1)]).await.unwrap().written, 1);
    });
}

#[test]
fn a_table_that_was_dropped_is_created_anew_and_asks_for_a_comparison() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        deliver(&*sink, vec![row("u-1", 1)]).await.unwrap();
        bench.execute("DROP TABLE items");
        let lost = deliver(&*sink, vec![row("u-2", 1)]).await.unwrap_err();
        assert_eq!(lost.class, ErrorClass::Unavailable, "{lost}");
        let claim = sink.claim(&inventory()).await.unwrap();
        assert_eq!(claim.targets, []);
        let rows = vec![row("u-1", 1), row("u-2", 1)];
        assert_eq!(deliver(&*sink, rows).await.unwrap().written, 2);
    });
}

#[test]
fn a_trigger_that_undoes_the_transaction_is_named() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        bench.execute(
            "CREATE TRIGGER t BEFORE INSERT ON items WHEN new.source_uid = 'u-2'
             BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
        );
        let refusal = deliver(&*sink, vec![row("u-1", 1), row("u-2", 1)]).await.unwrap_err();
        assert_eq!(refusal.reason, reason::DESTINATION_INCOMPATIBLE);
        assert!(refusal.message.contains("RAISE(ABORT)"), "{refusal}");
        assert_eq!(bench.sql("SELECT count(*) FROM items"), "0");
        assert_eq!(deliver(&*sink, vec![row("u-1", 1)]).await.unwrap().written, 1);
    });
}
