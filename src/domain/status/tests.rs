//! Statuses as readers and scripts see them.

mod cluster;

use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;

use super::book::{Book, Decision};
use super::*;
use crate::aggregate::unjudged::PolicyErrors;
use crate::condition::ConditionStatus;
use crate::engine::report::{BindingReport, TargetReport};
use crate::fault::{ErrorClass, Fault};
use crate::ids::{NamespacedName, SinkFamily, SinkKey};

fn time(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).unwrap()
}

fn binding(fault: Option<Fault>) -> BindingReport {
    BindingReport {
        level: fault.is_none(),
        settled: fault.is_none(),
        waiting: vec![],
        connected: fault.is_none(),
        last_export: Some(time(5)),
        failures: u32::from(fault.is_some()),
        fault,
        refused: 0,
        last_refusal: None,
    }
}

fn unavailable() -> Fault {
    Fault::new(ErrorClass::Unavailable, "ConnectionTestFailed", "connection refused")
}

fn misconfigured() -> Fault {
    Fault::new(
        ErrorClass::Misconfigured,
        "SecretResolveFailed",
        "Secret shop/dsn does not exist; create it",
    )
}

fn report(rows: u64) -> TargetReport {
    TargetReport {
        rows,
        failures: 0,
        last_failure: None,
        policy_errors: PolicyErrors::default(),
        complete: true,
        listed: true,
        forbidden: vec![],
        fault: None,
    }
}

