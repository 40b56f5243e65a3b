//! What is said at the end, and the exit code.

use std::io::Write as _;
use std::process::ExitCode;

use kollect_domain::condition::reason;
use kollect_domain::engine::report::TargetReport;
use kollect_domain::fault::Fault;
use kollect_domain::status;

use super::pipeline::Collected;

/// Problems of files that are shown; the rest is only counted.
const SHOWN: usize = 20;

/// Some was not collected.
const PARTIAL: u8 = 1;
/// Nothing was.
const FATAL: u8 = 2;

/// Collects what to say over all clusters.
#[derive(Debug)]
pub struct Summary {
    several: bool,
    faults: u64,
    exported: u64,
}

impl Summary {
    /// Nothing was collected yet; `several` clusters are named in what is said.
    pub fn new(several: bool) -> Self {
        Self {
            several,
            faults: 0,
            exported: 0,
        }
    }

    /// Adds a cluster that could not be used at all.
    pub fn failed(&mut self, label: &str, error: &anyhow::Error) {
        self.fault(label, &format!("{error:#}"));
    }

    /// Adds a cluster.
    pub fn add(&mut self, label: &str, collected: &Collected) {
        let outcome = &collected.outcome;
        self.input(label, collected);
        let mut delivered = true;
        for (binding, result) in &outcome.bindings {
            let fault = match result {
                Ok(report) if report.level && report.fault.is_none() => {
                    if report.refused > 0 {
                        let reason = report.last_refusal.as_deref().unwrap_or("no reason given");
                        let message = format!("{} row(s) were refused; the latest: {reason}", report.refused);
                        self.fault(label, &message);
                    }
                    continue;
                }
                Ok(report) => report.fault.as_ref(),
                Err(fault) => Some(fault),
            };
            delivered = false;
            let why = fault.map_or("it was not reached in time", |fault| fault.message.as_str());
            self.fault(label, &format!("inventory {} is not written: {why}", binding.inventory));
        }
        for (target, result) in &outcome.targets {
            match result {
                Ok(report) => self.target(label, &target.name, report, delivered),
                Err((_, message)) => self.fault(label, &format!("{}: {message}", target.name)),
            }
        }
    }

    /// Adds what is to be said about the input alone.
    pub fn input(&mut self, label: &str, collected: &Collected) {
        let Collected {
            outcome: _,
            rows: _,
            files,
            remarks,
            at: _,
            interrupted,
        } = collected;
        for remark in remarks {
            self.say(label, &format!("note: {remark}"));
        }
        if let Some(report) = files {
            let shown = report.problems.iter().take(SHOWN);
            shown.for_each(|problem| self.say(label, &problem.to_string()));
            self.more(label, report.problem_count, "problem(s)");
            let shown = report.remarks.iter().take(SHOWN);
            shown.for_each(|remark| self.say(label, &format!("note: {remark}")));
            self.more(label, report.remark_count, "note(s)");
            if report.read == 0 && report.problem_count == 0 {
                let message = format!("none of {} object(s) is of a kind that was asked for", report.objects);
                self.say(label, &format!("note: {message}"));
            }
            self.faults += report.problem_count;
        }
        if *interrupted {
            self.fault(label, "interrupted before all was collected");
        }
    }

    fn target(&mut self, label: &str, name: &str, report: &TargetReport, delivered: bool) {
        let TargetReport {
            rows,
            failures,
            last_failure,
            policy_errors,
            complete,
            listed,
            forbidden,
            fault,
        } = report;
        let incomplete = |fault: &&Fault| fault.reason == reason::SOURCE_INCOMPLETE;
        // Problems of files are said already, once for all targets.
        let known = fault.as_ref().filter(|fault| !incomplete(fault));
        // What was seen of a list that did not end is nowhere.
        let exported = delivered && (*complete || (*listed && *rows > 0));
        self.exported += u64::from(exported);
        if let Some(fault) = known {
            self.fault(label, &format!("{name}: {}", fault.message));
        }
        if let Some(forbidden) = status::target::forbidden(forbidden) {
            self.fault(label, &format!("{name}: {forbidden}"));
        }
        if let Some(errors) = status::target::policy_errors(policy_errors) {
            self.fault(label, &format!("{name}: {errors}"));
        }
        if *failures > 0 {
            let last = last_failure.as_deref().unwrap_or("no details");
            self.fault(
                label,
                &format!("{name}: {failures} object(s) have no row; the latest: {last}"),
            );
        }
        if exported && *rows > 0 {
            self.say(label, &format!("{name}: {rows} row(s)"));
        }
    }

    /// The exit code.
    pub fn finish(self) -> ExitCode {
        match (self.faults, self.exported) {
            (0, _) => ExitCode::SUCCESS,
            (_, 0) => ExitCode::from(FATAL),
            _ => ExitCode::from(PARTIAL),
        }
    }

    /// Adds a fault that was said elsewhere, or not.
    pub fn count(&mut self, faults: u64, exported: u64) {
        self.faults += faults;
        self.exported += exported;
    }

    fn fault(&mut self, label: &str, message: &str) {
        self.faults += 1;
        self.say(label, message);
    }

    fn more(&self, label: &str, count: u64, what: &str) {
        if let Some(more) = count.checked_sub(SHOWN as u64).filter(|more| *more > 0) {
            self.say(label, &format!("and {more} more {what}"));
        }
    }

    fn say(&self, label: &str, message: &str) {
        if self.several {
            say(&format!("context {label}: {message}"));
        } else {
            say(message);
        }
    }
}

/// One line on standard error, without what a terminal would obey.
pub fn say(message: &str) {
    let line: String = message
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect();
    // Nothing can be done when standard error is closed.
    let _ = writeln!(std::io::stderr(), "{line}");
}
