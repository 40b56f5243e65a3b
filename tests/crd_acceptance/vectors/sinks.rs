//! Rows about sinks.

use serde_json::json;

use super::Expected::{Accepted, LeftTo, Refused};
use super::Rows;

pub fn sinks() -> Rows {
    const SNAPSHOT: &str = "KollectSnapshotSink";
    const DATABASE: &str = "KollectDatabaseSink";
    const EVENT: &str = "KollectEventSink";
    let postgres = json!({"databaseRef": {"name": "dsn"}, "table": "rows"});
    let sqlite = json!({"file": "rows.db", "table": "rows"});
    vec![
        (
            SNAPSHOT,
            json!({"type": "http"}),
            Refused("spec.type: Unsupported value"),
        ),
        (
            SNAPSHOT,
            json!({"type": "azureblob"}),
            Refused("spec.type: Unsupported value"),
        ),
        (SNAPSHOT, json!({}), Refused("spec.type: Required value")),
        (SNAPSHOT, json!({"type": "git"}), Accepted),
        (SNAPSHOT, json!({"type": "git", "git": {}}), Accepted),
        (SNAPSHOT, json!({"type": "gitlab", "git": {"branch": "main"}}), Accepted),
        (
            SNAPSHOT,
            json!({"type": "git", "gitlab": {}}),
            Refused("spec.gitlab: Forbidden"),
        ),
        (
            SNAPSHOT,
            json!({"type": "gitlab", "objectStore": {}}),
            Refused("spec.objectStore: Forbidden"),
        ),
        (
            SNAPSHOT,
            json!({"type": "s3", "git": {}}),
            Refused("spec.git: Forbidden"),
        ),
        (
            SNAPSHOT,
            json!({"type": "s3", "http": {}}),
            Refused("spec.http: Forbidden"),
        ),
        (
            SNAPSHOT,
            json!({"type": "s3", "layout": {}}),
            Refused("spec.layout: Forbidden"),
        ),
        (
            SNAPSHOT,
            json!({"type": "gcs", "objectStore": {"format": "parquet"}}),
            Accepted,
        ),
        (
            SNAPSHOT,
            json!({"type": "gcs", "serialization": {"format": "csv"}}),
            Accepted,
        ),
        (
            SNAPSHOT,
            json!({"type": "s3", "serialization": {"format": "yaml"}}),
            Refused("spec.serialization.format"),
        ),
        (
            SNAPSHOT,
            json!({"type": "git", "serialization": {"format": "ndjson"}}),
            Accepted,
        ),
        (
            SNAPSHOT,
            json!({"type": "git", "serialization": {"format": "parquet"}}),
            Refused("spec.serialization.format"),
        ),
        (
            SNAPSHOT,
            json!({"type": "git", "serialization": {"compression": "zstd"}}),
            Accepted,
        ),
        (
            SNAPSHOT,
            json!({"type": "git", "options": {"Auth-Token": "x"}}),
            Refused("spec.options: Forbidden"),
        ),
        (
            SNAPSHOT,
            json!({"type": "git", "options": {"API_KEY": "x"}}),
            Refused("spec.options: Forbidden"),
        ),
        (
            SNAPSHOT,
            json!({"type": "git", "options": {"primary_key": "legacy"}}),
            Accepted,
        ),
        (
            SNAPSHOT,
            json!({"type": "git", "tls": {"caBundle": "not base64!"}}),
            Refused("spec.tls.caBundle"),
        ),
        (
            SNAPSHOT,
            json!({"type": "git", "tls": {"caBundle": "A".repeat(87_384)}}),
            Accepted,
        ),
        (
            SNAPSHOT,
            json!({"type": "git", "tls": {"caBundle": "A".repeat(87_388)}}),
            Refused("spec.tls.caBundle: Too long"),
        ),
        (
            SNAPSHOT,
            json!({"type": "git", "minChangeInterval": "48h"}),
            Refused("spec.minChangeInterval"),
        ),
        (DATABASE, json!({"type": "postgres", "postgres": postgres}), Accepted),
        (
            DATABASE,
            json!({"type": "postgres"}),
            Refused("spec.postgres: Required value"),
        ),
        (
            DATABASE,
            json!({"type": "postgres", "postgres": {"table": "rows"}}),
            Refused("spec.postgres.databaseRef: Required value"),
        ),
        (
            DATABASE,
            json!({"type": "postgres", "postgres": postgres, "sqlite": sqlite}),
            Refused("spec.sqlite: Forbidden"),
        ),
        (
            DATABASE,
            json!({"type": "postgres", "postgres": postgres, "serialization": {"format": "yaml"}}),
            Refused("spec.serialization.format"),
        ),
        (
            DATABASE,
            json!({"type": "postgres", "postgres": postgres, "layout": {"mode": "split"}}),
            Refused("spec.layout: Forbidden"),
        ),
        (
            DATABASE,
            json!({"type": "postgres", "postgres": postgres, "history": {"maxAge": "2160h", "maxVersions": 1}}),
            Accepted,
        ),
        (
            DATABASE,
            json!({"type": "postgres", "postgres": postgres, "history": {"maxVersions": 0}}),
            Refused("spec.history.maxVersions"),
        ),
        (DATABASE, json!({"type": "sqlite", "sqlite": sqlite}), Accepted),
        (
            DATABASE,
            json!({"type": "sqlite", "sqlite": {"file": ".hidden", "table": "rows"}}),
            Refused("spec.sqlite.file"),
        ),
        (
            DATABASE,
            json!({"type": "sqlite", "sqlite": {"file": "a/b.db", "table": "rows"}}),
            Refused("spec.sqlite.file"),
        ),
        (
            DATABASE,
            json!({"type": "bigquery", "bigquery": {"project": "", "dataset": "d", "table": "t"}}),
            Refused("spec.bigquery: Required value"),
        ),
        (
            DATABASE,
            json!({"type": "mongodb"}),
            Refused("spec.mongodb: Required value"),
        ),
        (EVENT, json!({"type": "nats"}), Refused("spec.nats: Required value")),
        (
            EVENT,
            json!({"type": "nats", "nats": {"subject": "rows"}, "kafka": {"brokers": [], "topic": "rows"}}),
            Refused("spec.kafka: Forbidden"),
        ),
        (
            EVENT,
            json!({"type": "kafka", "kafka": {"brokers": ["k:9092"], "topic": "rows"}}),
            Accepted,
        ),
        (
            EVENT,
            json!({"type": "kafka", "kafka": {"brokers": [], "topic": "rows"}}),
            LeftTo("admission, as a warning: such sinks were accepted and failed at run time"),
        ),
    ]
}

