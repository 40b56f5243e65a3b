//! Status of a `KollectTarget` or `KollectClusterTarget`.

use std::sync::Arc;

use serde::Serialize;

use super::Status;
use crate::aggregate::unjudged::PolicyErrors;
use crate::condition::{Wanted, kind, reason};
use crate::engine::report::{BindingReport, TargetReport};

/// What a target's status is computed from.
#[derive(Debug)]
pub struct Facts<'a> {
    /// The profile: its name, with its namespace where that is not the target's.
    pub profile: &'a str,
    /// Why the target is not collected, if it is not.
    pub blocked: Option<(&'static str, &'a str)>,
    /// What the engine says.
    pub report: Option<TargetReport>,
    /// Namespaces that the target means, and those of them that policy leaves, ascending.
    pub namespaces: Namespaces,
    /// Rules that can match.
    pub active_rules: usize,
    /// The sinks of all inventories of the namespace, by their name in statuses; `None` for a cluster target, which says
    /// nothing about sinks.
    pub sinks: Option<Vec<(String, Option<BindingReport>)>>,
}

/// The namespaces of a target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Namespaces {
    /// Those that the target means.
    pub matched: Vec<String>,
    /// Those that are collected from.
    pub effective: Vec<String>,
}

/// Fields of the status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fields {
    item_count: u64,
    extraction_failures: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_extraction_error: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    matched_namespaces: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    effective_namespaces: Vec<String>,
    active_resource_rules: usize,
}

/// Most namespaces that a status lists.
const NAMESPACES_LIMIT: usize = 500;

/// Most namespaces that a message names.
const NAMED_LIMIT: usize = 10;

/// Computes the status. `Ready` is present only while all is well, which is what consumers test for.
pub fn status(facts: Facts<'_>) -> Status<Fields> {
    let mut conditions = health(&facts);
    conditions.extend(facts.sinks.as_deref().map(sinks));
    let Namespaces {
        mut matched,
        mut effective,
    } = facts.namespaces;
    matched.truncate(NAMESPACES_LIMIT);
    effective.truncate(NAMESPACES_LIMIT);
    let report = facts.report.as_ref();
    Status {
        conditions,
        fields: Fields {
            item_count: report.map_or(0, |report| report.rows),
            extraction_failures: report.map_or(0, |report| report.failures),
            last_extraction_error: report.and_then(|report| report.last_failure.clone()),
            matched_namespaces: matched,
            effective_namespaces: effective,
            active_resource_rules: facts.active_rules,
        },
    }
}

fn health(facts: &Facts<'_>) -> Vec<Wanted> {
    let degraded = |reason: &str, message: String| vec![Wanted::new(kind::DEGRADED, true, reason, message)];
    if let Some((reason, message)) = facts.blocked {
        return degraded(reason, message.to_owned());
    }
    let Some(report) = &facts.report else {
        return Vec::new();
    };
    if let Some(fault) = &report.fault {
        let stale = if report.rows > 0 {
            format!("; the {} row(s) collected before stay as they are", report.rows)
        } else {
            String::new()
        };
        return degraded(fault.reason, format!("{}{stale}", fault.message));
    }
    if !report.listed {
        let message = format!("listing the objects of profile {}", facts.profile);
        return vec![Wanted::new(kind::SYNCED, false, reason::LISTING, message)];
    }
    if report.failures > 0 {
        let last = report.last_failure.as_deref().unwrap_or("no details");
        let message = format!(
            "{} object(s) fail extraction and keep their last good row; latest: {last}",
            report.failures
        );
        return degraded(reason::EXTRACTION_FAILED, message);
    }
    let place = match &facts.sinks {
        None => format!(" in {} namespace(s)", facts.namespaces.effective.len()),
        Some(_) => String::new(),
    };
    let message = format!(
        "profile {}: collecting {} resource(s){place}",
        facts.profile, report.rows
    );
    let (reason, synced) = match forbidden(&report.forbidden) {
        None => (reason::COLLECTING, message.clone()),
        Some(forbidden) => (reason::SCOPE_FORBIDDEN, format!("{message}; {forbidden}")),
    };
    let with_policy = |message: String| match policy_errors(&report.policy_errors) {
        None => message,
        Some(errors) => format!("{message}; {errors}"),
    };
    vec![
        Wanted::new(kind::READY, true, reason::COLLECTING, with_policy(message)),
        Wanted::new(kind::SYNCED, true, reason, with_policy(synced)),
    ]
}

/// Says that policies fail; `None` if they do not.
pub fn policy_errors(errors: &PolicyErrors) -> Option<String> {
    let latest = errors.latest.as_ref()?;
    Some(format!(
        "a policy fails for {} object(s), which are not collected; latest: {latest}",
        errors.objects
    ))
}

/// Names the namespaces that may not be read; `None` if there are none.
pub fn forbidden(namespaces: &[Arc<str>]) -> Option<String> {
    let named = namespaces.get(..NAMED_LIMIT).unwrap_or(namespaces).join(", ");
    let more = namespaces.len().saturating_sub(NAMED_LIMIT);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    (!namespaces.is_empty()).then(|| {
        format!(
            "the operator may not list and watch the kind in {} namespace(s), whose rows stay as they are: {named}{more}; \
             grant list and watch there, or leave them out",
            namespaces.len()
        )
    })
}

/// `SinkReachable` is about sinks only; a sink that is away does not degrade the target.
fn sinks(sinks: &[(String, Option<BindingReport>)]) -> Wanted {
    let broken: Vec<String> = sinks
        .iter()
        .filter_map(|(name, report)| match report {
            None => Some(format!("{name} cannot be used")),
            Some(report) => report.fault.as_ref().map(|fault| format!("{name}: {}", fault.message)),
        })
        .collect();
    let kind = kind::SINK_REACHABLE;
    if sinks.is_empty() {
        let message = "no inventory of the namespace has a sink";
        Wanted::new(kind, true, reason::NO_SINKS_IN_NAMESPACE, message)
    } else if broken.is_empty() {
        Wanted::new(
            kind,
            true,
            reason::SINKS_REACHABLE,
            "all sinks of the namespace can be reached",
        )
    } else {
        Wanted::new(kind, false, reason::SINK_UNREACHABLE, broken.join("; "))
    }
}
