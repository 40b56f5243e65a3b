//! Tables as they are created, as they are found, and as they cannot be used.

use std::sync::Arc;

use kollect_domain::condition::reason;
use kollect_domain::config::sink::{Destination, Provisioning};
use kollect_ports::error::ErrorClass;
use kollect_ports::sink::{Delivery, SinkFactory as _};
use rstest::rstest;

use super::{Bench, WRITER, deliver, inventory, key, row, run, sink_key};

/// The table as the earlier program creates it.
const LEGACY_TABLE: &str = "CREATE TABLE items (
    inventory_namespace text NOT NULL, inventory_name text NOT NULL, target_name text NOT NULL,
    source_uid text NOT NULL, cluster text NOT NULL DEFAULT '', resource_namespace text NOT NULL DEFAULT '',
    payload jsonb NOT NULL, exported_at timestamptz NOT NULL,
    PRIMARY KEY (inventory_namespace, inventory_name, target_name, source_uid))";

const DESCRIBE: &str = "SELECT string_agg(concat_ws(' ', column_name, data_type, is_nullable, column_default), ', '
    ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = 'items'";
const PRIMARY_KEY: &str = "SELECT pg_get_constraintdef(oid) FROM pg_constraint
    WHERE conrelid = 'items'::regclass AND contype = 'p'";

fn with_table(bench: &mut Bench, schema: &str, table: &str) {
    if let Destination::Postgres(destination) = &mut bench.spec.destination {
        destination.schema = schema.to_owned();
        destination.table = table.to_owned();
    }
}

#[test]
fn a_new_table_has_the_eight_columns_and_the_cluster_in_its_key() {
    run(async {
        let bench = Bench::new();
        bench.claimed().await;
        assert_eq!(
            bench.sql(DESCRIBE),
            "inventory_namespace text NO, inventory_name text NO, target_name text NO, source_uid text NO, \
             cluster text NO ''::text, resource_namespace text NO ''::text, payload jsonb NO, \
             exported_at timestamp with time zone NO"
        );
        let primary_key = bench.sql(PRIMARY_KEY);
        assert_eq!(
            primary_key,
            "PRIMARY KEY (cluster, inventory_namespace, inventory_name, target_name, source_uid)"
        );
    });
}

#[test]
fn the_key_of_earlier_tables_is_created_on_request() {
    run(async {
        let mut bench = Bench::new();
        bench.spec.options.insert("primary_key".to_owned(), "legacy".to_owned());
        bench.claimed().await;
        assert_eq!(bench.sql(DESCRIBE).matches(" NO").count(), 8);
        let primary_key = bench.sql(PRIMARY_KEY);
        assert_eq!(
            primary_key,
            "PRIMARY KEY (inventory_namespace, inventory_name, target_name, source_uid)"
        );
    });
}

#[rstest]
#[case("wide")]
#[case("legacy")]
fn the_preview_is_the_statements_that_make_the_tables(#[case] primary_key: &str) {
    run(async {
        let mut bench = Bench::new();
        bench
            .spec
            .options
            .insert("primary_key".to_owned(), primary_key.to_owned());
        let by_hand = Bench::new();
        bench.claimed().await;
        let spec = Arc::new(bench.spec.clone());
        let preview = bench.factory(WRITER).preview(&sink_key(), &spec).unwrap();
        by_hand.sql(&preview.postgres.unwrap().expected_ddl);
        for what in [DESCRIBE, PRIMARY_KEY, &DESCRIBE.replace("'items'", "'items_sync'")] {
            assert_eq!(by_hand.sql(what), bench.sql(what));
        }
        assert!(!by_hand.sql(DESCRIBE).is_empty());
    });
}

#[test]
fn a_legacy_table_keeps_working_and_rows_of_another_cluster_are_never_taken_over() {
    run(async {
        let bench = Bench::new();
        bench.sql(LEGACY_TABLE);
        bench.sql(
            "INSERT INTO items VALUES ('team-a', 'apps', 'deploys', 'u-1', 'us-1', 'shop', '{\"theirs\": 1}', now()),
             ('team-a', 'apps', 'deploys', 'u-2', 'eu-1', 'shop', '{\"ours\": 1}', now())",
        );
        let sink = bench.claimed().await;
        let receipt = deliver(&sink, vec![row("u-1", 1), row("u-2", 1), row("u-3", 1)])
            .await
            .unwrap();
        assert_eq!(receipt.written, 2);
        let refused = &receipt.refused[0];
        assert_eq!((receipt.refused.len(), &refused.0), (1, &key("u-1")));
        assert!(refused.1.contains("us-1"), "{}", refused.1);
        let delete = Delivery {
            deletes: vec![key("u-1"), key("u-3")],
            ..Delivery::default()
        };
        assert_eq!(sink.deliver(&inventory(), &delete).await.unwrap().deleted, 1);
        let left = bench.sql("SELECT source_uid, cluster, payload ? 'theirs' FROM items ORDER BY source_uid");
        assert_eq!(left, "u-1|us-1|t\nu-2|eu-1|f");
        let refused = receipt.refused.len();
        let many = (0..1_500)
            .map(|number| row(&format!("u-{number:04}"), 1))
            .chain([row("u-1", 2)]);
        let again = deliver(&sink, {
            let mut rows: Vec<_> = many.collect();
            rows.sort_by(|a, b| a.0.cmp(&b.0));
            rows
        });
        assert_eq!(again.await.unwrap().refused.len(), refused, "also in a large delivery");
    });
}

