//! Which objects count, and for how long.

use jiff::Timestamp;

use crate::aggregate::rows::{Change, Current, Outcome, TargetRows};
use crate::aggregate::unjudged::PolicyErrors;
use crate::ids::WatchScope;

fn listed() -> TargetRows {
    let mut rows = TargetRows::default();
    rows.watch(&[WatchScope::Cluster], false);
    rows.list_started(&WatchScope::Cluster);
    rows
}

fn apply(rows: &mut TargetRows, uid: &str, outcome: Outcome) -> Option<Change> {
    rows.apply(&WatchScope::Cluster, &uid.into(), outcome, Timestamp::UNIX_EPOCH)
}

fn failing(message: &str) -> Outcome {
    Outcome::Unjudged(message.to_owned())
}

fn errors(objects: u64, latest: Option<&str>) -> PolicyErrors {
    PolicyErrors {
        objects,
        latest: latest.map(str::to_owned),
    }
}

#[test]
fn each_object_counts_once_and_no_more_when_its_policy_decides_or_it_is_gone() {
    let mut rows = listed();
    for (uid, message) in [("a", "first"), ("b", "second"), ("a", "third")] {
        apply(&mut rows, uid, failing(message));
    }
    assert_eq!(rows.policy_errors(), errors(2, Some("third")));
    apply(&mut rows, "a", Outcome::NoMatch);
    assert_eq!(rows.policy_errors().objects, 1);
    apply(&mut rows, "b", Outcome::Gone);
    assert_eq!(rows.policy_errors(), errors(0, None));
}

#[test]
fn an_object_whose_policy_begins_to_fail_is_not_collected_any_more() {
    let mut rows = listed();
    apply(&mut rows, "a", Outcome::Failed("held".to_owned()));
    assert_eq!(rows.current("a"), Current::Held);
    let change = apply(&mut rows, "a", failing("policy"));
    assert!(change.is_some());
    assert_eq!((rows.current("a"), rows.failures()), (Current::Absent, 0));
}

#[test]
fn what_a_later_list_does_not_show_and_scopes_that_are_not_watched_are_forgotten() {
    let mut rows = listed();
    apply(&mut rows, "gone", failing("x"));
    apply(&mut rows, "stays", failing("y"));
    rows.list_started(&WatchScope::Cluster);
    apply(&mut rows, "stays", failing("y"));
    rows.list_done(&WatchScope::Cluster, Timestamp::UNIX_EPOCH);
    assert_eq!(rows.policy_errors(), errors(1, Some("y")));
    rows.watch(&[WatchScope::Namespace("shop".into())], false);
    assert_eq!(rows.policy_errors(), errors(0, None));
}
