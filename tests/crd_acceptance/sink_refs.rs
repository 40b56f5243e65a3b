//! Sink references as names and as objects.

use serde_json::{Value, json};

use crate::api::{Api, object};
use crate::round_trip::assert_nothing_is_lost;

const NAMESPACE: &str = "sink-refs";

fn inventory(name: &str, database_sinks: &Value) -> Value {
    object(
        "KollectInventory",
        NAMESPACE,
        name,
        &json!({"databaseSinkRefs": database_sinks}),
    )
}

#[test]
fn names_objects_and_both_in_one_list_are_stored_as_written_by_either_kind_of_apply() {
    let Some(api) = Api::shared() else { return };
    let ways: [&[&str]; 2] = [&["apply"], &["apply", "--server-side", "--field-manager=author"]];
    // Each list replaces the one before, so every form is also changed into every other.
    let lists = [
        json!(["lake", "warehouse"]),
        json!([{"name": "lake", "exportMinInterval": "1h"}]),
        json!(["lake", {"name": "warehouse", "maxExportBytes": 1}]),
        json!(["warehouse"]),
    ];
    for (name, way) in ["client-side", "server-side"].into_iter().zip(ways) {
        for list in &lists {
            let mut arguments = way.to_vec();
            arguments.extend(["--validate=strict", "-o", "json", "-f", "-"]);
            let stored = api.json(&arguments, &inventory(name, list).to_string());
            assert_eq!(&stored["spec"]["databaseSinkRefs"], list, "{name}");
            assert_nothing_is_lost(&stored);
        }
    }
}

#[test]
fn an_inventory_that_the_operator_wrote_back_as_objects_can_be_applied_again_with_names() {
    let Some(api) = Api::shared() else { return };
    let by_name = inventory("written-back", &json!(["lake"])).to_string();
    let apply = [
        "apply",
        "--server-side",
        "--field-manager=author",
        "-o",
        "json",
        "-f",
        "-",
    ];
    api.run(&apply, &by_name);
    let rewrite = r#"[{"op": "replace", "path": "/spec/databaseSinkRefs/0", "value": {"name": "lake"}}]"#;
    let resource = [
        "patch",
        "kollectinventory",
        "written-back",
        "-n",
        NAMESPACE,
        "--field-manager=operator",
    ];
    api.run(&[&resource[..], &["--type=json", "-p", rewrite]].concat(), "");
    let stored = api.json(&[&apply[..], &["--force-conflicts"]].concat(), &by_name);
    assert_eq!(stored["spec"]["databaseSinkRefs"], json!(["lake"]));
}
