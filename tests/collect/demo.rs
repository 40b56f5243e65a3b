//! The demo.

use std::fs;

use serde_json::Value;

use crate::database::rows;
use crate::server::Server;

/// Clusters of the sample estate.
const CLUSTERS: [&str; 3] = ["prod-eu", "prod-us", "staging"];

#[test]
fn without_flags_it_prints_an_address_that_shows_three_clusters_and_leaves_nothing_behind() {
    let mut demo = Server::start(&["demo"]);
    assert_eq!(demo.stdout(), format!("{}\n", demo.url), "nothing but the address");
    let start = demo.page("");
    for cluster in CLUSTERS {
        assert!(start.contains(cluster), "{start}");
    }
    let twin: Value =
        serde_json::from_str(&demo.page("index.json?inventory=prod-eu/default/estate&kind=Deployment.apps")).unwrap();
    assert!(twin.to_string().contains("Deployment"), "{twin}");
    assert_eq!(demo.get("nothing-here").0, 404);
    assert_eq!(fs::read_dir(demo.temporary()).unwrap().count(), 1);
    assert_eq!(demo.stop("TERM"), "0");
    assert_eq!(fs::read_dir(demo.temporary()).unwrap().count(), 0);
}

#[test]
fn its_rows_are_kept_where_the_user_says_and_shown_again() {
    let folder = tempfile::tempdir().unwrap();
    // A folder that does not exist yet.
    let keep = folder.path().join("kept/demo");
    let mut demo = Server::start(&["demo", "--keep", keep.to_str().unwrap()]);
    let shown = demo.page("index.json");
    assert_eq!(demo.stop("INT"), "0");
    let file = keep.join("inventory.db");
    let kept = rows(&file);
    assert!(kept.len() >= 300, "{} rows", kept.len());
    for cluster in CLUSTERS {
        assert!(kept.keys().any(|[of, ..]| of == cluster), "{cluster}");
    }
    let ui = Server::start(&["ui", "--database", file.to_str().unwrap(), "--listen", "127.0.0.1:0"]);
    assert_eq!(inventories(&ui.page("index.json")), inventories(&shown));
}

fn inventories(twin: &str) -> Value {
    let twin: Value = serde_json::from_str(twin).unwrap();
    assert!(
        twin["inventories"]
            .as_array()
            .is_some_and(|all| all.len() == CLUSTERS.len()),
        "{twin}"
    );
    twin["inventories"].clone()
}
