//! Definitions that cannot work: each gets a condition that names the thing and the next step, and nothing else stops.

use serde_json::json;

use crate::world::{World, attributes, profile, resource, sink};

/// Kind, name, condition, its status, its reason, and what its message must name.
const CASES: &str = "\
kollectprofile bad-path Ready False InvalidProfile attributes[0]
kollectprofile bad-cel Ready False InvalidProfile attributes[0]
kollecttarget of-bad-path Degraded True InvalidProfile bad-path
kollecttarget of-bad-cel Degraded True InvalidProfile bad-cel
kollecttarget of-no-profile Degraded True ProfileNotFound missing
kollecttarget bad-selector Degraded True InvalidTarget Like
kollectinventory to-no-sink Degraded True SinkNotFound missing
kollectdatabasesink no-secret ConnectionVerified False SecretResolveFailed missing
kollectinventory to-no-secret Degraded True ExportTerminal missing
kollectdatabasesink wrong-server ConnectionVerified False ConnectionTestFailed 127.0.0.1
kollectdatabasesink wrong-dsn ConnectionVerified False InvalidSink nonsense
kollectdatabasesink other-table ConnectionVerified False DestinationIncompatible other";

#[tokio::test(flavor = "multi_thread")]
async fn every_bad_definition_is_named_and_the_good_ones_go_on() {
    let world = World::new().await;
    world.collect_maps();
    world.objects.fill(3).await;
    let inventory = |name: &str, sink: &str| resource("KollectInventory", name, &json!({"databaseSinkRefs": [sink]}));
    let secret = |name: &str, dsn: &str| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": {"dsn": dsn}});
    let with_secret = |name: &str, table: &str| json!({"postgres": {"databaseRef": {"name": name}, "table": table}});
    world
        .table
        .execute("CREATE TABLE other (id integer PRIMARY KEY, name text)")
        .await;
    world.apply_all(&[
        profile("bad-path", &json!([{"name": "x", "path": "$.data[?(@"}])),
        profile("bad-cel", &json!([{"name": "y", "path": "cel:object.data.v +"}])),
        world.target("of-bad-path", &json!({"profileRef": "bad-path"})),
        world.target("of-bad-cel", &json!({"profileRef": "bad-cel"})),
        world.target("of-no-profile", &json!({"profileRef": "missing"})),
        world.target(
            "bad-selector",
            &json!({"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Like", "values": ["b"]}]}}),
        ),
        secret("wrong", "postgres://nobody:hunter2@127.0.0.1:1/none?sslmode=disable"),
        secret("nonsense", "this is no connection string hunter2"),
        sink("no-secret", &with_secret("missing", "rows")),
        sink("wrong-server", &with_secret("wrong", "rows")),
        sink("wrong-dsn", &with_secret("nonsense", "rows")),
        sink("other-table", &with_secret("dsn", "other")),
        inventory("to-no-sink", "missing"),
        inventory("to-no-secret", "no-secret"),
        inventory("to-wrong-server", "wrong-server"),
        inventory("to-wrong-dsn", "wrong-dsn"),
        inventory("to-other-table", "other-table"),
    ]);
    let _operator = world.start().await;

    for case in CASES.lines() {
        let [kind, name, condition, status, reason, named] = case.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("a case has six words: {case}");
        };
        let message = world.wait_for(kind, name, condition, status, reason).await;
        assert!(
            message.contains(named),
            "{kind} {name} does not name {named}: {message}"
        );
        assert!(!message.contains("hunter2"), "{kind} {name} shows a secret: {message}");
    }
    world.assert_level().await;
    world.kubectl_wait_ready("kollecttarget", "maps");
    world.kubectl_wait_ready("kollectinventory", "estate");

    // The next step heals.
    world.apply(&profile("bad-cel", &attributes()));
    world.kubectl_wait_ready("kollecttarget", "of-bad-cel");
}