fn target_status(report: &TargetReport, blocked: Option<(&'static str, &str)>) -> Status<target::Fields> {
    target::status(target::Facts {
        profile: "web",
        blocked,
        report: Some(report.clone()),
        namespaces: target::Namespaces {
            matched: vec!["shop".into()],
            effective: vec!["shop".into()],
        },
        active_rules: 0,
        sinks: Some(vec![("database/lake".into(), Some(binding(Some(unavailable()))))]),
    })
}

fn inventory_status(bindings: Vec<Result<Option<BindingReport>, Fault>>, listing: usize) -> Status<inventory::Fields> {
    let bound = |(i, state): (usize, Result<Option<BindingReport>, Fault>)| inventory::Bound {
        sink: SinkKey {
            family: SinkFamily::Database,
            object: NamespacedName::new("shop", &format!("lake{i}")),
        },
        state,
    };
    inventory::status(&inventory::Facts {
        blocked: None,
        bindings: bindings.into_iter().enumerate().map(bound).collect(),
        rows: 3,
        listing,
        cluster: false,
        generation: 2,
        previous: &[],
        now: time(9),
    })
}

fn shown(conditions: &[Wanted]) -> Vec<String> {
    let mut shown: Vec<String> = conditions
        .iter()
        .map(|c| format!("{}={:?}/{}", c.kind, c.status, c.reason))
        .collect();
    shown.sort();
    shown
}

#[test]
fn a_collecting_target_is_ready_and_says_how_many_resources_it_collects() {
    let status = target_status(&report(7), None);
    assert_eq!(
        shown(&status.conditions),
        [
            "Ready=True/Collecting",
            "SinkReachable=False/SinkUnreachable",
            "Synced=True/Collecting"
        ],
        "a sink that is away does not degrade the target"
    );
    assert!(status.conditions[0].message.contains("collecting 7 resource"));
}

#[test]
fn a_degraded_target_has_no_ready_condition_and_says_that_rows_stay() {
    let fault = Fault::new(
        ErrorClass::Misconfigured,
        "ScopeForbidden",
        "may not list deployments.apps",
    );
    let status = target_status(
        &TargetReport {
            fault: Some(fault),
            ..report(4)
        },
        None,
    );
    assert_eq!(
        shown(&status.conditions),
        ["Degraded=True/ScopeForbidden", "SinkReachable=False/SinkUnreachable"]
    );
    assert!(status.conditions[0].message.contains("4 row(s)"));
    let blocked = target_status(
        &report(0),
        Some(("ProfileNotFound", "no profile web in shop; create it")),
    );
    assert!(shown(&blocked.conditions).contains(&"Degraded=True/ProfileNotFound".to_owned()));
    let failing = target_status(
        &TargetReport {
            failures: 2,
            last_failure: Some("attribute \"n\": no such key".into()),
            ..report(4)
        },
        None,
    );
    assert!(shown(&failing.conditions).contains(&"Degraded=True/ExtractionFailed".to_owned()));
}

#[test]
fn objects_that_a_failing_policy_leaves_out_are_counted_in_the_messages_of_a_ready_target() {
    let failing = TargetReport {
        policy_errors: PolicyErrors {
            objects: 3,
            latest: Some("spec.resourceRules[0].matchPolicy: the object has no `x`".into()),
        },
        ..report(4)
    };
    let conditions = target_status(&failing, None).conditions;
    for kind in ["Ready", "Synced"] {
        let condition = conditions.iter().find(|condition| condition.kind == kind).unwrap();
        assert_eq!(condition.status, ConditionStatus::True);
        let expected = "; a policy fails for 3 object(s), which are not collected; latest: spec.resourceRules[0]";
        assert!(condition.message.contains(expected), "{}", condition.message);
    }
}

#[test]
fn namespaces_that_may_not_be_read_leave_a_target_ready_and_are_named() {
    let partial = TargetReport {
        complete: false,
        forbidden: (10..22).map(|i| format!("team-{i}").into()).collect(),
        ..report(4)
    };
    let status = target_status(&partial, None);
    let shown = shown(&status.conditions);
    assert!(shown.contains(&"Ready=True/Collecting".to_owned()), "{shown:?}");
    assert!(shown.contains(&"Synced=True/ScopeForbidden".to_owned()), "{shown:?}");
    let synced = status.conditions.iter().find(|c| c.kind == "Synced").unwrap();
    assert!(synced.message.contains("12 namespace(s)"), "{}", synced.message);
    assert!(synced.message.contains("team-10, ") && synced.message.contains("team-19 and 2 more"));
    assert!(!synced.message.contains("team-20"));
}

#[test]
fn a_target_being_listed_is_neither_ready_nor_degraded() {
    let listing = TargetReport {
        complete: false,
        listed: false,
        ..report(0)
    };
    let status = target_status(&listing, None);
    assert_eq!(
        shown(&status.conditions),
        ["SinkReachable=False/SinkUnreachable", "Synced=False/Listing"]
    );
}

#[test]
fn an_inventory_is_synced_only_when_every_sink_acknowledged_and_every_target_was_listed() {
    let exported = [
        "Ready=True/Exported",
        "SinkReachable=True/ExportSucceeded",
        "Synced=True/Exported",
    ];
    assert_eq!(
        shown(&inventory_status(vec![Ok(Some(binding(None)))], 0).conditions),
        exported
    );
    for unfinished in [
        inventory_status(vec![Ok(Some(binding(None)))], 1),
        inventory_status(vec![Ok(None)], 0),
    ] {
        assert_eq!(shown(&unfinished.conditions), ["Synced=False/Progressing"]);
    }
}

#[test]
fn failures_of_sinks_combine_as_documented() {
    let ok = || Ok(Some(binding(None)));
    let broken = |fault: Fault| Ok(Some(binding(Some(fault))));
    let cases = [
        (
            vec![ok(), broken(unavailable())],
            vec![
                "Ready=True/PartiallySynced",
                "SinkReachable=False/ExportFailed",
                "Synced=False/PartiallySynced",
            ],
        ),
        (
            vec![broken(unavailable())],
            vec![
                "Degraded=True/Progressing",
                "SinkReachable=False/ExportFailed",
                "Synced=False/Progressing",
            ],
        ),
        (
            vec![broken(misconfigured())],
            vec![
                "Degraded=True/ExportTerminal",
                "SinkReachable=False/ExportTerminal",
                "Synced=False/ExportTerminal",
            ],
        ),
        (
            vec![Err(Fault::new(
                ErrorClass::Misconfigured,
                "SinkNotFound",
                "no sink lake0",
            ))],
            vec![
                "Degraded=True/SinkNotFound",
                "SinkReachable=False/ExportTerminal",
                "Synced=False/SinkNotFound",
            ],
        ),
    ];
    for (bindings, expected) in cases {
        let status = inventory_status(bindings, 0);
        assert_eq!(shown(&status.conditions), expected);
        assert!(
            status.conditions.iter().any(|c| c.message.contains("database/lake")),
            "the sink is named"
        );
    }
}

#[test]
fn a_refused_row_keeps_the_inventory_from_being_synced() {
    let refused = BindingReport {
        refused: 1,
        last_refusal: Some("row apps/u-1: too deep".into()),
        ..binding(None)
    };
    let status = inventory_status(vec![Ok(Some(refused))], 0);
    assert!(shown(&status.conditions).contains(&"Synced=False/ExportTerminal".to_owned()));
}

#[test]
fn a_transition_time_moves_if_and_only_if_the_status_value_changes() {
    let first = target_status(&report(1), None).render(&[], 1, time(0));
    let previous: Vec<Condition> = merge(&[], target_status(&report(1), None).conditions, 1, time(0));
    let second = target_status(&report(2), None).render(&previous, 2, time(60));
    let ready = |status: &Value| {
        status["conditions"]
            .as_array()
            .unwrap()
            .iter()
            .find(|c| c["type"] == "Ready")
            .unwrap()
            .clone()
    };
    assert_eq!(
        ready(&first)["lastTransitionTime"],
        ready(&second)["lastTransitionTime"]
    );
    assert_eq!(ready(&second)["observedGeneration"], 2);
    let mut flipped = previous;
    for condition in &mut flipped {
        condition.status = ConditionStatus::False;
    }
    let third = target_status(&report(2), None).render(&flipped, 2, time(60));
    assert_eq!(ready(&third)["lastTransitionTime"], json!(time(60)));
}

#[test]
fn counters_alone_are_written_at_most_every_ten_seconds_and_conditions_at_once() {
    let seconds = Duration::from_secs;
    let mut book = Book::default();
    let status = |rows| target_status(&report(rows), None).render(&[], 1, time(0));
    assert_eq!(book.decide(&"t", &status(1), seconds(0)), Decision::Write);
    book.written("t", status(1), seconds(0));
    assert_eq!(book.decide(&"t", &status(1), seconds(99)), Decision::Keep);
    assert_eq!(book.decide(&"t", &status(2), seconds(3)), Decision::Later(seconds(10)));
    assert_eq!(book.decide(&"t", &status(2), seconds(10)), Decision::Write);
    let degraded = target_status(&report(2), Some(("Suspended", "suspended"))).render(&[], 1, time(0));
    assert_eq!(book.decide(&"t", &degraded, seconds(3)), Decision::Write);
}
