//! What a cluster inventory shows: which targets, which namespaces, and objects that several targets collect.

use std::time::Duration;

use super::fleet::{Asked, Fleet};
use crate::aggregate::view::View;

fn dedupe() -> View {
    View {
        dedupe: true,
        ..View::default()
    }
}

fn namespaces(names: &[&str]) -> View {
    View {
        namespaces: Some(names.iter().map(|name| (*name).to_owned()).collect()),
        ..View::default()
    }
}

fn targets(names: &[&str]) -> View {
    View {
        targets: Some(names.iter().map(|name| (*name).into()).collect()),
        ..View::default()
    }
}

/// Two targets that share the objects `both-…`; 30 objects of each sort in each of two namespaces, all delivered.
fn listed(view: View) -> Fleet {
    let mut fleet = Fleet::new();
    for i in 0..30 {
        for namespace in ["blog", "shop"] {
            fleet.put(&format!("both-{namespace}-{i}"), namespace, &["a", "b"]);
            fleet.put(&format!("only-a-{namespace}-{i}"), namespace, &["a"]);
            fleet.put(&format!("only-b-{namespace}-{i}"), namespace, &["b"]);
        }
    }
    fleet.set_view(view);
    for target in ["a", "b"] {
        fleet.collect(target);
        fleet.list(target);
    }
    fleet.assert_level();
    fleet.asked = Asked::default();
    fleet
}

fn change(fleet: &mut Fleet, uid: &str) {
    fleet.objects.get_mut(uid).unwrap().value += 1;
    for target in ["a", "b"] {
        fleet.report(target, uid);
    }
}

fn asked(upserts: usize, deletes: usize) -> Asked {
    Asked {
        upserts,
        deletes,
        reads: 0,
    }
}

#[test]
fn an_object_of_several_targets_is_shown_once_by_the_last_name_or_by_each() {
    assert_eq!(listed(View::default()).sink.len(), 240);
    let fleet = listed(dedupe());
    assert_eq!(fleet.sink.len(), 180);
    let shared = fleet.sink.keys().filter(|key| key.uid.starts_with("both"));
    assert!(shared.clone().all(|key| &*key.target == "b"));
    assert_eq!(shared.count(), 60);
}

#[test]
fn one_change_is_one_row_and_a_change_that_is_not_shown_is_none() {
    let mut fleet = listed(dedupe());
    change(&mut fleet, "both-shop-1");
    fleet.assert_level();
    assert_eq!(fleet.asked, asked(1, 0));
    let mut fleet = listed(namespaces(&["shop"]));
    change(&mut fleet, "only-a-blog-1");
    fleet.objects.remove("only-a-blog-2");
    fleet.report("a", "only-a-blog-2");
    assert_eq!(fleet.asked, asked(0, 0));
    change(&mut fleet, "only-a-shop-1");
    fleet.assert_level();
    assert_eq!(fleet.asked, asked(1, 0));
}

#[test]
fn namespaces_that_come_and_go_concern_their_own_rows_only() {
    let mut fleet = listed(namespaces(&["shop"]));
    fleet.set_view(namespaces(&["blog", "shop"]));
    fleet.assert_level();
    assert_eq!(fleet.asked, asked(120, 0));
    fleet.set_view(namespaces(&["blog"]));
    fleet.assert_level();
    assert_eq!(fleet.asked, asked(120, 120));
    assert_eq!(fleet.relists, 0, "a choice is not a suspicious loss");
}

#[test]
fn a_target_that_is_not_selected_any_more_loses_its_rows_and_shared_objects_pass_to_the_others() {
    let mut fleet = listed(dedupe());
    fleet.set_view(View {
        dedupe: true,
        ..targets(&["a"])
    });
    fleet.assert_level();
    assert_eq!(
        fleet.asked,
        asked(60, 0),
        "what is shared; the rest is purged as a whole"
    );
    fleet.set_view(dedupe());
    fleet.assert_level();
    let mut fleet = listed(dedupe());
    fleet.remove("b");
    fleet.assert_level();
    assert_eq!(fleet.asked, asked(60, 0));
}

#[test]
fn an_object_never_vanishes_while_its_row_passes_from_one_target_to_another() {
    let mut fleet = listed(dedupe());
    fleet.collect("c");
    for (uid, object) in &mut fleet.objects {
        if uid.starts_with("both") {
            object.targets.insert("c");
        }
    }
    fleet.list_start("c");
    assert_eq!(fleet.asked, asked(0, 0), "its list is not complete");
    fleet.list("c");
    fleet.assert_level();
    assert_eq!(fleet.asked.upserts, 60, "the rows of target c");
    assert_eq!(fleet.lost, []);
}

#[test]
fn a_restart_writes_nothing_that_gives_way_a_moment_later() {
    for order in [["a", "b"], ["b", "a"]] {
        let mut fleet = listed(dedupe());
        fleet.restart();
        for target in order {
            fleet.list(target);
        }
        fleet.assert_level();
        assert_eq!((fleet.asked.upserts, fleet.asked.deletes), (0, 0), "{order:?}");
    }
}

#[test]
fn a_target_that_cannot_be_collected_keeps_its_rows_and_does_not_stop_the_others() {
    let mut fleet = listed(dedupe());
    fleet.hold("b");
    change(&mut fleet, "only-a-shop-1");
    assert_eq!(fleet.asked, asked(1, 0));
    assert_eq!(fleet.sink.len(), 180);
    fleet.restart();
    fleet.list("a");
    change(&mut fleet, "both-shop-1");
    let keys = |target: &str| fleet.sink.keys().filter(|key| &*key.target == target).count();
    assert_eq!(
        (keys("a"), keys("b")),
        (120, 120),
        "stale rows stay beside present ones"
    );
    assert_eq!(fleet.lost, []);
    fleet.collect("b");
    fleet.list("b");
    fleet.assert_level();
}

#[test]
fn a_first_list_that_breaks_takes_no_row_from_other_targets() {
    let mut fleet = listed(dedupe());
    fleet.restart();
    fleet.list_start("b");
    fleet.fail("b");
    fleet.list("a");
    change(&mut fleet, "both-shop-1");
    let present = fleet
        .sink
        .values()
        .filter(|row| row.attributes() == "{\"v\":1}")
        .count();
    assert_eq!(present, 1, "target a delivers its row");
    fleet.list("b");
    fleet.assert_level();
    assert_eq!(fleet.lost, []);
}

#[test]
fn rows_of_failing_objects_leave_with_their_namespace_also_after_a_restart() {
    let mut fleet = listed(namespaces(&["blog", "shop"]));
    fleet.objects.get_mut("only-a-blog-1").unwrap().broken = true;
    fleet.restart();
    for target in ["a", "b"] {
        fleet.list(target);
    }
    assert_eq!(fleet.sink.len(), 240, "the row is held");
    fleet.set_view(namespaces(&["shop"]));
    assert_eq!(fleet.sink, fleet.expected());
}

#[test]
fn what_is_recorded_counts_the_rows_that_are_shown() {
    let rows = |view: View| {
        let mut fleet = listed(view);
        fleet.tick(Duration::from_mins(2));
        let rows: Vec<u64> = fleet.records.iter().map(|record| record.rows).collect();
        rows
    };
    assert_eq!(rows(View::default()), [120, 120]);
    assert_eq!(rows(namespaces(&["shop"])), [60, 60]);
    assert_eq!(rows(dedupe()), [60, 120]);
}
