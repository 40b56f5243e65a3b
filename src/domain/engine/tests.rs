//! The engine against a model of the world: a cluster, a sink that fails as sinks do, and a clock.

mod fleet;
mod fleets;
mod properties;
mod rollups;
mod scopes;
mod views;
mod world;

use std::time::Duration;

use super::*;
use crate::fault::ErrorClass;
use world::World;

#[test]
fn rows_reach_the_sink_once_the_first_list_is_done_and_not_before() {
    let mut world = World::new();
    world.put("a", 1);
    world.list_start();
    world.list_page();
    assert!(world.sink.is_empty(), "nothing is complete yet");
    world.list_done();
    world.assert_level();
    assert_eq!(world.stats.written, 1);
}

#[test]
fn one_change_writes_one_row() {
    let mut world = World::listed(1_000);
    let before = world.stats.clone();
    world.change("o0500", 2);
    world.assert_level();
    assert_eq!(world.stats.written - before.written, 1);
    assert_eq!(world.stats.deleted, before.deleted);
}

#[test]
fn a_restart_delivers_the_net_difference() {
    let mut world = World::listed(100);
    world.objects.remove("o0007");
    world.put("o0008", 9);
    world.put("new", 1);
    let before = world.stats.clone();
    world.restart();
    world.list();
    world.assert_level();
    assert_eq!(world.stats.written - before.written, 2);
    assert_eq!(world.stats.deleted - before.deleted, 1);
}

#[test]
fn a_failed_list_deletes_nothing_also_after_a_restart() {
    let mut world = World::listed(10);
    world.objects.clear();
    world.restart();
    world.list_start();
    world.fail("Forbidden");
    assert_eq!(world.sink.len(), 10);
    world.fail("Unavailable");
    world.tick(Duration::from_mins(2));
    assert_eq!(world.sink.len(), 10);
}

#[test]
fn a_real_complete_empty_list_deletes_after_confirmation() {
    let mut world = World::listed(30);
    world.objects.clear();
    world.list();
    assert_eq!(world.sink.len(), 30, "one tiny list is not believed");
    assert_eq!(world.relists, 1);
    world.list();
    assert!(world.sink.is_empty());
}

#[test]
fn a_tiny_list_after_a_restart_is_confirmed_too() {
    let mut world = World::listed(30);
    world.objects.clear();
    world.restart();
    world.list();
    assert_eq!(world.sink.len(), 30);
    assert_eq!(world.relists, 1);
    world.list();
    assert!(world.sink.is_empty());
}

#[test]
fn an_incomplete_list_delivers_what_it_showed_and_deletes_nothing() {
    let mut world = World::listed(40);
    world.objects.retain(|uid, _| &**uid < "o0003");
    world.put("o0001", 7);
    world.put("new", 1);
    world.restart();
    world.list_start();
    world.list_page();
    world.list_incomplete();
    world.assert_row("o0001", 7);
    world.assert_row("new", 1);
    assert_eq!(world.sink.len(), 41, "what was not seen may exist");
    let report = world.target_report();
    assert!(!report.complete);
    assert_eq!(report.fault.map(|fault| fault.reason), Some("SourceIncomplete"));
    assert!(world.engine.is_settled() && world.engine.is_exported(1));
    world.list();
    world.list();
    world.assert_level();
    assert_eq!(world.sink.len(), 4, "a whole list says what is gone");
    assert!(world.target_report().complete);
}

#[test]
fn winding_up_records_the_last_state_once_all_is_delivered() {
    let mut world = World::listed(3);
    world.change("o0001", 5);
    let before = world.stats.records;
    world.wind_up();
    assert_eq!(world.stats.records, before + 1);
    assert!(world.engine.is_drained());
    world.down = true;
    world.wind_up();
    assert!(world.engine.is_drained(), "a sink that is away is not waited for");
}

#[test]
fn a_sink_is_given_up_after_some_failures_in_a_row_or_at_once_when_only_a_person_can_help() {
    let mut world = World::new();
    world.put("a", 1);
    world.down = true;
    world.list();
    assert!(!world.engine.is_exported(3), "it is tried again");
    world.tick(Duration::from_mins(1));
    world.tick(Duration::from_mins(1));
    assert!(world.engine.is_exported(3));
    world.down = false;
    world.tick(Duration::from_mins(1));
    assert!(world.engine.is_exported(1));
    world.assert_level();
    world.foreign_writer = true;
    world.restart();
    world.list();
    assert!(world.engine.is_exported(100));
}

#[test]
fn a_sink_that_can_be_claimed_and_never_written_is_given_up_too() {
    let mut world = World::new();
    world.put("a", 1);
    for _ in 0..1_000 {
        world.fail_next(ErrorClass::Unavailable, false);
    }
    world.list();
    assert!(!world.engine.is_exported(6), "it is tried again");
    world.tick(Duration::from_mins(1));
    assert!(world.engine.is_exported(6));
    assert!(!world.binding_report().level);
}

