//! Status of a `KollectInventory`, and what a `KollectClusterInventory` has in common with it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Status;
use crate::condition::{Condition, Wanted, kind, merge, reason, whole_second};
use crate::engine::report::BindingReport;
use crate::fault::{ErrorClass, Fault};
use crate::ids::SinkKey;

/// What an inventory's status is computed from.
#[derive(Debug)]
pub struct Facts<'a> {
    /// Why nothing is exported, if nothing is.
    pub blocked: Option<(&'static str, &'a str)>,
    /// The bound sinks, in the order of the definition.
    pub bindings: Vec<Bound>,
    /// Rows of the inventory.
    pub rows: u64,
    /// Targets whose first list is under way.
    pub listing: usize,
    /// Whether it is a cluster inventory, whose sinks are in several namespaces.
    pub cluster: bool,
    /// Generation of the inventory, for the conditions of each sink.
    pub generation: i64,
    /// Conditions of each sink as they are stored.
    pub previous: &'a [SinkExport],
    /// The time.
    pub now: Timestamp,
}

/// One bound sink.
#[derive(Debug, Clone)]
pub struct Bound {
    /// The sink.
    pub sink: SinkKey,
    /// Why it cannot be used at all, or how the export to it goes (`None` = it did not begin).
    pub state: Result<Option<BindingReport>, Fault>,
}

/// Fields of the status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fields {
    item_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_export_time: Option<Timestamp>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sink_exports: Vec<SinkExport>,
}

/// How the export to one sink goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SinkExport {
    /// `<family>/<sink name>`; where two sinks of a family share a name, the namespace stands between.
    pub name: String,
    /// Namespace of the sink, for cluster inventories.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// When the sink last acknowledged the inventory's state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_export_time: Option<Timestamp>,
    /// One condition, `Synced`.
    pub conditions: Vec<Condition>,
}

/// The exports that a status shows.
pub fn exports(status: &Value) -> Vec<SinkExport> {
    serde_json::from_value(status["sinkExports"].clone()).unwrap_or_default()
}

/// How one binding counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Exported,
    Progressing,
    Failed { terminal: bool },
}

/// Computes the status.
pub fn status(facts: &Facts<'_>) -> Status<Fields> {
    let verdicts: Vec<Verdict> = facts
        .bindings
        .iter()
        .map(|bound| verdict(bound, facts.listing))
        .collect();
    let sink_exports: Vec<SinkExport> = facts
        .bindings
        .iter()
        .zip(&verdicts)
        .map(|(bound, verdict)| sink_export(bound, *verdict, facts))
        .collect();
    Status {
        conditions: conditions(facts, &verdicts),
        fields: Fields {
            item_count: facts.rows,
            last_export_time: sink_exports.iter().filter_map(|export| export.last_export_time).max(),
            sink_exports,
        },
    }
}

fn verdict(bound: &Bound, listing: usize) -> Verdict {
    match &bound.state {
        Err(fault) => Verdict::Failed {
            terminal: fault.class.is_terminal(),
        },
        Ok(None) => Verdict::Progressing,
        Ok(Some(report)) => match &report.fault {
            Some(fault) => Verdict::Failed {
                terminal: fault.class.is_terminal(),
            },
            None if report.refused > 0 => Verdict::Failed { terminal: true },
            None if report.settled && listing == 0 => Verdict::Exported,
            None => Verdict::Progressing,
        },
    }
}

/// What is wrong with a binding, in words.
fn trouble(bound: &Bound) -> Option<String> {
    let fault = match &bound.state {
        Err(fault) => Some(fault),
        Ok(report) => report.as_ref().and_then(|report| report.fault.as_ref()),
    };
    if let Some(fault) = fault {
        return Some(format!("{}: {}: {}", bound.sink, fault.reason, fault.message));
    }
    let report = bound.state.as_ref().ok()?.as_ref()?;
    (report.refused > 0).then(|| {
        let last = report.last_refusal.as_deref().unwrap_or("no details");
        format!(
            "{}: {} row(s) are refused by the sink; latest: {last}",
            bound.sink, report.refused
        )
    })
}