#[test]
fn the_first_large_delivery_into_a_legacy_table_meets_rows_of_another_cluster() {
    run(async {
        let bench = Bench::new();
        bench.sql(LEGACY_TABLE);
        bench.sql("INSERT INTO items VALUES ('team-a', 'apps', 'deploys', 'u-0007', 'us-1', 'shop', '{}', now())");
        let sink = bench.claimed().await;
        let receipt = deliver(
            &sink,
            (0..3_000).map(|number| row(&format!("u-{number:04}"), 1)).collect(),
        )
        .await
        .unwrap();
        assert_eq!((receipt.written, receipt.refused.len()), (2_999, 1));
        assert_eq!(receipt.refused[0].0, key("u-0007"));
    });
}

#[rstest]
#[case::column_missing(
    "ALTER TABLE items DROP COLUMN resource_namespace",
    "column resource_namespace (text) is missing"
)]
#[case::wrong_type(
    "ALTER TABLE items ALTER payload TYPE json USING payload::json",
    "column payload has type json"
)]
#[case::extra_required_column("ALTER TABLE items ADD owner text NOT NULL", "column \"owner\" needs a value")]
#[case::no_key(
    "ALTER TABLE items DROP CONSTRAINT items_pkey",
    "no primary key or unique index on exactly"
)]
#[case::other_key(
    "ALTER TABLE items DROP CONSTRAINT items_pkey; ALTER TABLE items ADD PRIMARY KEY (source_uid)",
    "no primary key or unique index on exactly"
)]
#[case::partial_key(
    "ALTER TABLE items DROP CONSTRAINT items_pkey; CREATE UNIQUE INDEX ON items
     (cluster, inventory_namespace, inventory_name, target_name, source_uid) WHERE cluster <> ''",
    "no primary key or unique index on exactly"
)]
#[case::view(
    "ALTER TABLE items RENAME TO other; CREATE VIEW items AS SELECT * FROM other",
    "is not a table"
)]
fn a_table_that_cannot_hold_the_rows_is_refused_with_what_is_wrong(#[case] change: &str, #[case] complaint: &str) {
    run(async {
        let bench = Bench::new();
        bench.sql(LEGACY_TABLE);
        bench.sql(change);
        let refusal = bench.build(WRITER, "").claim(&inventory()).await.unwrap_err();
        assert_eq!(
            (refusal.class, refusal.reason),
            (ErrorClass::Misconfigured, reason::DESTINATION_INCOMPATIBLE)
        );
        assert!(refusal.message.contains(complaint), "{refusal}");
    });
}

#[test]
fn a_usable_table_may_have_more_columns_and_a_unique_index_instead_of_a_primary_key() {
    run(async {
        let bench = Bench::new();
        bench.sql(LEGACY_TABLE);
        bench.sql(
            "ALTER TABLE items DROP CONSTRAINT items_pkey, ADD note text, ADD added timestamptz NOT NULL DEFAULT now();
             ALTER TABLE items ALTER target_name TYPE varchar(100);
             CREATE UNIQUE INDEX ON items (target_name, source_uid, inventory_name, inventory_namespace, cluster)
             INCLUDE (resource_namespace)",
        );
        let sink = bench.claimed().await;
        assert_eq!(deliver(&sink, vec![row("u-1", 1)]).await.unwrap().written, 1);
        assert_eq!(deliver(&sink, vec![row("u-1", 2)]).await.unwrap().written, 1);
    });
}

#[test]
fn a_missing_schema_is_named() {
    run(async {
        let mut bench = Bench::new();
        with_table(&mut bench, "absent", "items");
        let refusal = bench.build(WRITER, "").claim(&inventory()).await.unwrap_err();
        assert_eq!(refusal.reason, reason::DESTINATION_INCOMPATIBLE);
        assert!(
            refusal.message.contains("schema \"absent\" does not exist"),
            "{refusal}"
        );
    });
}

