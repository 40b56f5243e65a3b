use std::time::Duration;

use super::*;
use crate::changes::Changes;
use crate::process::Memory;
use crate::run::Restart;

fn figures() -> Figures {
    Figures {
        floor: Duration::from_secs(1),
        first_export: Duration::from_millis(1_500),
        settled: Memory {
            resident: 25_000_000,
            peak: 40_000_000,
        },
        peak: 41_500_000,
        changes: Changes {
            visible: (1..=200).map(Duration::from_millis).collect(),
            answered: vec![Duration::from_millis(3); 200],
            cpu: Duration::from_millis(100),
        },
        written: 200,
        restart: Restart {
            took: Duration::from_secs(1),
            written: 0,
            touched: 0,
        },
    }
}

fn report(runs: &[Figures]) -> Report {
    let circumstances = Circumstances {
        machine: "a machine".to_owned(),
        versions: "versions".to_owned(),
        objects: 10_000,
        object_bytes: 8_192,
        changes: 200,
    };
    Report::new(circumstances, runs)
}

fn line_of(report: &Report, measure: &str) -> String {
    let text = report.to_string();
    text.lines().find(|line| line.contains(measure)).unwrap().to_owned()
}

#[test]
fn a_limit_holds_for_the_median_of_the_runs() {
    let slow = Figures {
        first_export: Duration::from_secs(4),
        ..figures()
    };
    let one_slow = report(&[figures(), slow, figures()]);
    assert_eq!(
        line_of(&one_slow, "÷"),
        "| the same ÷ (1.5 × floor + 0.5 s) | 0.75 | 2.00 | 0.75 | 0.75 | ≤ 1.00 | ok |"
    );
    assert_eq!(
        line_of(&one_slow, "visible, p99"),
        "| change sent → row visible, p99, ms | 198.0 | 198.0 | 198.0 | 198.0 | ≤ 50.0 | over |"
    );
    assert!(!one_slow.is_within_limits());
}

#[test]
fn one_row_too_many_in_one_run_is_over_and_not_rounded_away() {
    let chatty = Figures {
        written: 201,
        ..figures()
    };
    let report = report(&[figures(), chatty, figures()]);
    assert_eq!(
        line_of(&report, "rows written per change"),
        "| rows written per change | 1.00 | 1.00500 | 1.00 | 1.00 | 1.00 | over |"
    );
}

#[test]
fn figures_within_all_limits_are_told_as_such() {
    let fast = || Figures {
        changes: Changes {
            visible: vec![Duration::from_millis(9); 200],
            answered: vec![Duration::from_millis(3); 200],
            cpu: Duration::from_millis(100),
        },
        ..figures()
    };
    let report = report(&[fast()]);
    assert!(report.is_within_limits(), "{report}");
    assert_eq!(
        line_of(&report, "CPU"),
        "| operator's CPU per change, ms | 0.50 | 0.50 | ≤ 1.00 | ok |"
    );
}