fn conditions(facts: &Facts<'_>, verdicts: &[Verdict]) -> Vec<Wanted> {
    if let Some((reason, message)) = facts.blocked {
        return vec![
            Wanted::new(kind::DEGRADED, true, reason, message),
            Wanted::new(kind::SYNCED, false, reason, message),
        ];
    }
    if facts.bindings.is_empty() {
        let message = "the inventory names no sink, so nothing is exported";
        return vec![
            Wanted::new(kind::READY, true, reason::NO_EXPORT, message),
            Wanted::new(kind::SYNCED, true, reason::NO_EXPORT, message),
            Wanted::new(kind::SINK_REACHABLE, true, reason::NO_SINKS_CONFIGURED, message),
        ];
    }
    let troubles: Vec<String> = facts.bindings.iter().filter_map(trouble).collect();
    let exported = verdicts.iter().filter(|v| **v == Verdict::Exported).count();
    let failed = verdicts.iter().filter(|v| matches!(v, Verdict::Failed { .. })).count();
    if failed > 0 {
        return failing(facts, verdicts, exported, &troubles.join("; "));
    }
    if exported < verdicts.len() {
        let message = if facts.listing > 0 {
            format!("{} target(s) are being listed", facts.listing)
        } else {
            "rows are being delivered".to_owned()
        };
        return vec![Wanted::new(kind::SYNCED, false, reason::PROGRESSING, message)];
    }
    let message = format!(
        "every sink holds the current state of {} row(s){}",
        facts.rows,
        stale(facts)
    );
    vec![
        Wanted::new(kind::READY, true, reason::EXPORTED, message.clone()),
        Wanted::new(kind::SYNCED, true, reason::EXPORTED, message),
        Wanted::new(
            kind::SINK_REACHABLE,
            true,
            reason::EXPORT_SUCCEEDED,
            "the last export worked",
        ),
    ]
}

fn failing(facts: &Facts<'_>, verdicts: &[Verdict], exported: usize, message: &str) -> Vec<Wanted> {
    let terminal = verdicts.iter().all(|v| *v == Verdict::Failed { terminal: true });
    let some_terminal = verdicts.contains(&Verdict::Failed { terminal: true });
    let unreachable = Wanted::new(
        kind::SINK_REACHABLE,
        false,
        if some_terminal {
            reason::EXPORT_TERMINAL
        } else {
            reason::EXPORT_FAILED
        },
        message,
    );
    if exported > 0 {
        return vec![
            Wanted::new(kind::READY, true, reason::PARTIALLY_SYNCED, message),
            Wanted::new(kind::SYNCED, false, reason::PARTIALLY_SYNCED, message),
            unreachable,
        ];
    }
    let specific = facts.bindings.iter().find_map(|bound| match &bound.state {
        Err(fault) => Some(fault.reason),
        Ok(Some(report)) => report
            .fault
            .as_ref()
            .filter(|fault| fault.class == ErrorClass::Misconfigured && fault.reason == reason::WRITER_CONFLICT)
            .map(|fault| fault.reason),
        Ok(None) => None,
    });
    let reason = specific.unwrap_or(if terminal {
        reason::EXPORT_TERMINAL
    } else {
        reason::PROGRESSING
    });
    vec![
        Wanted::new(kind::DEGRADED, true, reason, message),
        Wanted::new(kind::SYNCED, false, reason, message),
        unreachable,
    ]
}

/// Says which targets keep their last known rows.
fn stale(facts: &Facts<'_>) -> String {
    let mut waiting: Vec<&str> = facts
        .bindings
        .iter()
        .filter_map(|bound| bound.state.as_ref().ok()?.as_ref())
        .flat_map(|report| report.waiting.iter().map(|name| &**name))
        .collect();
    waiting.sort_unstable();
    waiting.dedup();
    if waiting.is_empty() {
        String::new()
    } else {
        format!("; last known rows are kept of target(s) {}", waiting.join(", "))
    }
}

fn sink_export(bound: &Bound, verdict: Verdict, facts: &Facts<'_>) -> SinkExport {
    let name = name(&bound.sink, &facts.bindings);
    let before = facts.previous.iter().find(|export| export.name == name);
    let wanted = match verdict {
        Verdict::Exported => Wanted::new(kind::SYNCED, true, reason::EXPORTED, "the sink holds the current state"),
        Verdict::Progressing => Wanted::new(kind::SYNCED, false, reason::PROGRESSING, "rows are being delivered"),
        Verdict::Failed { .. } => {
            let message = trouble(bound).unwrap_or_default();
            Wanted::new(kind::SYNCED, false, reason::EXPORT_FAILED, message)
        }
    };
    let previous = before.map(|export| export.conditions.as_slice()).unwrap_or_default();
    let exported = bound
        .state
        .as_ref()
        .ok()
        .and_then(|report| report.as_ref()?.last_export);
    SinkExport {
        name,
        namespace: if facts.cluster {
            bound.sink.object.namespace.to_string()
        } else {
            String::new()
        },
        last_export_time: exported
            .map(whole_second)
            .or_else(|| before.and_then(|export| export.last_export_time)),
        conditions: merge(previous, vec![wanted], facts.generation, facts.now),
    }
}

/// How a sink is called in the list, where names are unique.
fn name(sink: &SinkKey, all: &[Bound]) -> String {
    let shared = all.iter().any(|other| {
        let other = &other.sink;
        other != sink && (other.family, &other.object.name) == (sink.family, &sink.object.name)
    });
    if shared {
        format!("{}/{}/{}", sink.family.id(), sink.object.namespace, sink.object.name)
    } else {
        sink.to_string()
    }
}
