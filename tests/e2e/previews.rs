//! Previews of sinks, asked for by annotation.

use serde_json::Value;

use crate::world::{World, inventory, until};

const SINK: &str = "kollectdatabasesink";

fn preview(world: &World) -> Value {
    let text = world.field(SINK, "lake", "{.status.preview}");
    serde_json::from_str(&text).unwrap_or_default()
}

fn annotate(world: &World, annotation: &str) {
    let object = format!("{SINK}/lake");
    world.kubectl(&["annotate", &object, "-n", &world.namespace, annotation]);
}

async fn shown(world: &World) -> Value {
    until("the preview is there", async || {
        Some(preview(world)).filter(|preview| !preview.is_null())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_is_there_while_it_is_asked_for_and_keeps_its_time() {
    let world = World::new().await;
    let operator = world.start().await;
    annotate(&world, "kollect.dev/preview= TRUE ");
    let first = shown(&world).await;
    let ddl = first["postgres"]["expectedDDL"].as_str().unwrap();
    assert!(
        ddl.starts_with("CREATE TABLE IF NOT EXISTS \"public\".\"rows\" ("),
        "{ddl}"
    );
    assert!(ddl.contains("payload JSONB NOT NULL"), "{ddl}");
    assert_eq!(
        (&first["provisioningMode"], &first["inputSampleSource"]),
        (&Value::from("ensure"), &Value::from("synthetic"))
    );
    let client = world.table.connect().await.unwrap();
    let tables = client.query("SELECT 1 FROM pg_tables WHERE tablename = 'rows'", &[]);
    assert!(tables.await.unwrap().is_empty(), "nothing was created");

    // Neither what the sink does meanwhile nor another operator renders it anew.
    world.apply(&inventory());
    world
        .wait_for(SINK, "lake", "ConnectionVerified", "True", "ConnectionOK")
        .await;
    operator.kill();
    let _operator = world.start().await;
    annotate(&world, "example.com/other=1");
    assert_eq!(preview(&world), first);

    annotate(&world, "kollect.dev/preview-");
    until("the preview is gone", async || preview(&world).is_null().then_some(())).await;
    let verified = world.condition(SINK, "lake", "ConnectionVerified", "True");
    assert!(verified.is_some(), "the rest of the status stays");
}