pub fn git() -> Rows {
    let branch = |name: &str, expected| {
        (
            "KollectSnapshotSink",
            json!({"type": "git", "git": {"branch": name}}),
            expected,
        )
    };
    let endpoint = |url: &str, expected| ("KollectSnapshotSink", json!({"type": "git", "endpoint": url}), expected);
    const GUARD: &str = "the endpoint guard, which judges the resolved address of every connection";
    vec![
        branch("feature/x", Accepted),
        branch("", Accepted),
        branch("-x", Refused("must begin with a letter or digit")),
        branch("a b", Refused("must begin with a letter or digit")),
        branch("@", Refused("must begin with a letter or digit")),
        branch("refs/heads/x", Refused("leave out refs/heads/")),
        branch("a..b", Refused("must not contain ..")),
        branch("x.lock", Refused("must not contain ..")),
        branch("x.", Refused("must not contain ..")),
        // Private addresses are allowed unless the platform denies them.
        endpoint("https://10.1.2.3/r.git", Accepted),
        endpoint("https://forge.svc.cluster.local/r.git", Accepted),
        endpoint("git@localhost:r", LeftTo(GUARD)),
        endpoint("file:///srv/r", LeftTo(GUARD)),
        (
            "KollectSnapshotSink",
            json!({"type": "git", "git": {"cloneDepth": 0}}),
            Refused("spec.git.cloneDepth"),
        ),
        (
            "KollectSnapshotSink",
            json!({"type": "git", "git": {"engine": "jgit"}}),
            Refused("spec.git.engine: Unsupported value"),
        ),
        (
            "KollectSnapshotSink",
            json!({"type": "git", "git": {"auth": {"secretRef": {"name": " "}}}}),
            Refused("spec.git.auth.secretRef.name"),
        ),
        (
            "KollectSnapshotSink",
            json!({"type": "gitlab", "gitlab": {"mergeRequest": {"mode": "merge_request"}}}),
            LeftTo("admission, as a warning: such sinks were accepted and failed at run time"),
        ),
    ]
}

pub fn templates() -> Rows {
    let path = |template: &str, expected| {
        (
            "KollectSnapshotSink",
            json!({"type": "git", "pathTemplate": template}),
            expected,
        )
    };
    let file = |template: &str, expected| {
        (
            "KollectSnapshotSink",
            json!({"type": "git", "layout": {"pathTemplate": template}}),
            expected,
        )
    };
    vec![
        path("", Accepted),
        path("inv/{cluster}/{namespace}/{name}-{generation}{extension}", Accepted),
        path("inv/{name}.json", Refused("must contain {namespace} and {name}")),
        path("/a/{namespace}/{name}", Refused("must be relative")),
        path(" /a/{namespace}/{name}", Refused("must be relative")),
        path("a/{namespace}/{name}{ext}", Refused("unknown placeholder")),
        path("a/../{namespace}/{name}", Refused("must not leave its folder")),
        path("{namespace}/{name}/..", Refused("must not leave its folder")),
        // Two dots inside of a name are no way up.
        path("a..b/{namespace}/{name}", Accepted),
        // What is no placeholder stays as it is.
        path("{a_b}/{namespace}/{name}{X}", Accepted),
        file("{kind}/{sourceName}", Accepted),
        file("/{targetNamespace}/{targetName}/{group}/{uid}", Accepted),
        file("{kind}/{group}", Refused("must contain {sourceName} or {uid}")),
        file("{kind}/{sourcename}/{uid}", Refused("unknown placeholder")),
        file("../{sourceName}", Refused("must not leave its folder")),
        (
            "KollectSnapshotSink",
            json!({"type": "git", "layout": {"index": {"pathTemplate": "index/{name}"}}}),
            Refused("spec.layout.index.pathTemplate"),
        ),
        (
            "KollectSnapshotSink",
            json!({"type": "git", "layout": {"filename": {"maxSegmentLength": 0}}}),
            Refused("spec.layout.filename.maxSegmentLength"),
        ),
    ]
}