#[test]
fn odd_names_are_names() {
    run(async {
        let mut bench = Bench::new();
        bench.sql("CREATE SCHEMA \"Fleet \"\"A\"\"\"");
        with_table(&mut bench, "Fleet \"A\"", "analytics.items; DROP TABLE x");
        let sink = bench.claimed().await;
        assert_eq!(deliver(&sink, vec![row("u-1", 1)]).await.unwrap().written, 1);
        let count = bench.sql("SELECT count(*) FROM \"Fleet \"\"A\"\"\".\"analytics.items; DROP TABLE x\"");
        assert_eq!(count, "1");
    });
}

#[test]
fn existing_mode_creates_nothing_and_says_what_is_missing() {
    run(async {
        let mut bench = Bench::new();
        bench.spec.provisioning = Provisioning::Existing;
        let refusal = bench.build(WRITER, "").claim(&inventory()).await.unwrap_err();
        assert_eq!(refusal.reason, reason::DESTINATION_INCOMPATIBLE);
        assert!(
            refusal.message.contains("table \"public\".\"items\" does not exist"),
            "{refusal}"
        );
        assert_eq!(
            bench.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"),
            "0"
        );
        bench.sql(LEGACY_TABLE);
        let refusal = bench.build(WRITER, "").claim(&inventory()).await.unwrap_err();
        assert!(
            refusal
                .message
                .contains("table \"public\".\"items_sync\" does not exist"),
            "{refusal}"
        );
        // The message holds the statement; running it is all that is left to do.
        let (_, ddl) = refusal.message.split_once("create it with: ").unwrap();
        bench.sql(ddl);
        let sink = bench.claimed().await;
        assert_eq!(deliver(&sink, vec![row("u-1", 1)]).await.unwrap().written, 1);
    });
}

#[test]
fn a_role_without_create_uses_existing_tables_in_both_modes_and_is_told_what_it_lacks() {
    run(async {
        let mut bench = Bench::new();
        bench.claimed().await;
        let role = format!("least_{}", bench.database);
        bench.sql(&format!(
            "CREATE ROLE {role} LOGIN PASSWORD 'pw'; REVOKE CREATE ON SCHEMA public FROM PUBLIC;
             GRANT SELECT, INSERT, UPDATE ON items, items_sync TO {role}"
        ));
        let (_, rest) = bench
            .url()
            .split_once('@')
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        bench.connect_by(&format!("postgres://{role}:pw@{rest}"));
        for mode in [Provisioning::Ensure, Provisioning::Existing] {
            bench.spec.provisioning = mode;
            let refusal = bench.build(WRITER, "eu-1").claim(&inventory()).await.unwrap_err();
            assert_eq!(refusal.reason, reason::DESTINATION_INCOMPATIBLE);
            assert!(refusal.message.contains("grant DELETE on it"), "{refusal}");
        }
        bench.sql(&format!("GRANT DELETE ON items, items_sync TO {role}"));
        for mode in [Provisioning::Ensure, Provisioning::Existing] {
            bench.spec.provisioning = mode;
            let sink = bench.claimed().await;
            deliver(&sink, vec![row("u-1", 1)]).await.unwrap();
        }
        bench.sql("DROP TABLE items");
        bench.spec.provisioning = Provisioning::Ensure;
        let refusal = bench.build(WRITER, "eu-1").claim(&inventory()).await.unwrap_err();
        assert!(
            refusal.message.contains("grant CREATE on schema \"public\""),
            "{refusal}"
        );
        bench.sql(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
    });
}

#[test]
fn operators_that_create_the_table_at_once_all_succeed() {
    run(async {
        let bench = Bench::new();
        let sinks: Vec<_> = (0..8)
            .map(|number| bench.build(WRITER, &format!("c-{number}")))
            .collect();
        let apps = inventory();
        let claims = sinks.iter().map(|sink| sink.claim(&apps));
        let claims = futures::future::join_all(claims).await;
        assert!(claims.iter().all(Result::is_ok), "{claims:?}");
    });
}

#[test]
fn a_table_that_was_dropped_is_created_anew_and_asks_for_a_comparison() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        deliver(&sink, vec![row("u-1", 1)]).await.unwrap();
        bench.sql("DROP TABLE items");
        let lost = deliver(&sink, vec![row("u-2", 1)]).await.unwrap_err();
        assert_eq!(lost.class, ErrorClass::Unavailable, "{lost}");
        let claim = sink.claim(&inventory()).await.unwrap();
        assert_eq!(claim.targets, []);
        assert_eq!(
            deliver(&sink, vec![row("u-1", 1), row("u-2", 1)])
                .await
                .unwrap()
                .written,
            2
        );
    });
}
