//! What each namespace contributes to a cluster inventory.

use std::time::Duration;

use serde_json::json;

use super::fleet::Fleet;
use super::*;
use crate::aggregate::rows::Outcome;
use crate::aggregate::view::View;
use crate::engine::rollup::Rollup;
use crate::ids::InventoryKey;
use crate::row::{Row, RowIdentity};
use crate::time::Now;

fn inventory() -> InventoryKey {
    InventoryKey::new("", "fleet")
}

fn shards(rollup: &Rollup) -> Vec<(String, u64, usize)> {
    rollup
        .shards()
        .map(|shard| (shard.namespace.clone(), shard.item_count, shard.target_count))
        .collect()
}

fn shard(namespace: &str, items: u64, targets: usize) -> (String, u64, usize) {
    (namespace.to_owned(), items, targets)
}

#[test]
fn a_shard_has_the_checksum_of_its_rows() {
    let attributes = json!({"ratio": 0.5, "tags": ["a", "b"], "void": null});
    let identity = RowIdentity {
        target_namespace: "shop",
        target_name: "cms",
        namespace: "shop",
        name: "cfg",
        group: "",
        version: "v1",
        kind: "ConfigMap",
        uid: "u-1",
    };
    let row = Row::new(&identity, attributes.as_object().unwrap());
    let mut fleet = Fleet::new();
    fleet.collect("cms");
    let steps = [
        SourceStep::ListStarted,
        SourceStep::Rows(vec![("u-1".into(), Outcome::Row(Arc::new(row)))]),
        SourceStep::ListDone,
    ];
    for step in steps {
        let event = Event::Source {
            target: TargetKey::new("", "cms"),
            epoch: Epoch(1),
            scope: WatchScope::Cluster,
            step,
        };
        let now = Now {
            wall: jiff::Timestamp::UNIX_EPOCH,
            monotonic: Duration::ZERO,
        };
        fleet.engine.apply(event, now);
    }
    let mut rollup = Rollup::default();
    rollup.refresh(&fleet.engine, &inventory(), &View::default(), Duration::ZERO);
    let checksums: Vec<&str> = rollup.shards().map(|shard| shard.checksum.as_str()).collect();
    // The vector of the API's description for these rows.
    assert_eq!(
        checksums,
        ["2afb7ee18b1d6639add706d8ad1db9df274c963dfe2f54ff68f47428945a5759"]
    );
}

#[test]
fn shards_count_what_is_shown_and_are_looked_at_once_a_minute() {
    let mut fleet = Fleet::new();
    fleet.put("1", "shop", &["a", "b"]);
    fleet.put("2", "shop", &["a"]);
    fleet.put("3", "blog", &["b"]);
    for target in ["a", "b"] {
        fleet.collect(target);
        fleet.list(target);
    }
    let at = Duration::from_secs;
    let mut rollup = Rollup::default();
    let mut look = |fleet: &Fleet, view: &View, second| {
        let again = rollup.refresh(&fleet.engine, &inventory(), view, at(second));
        (shards(&rollup), again)
    };
    let all = View::default();
    let both = vec![shard("blog", 1, 1), shard("shop", 3, 2)];
    assert_eq!(look(&fleet, &all, 0), (both.clone(), None));
    assert_eq!(look(&fleet, &all, 5), (both.clone(), None), "nothing changed");
    fleet.objects.remove("2");
    fleet.report("a", "2");
    assert_eq!(look(&fleet, &all, 10), (both, Some(at(60))));
    let changed = vec![shard("blog", 1, 1), shard("shop", 2, 2)];
    assert_eq!(look(&fleet, &all, 60), (changed, None));
    let once = View {
        dedupe: true,
        ..View::default()
    };
    let deduped = vec![shard("blog", 1, 1), shard("shop", 1, 1)];
    assert_eq!(
        look(&fleet, &once, 61),
        (deduped, None),
        "another choice is shown at once"
    );
    let chosen = View {
        namespaces: Some(["blog".to_owned()].into()),
        ..View::default()
    };
    assert_eq!(look(&fleet, &chosen, 62), (vec![shard("blog", 1, 1)], None));
}