#[test]
fn a_small_loss_needs_no_confirmation() {
    let mut world = World::listed(30);
    world.objects.retain(|uid, _| &**uid >= "o0015");
    world.list();
    assert_eq!(world.sink.len(), 15, "half of the rows is not more than half");
    assert_eq!(world.relists, 0);
}

#[test]
fn an_object_that_fails_extraction_keeps_its_last_good_row_also_after_a_restart() {
    let mut world = World::listed(3);
    world.break_object("o0001");
    world.assert_row("o0001", 1);
    assert_eq!(world.target_report().failures, 1);
    world.restart();
    world.list();
    world.assert_row("o0001", 1);
    assert_eq!(world.target_report().failures, 1);
    world.change("o0001", 5);
    world.assert_level();
    let report = world.target_report();
    assert_eq!((report.failures, report.last_failure), (0, None));
}

#[test]
fn a_new_definition_keeps_old_rows_until_its_list_is_complete_and_then_swaps_in_one_delivery() {
    let mut world = World::listed(50);
    let deliveries = world.stats.deliveries;
    world.redefine();
    world.list_start();
    world.list_page();
    world.assert_row("o0000", 1);
    assert_eq!(world.stats.deliveries, deliveries);
    world.list_done();
    assert_eq!(world.stats.deliveries, deliveries + 1);
    world.assert_level();
}

#[test]
fn a_late_step_of_an_old_registration_is_dropped() {
    let mut world = World::listed(1);
    let old = world.epoch;
    world.redefine();
    world.list();
    world.step_as(old, SourceStep::Rows(vec![("ghost".into(), world.row("ghost", 1))]));
    world.assert_level();
}

#[test]
fn a_held_target_keeps_its_rows_and_a_removed_one_loses_them() {
    let mut world = World::listed(5);
    world.hold();
    world.restart_held();
    assert_eq!(world.sink.len(), 5);
    world.remove_target();
    assert!(world.sink.is_empty());
}

#[test]
fn rows_of_targets_that_vanished_while_the_operator_was_down_are_removed() {
    let mut world = World::listed(5);
    world.restart();
    world.remove_target();
    assert!(world.sink.is_empty());
}

#[test]
fn a_lost_acknowledgement_is_repaired_even_if_the_row_changes_back() {
    let mut world = World::listed(1);
    world.fail_next(ErrorClass::Transient, true);
    world.change("o0000", 2);
    world.change("o0000", 1);
    world.tick(Duration::from_mins(1));
    world.assert_level();
}

#[test]
fn after_an_outage_the_sink_is_read_back_since_it_may_have_lost_what_it_acknowledged() {
    let mut world = World::listed(10);
    world.fail_next(ErrorClass::Unavailable, false);
    world.change("o0000", 2);
    world.sink.remove("o0003");
    world.tick(Duration::from_mins(1));
    world.assert_level();
}

#[test]
fn a_second_writer_is_reported_and_nothing_of_the_first_is_touched() {
    let mut world = World::listed(3);
    world.foreign_writer = true;
    world.restart();
    world.list();
    world.objects.clear();
    world.list();
    assert_eq!(world.sink.len(), 3);
    let report = world.binding_report();
    assert_eq!(
        report.fault.map(|f| f.reason),
        Some(crate::condition::reason::WRITER_CONFLICT)
    );
    assert!(!report.level);
}

#[test]
fn a_refused_row_is_reported_and_does_not_stop_the_others() {
    let mut world = World::new();
    world.poison = Some("o0001".into());
    for i in 0..3 {
        world.put(&format!("o{i:04}"), 1);
    }
    world.list();
    assert_eq!(world.sink.len(), 2);
    assert_eq!(world.binding_report().refused, 1);
    world.poison = None;
    world.change("o0001", 2);
    world.assert_level();
    assert_eq!(world.binding_report().refused, 0);
}

#[test]
fn deleting_the_inventory_purges_once_or_retains() {
    let mut world = World::listed(3);
    world.close(Closing::Retain);
    assert_eq!((world.sink.len(), world.closed), (3, 1));
    let mut world = World::listed(3);
    world.close(Closing::Purge);
    assert_eq!((world.sink.len(), world.closed), (0, 1));
}

#[test]
fn a_sink_that_is_away_does_not_block_the_deletion_of_its_inventory_for_ever() {
    let mut world = World::listed(3);
    world.down = true;
    world.close(Closing::Purge);
    world.tick(Duration::from_mins(10));
    assert_eq!(world.closed, 1);
}

#[test]
fn an_idle_binding_records_that_it_lives_once_a_minute() {
    let mut world = World::listed(1);
    world.tick(Duration::from_mins(1));
    let before = world.stats.records;
    world.tick(Duration::from_mins(5));
    let records = world.stats.records - before;
    assert!((4..=6).contains(&records), "{records}");
    assert_eq!(world.stats.written, 1, "a heartbeat writes no row");
}
