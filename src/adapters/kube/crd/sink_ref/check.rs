//! What the schema of sink references cannot judge.

use std::collections::BTreeSet;
use std::fmt;

use super::{InventorySinkRef, MAX_SINK_REFS, SinkRefElement};
use crate::kube::crd::duration::DurationText;

/// The three lists of sink references of an inventory.
#[derive(Debug, Clone, Copy)]
pub struct SinkRefLists<'a> {
    /// `spec.snapshotSinkRefs`.
    pub snapshot: &'a [SinkRefElement],
    /// `spec.databaseSinkRefs`.
    pub database: &'a [SinkRefElement],
    /// `spec.eventSinkRefs`.
    pub event: &'a [SinkRefElement],
}

/// Checked references, in the order in which they are written.
#[derive(Debug, Clone, PartialEq)]
pub struct SinkRefs<'a> {
    /// References to snapshot sinks.
    pub snapshot: Vec<&'a InventorySinkRef>,
    /// References to database sinks.
    pub database: Vec<&'a InventorySinkRef>,
    /// References to event sinks.
    pub event: Vec<&'a InventorySinkRef>,
}

/// Something wrong with a sink reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SinkRefProblem {
    /// Path of the field, such as `spec.databaseSinkRefs[0].name`.
    pub path: String,
    /// What is wrong, to be read behind the path.
    pub message: String,
}

impl fmt::Display for SinkRefProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Judges what the schema of the lists cannot.
///
/// `default_namespace` is where sinks are looked up when a reference names no namespace; `None` for a namespaced
/// inventory, whose references may not name any.
///
/// # Errors
/// All problems at once, in the order of the lists. Too many references are reported alone.
pub fn check<'a>(
    lists: SinkRefLists<'a>,
    default_namespace: Option<&str>,
) -> Result<SinkRefs<'a>, Vec<SinkRefProblem>> {
    let total = lists.snapshot.len() + lists.database.len() + lists.event.len();
    if total > MAX_SINK_REFS {
        return Err(vec![SinkRefProblem {
            path: "spec".to_owned(),
            message: format!("has {total} sink references over its three lists, at most {MAX_SINK_REFS} are allowed"),
        }]);
    }
    let mut problems = Vec::new();
    let mut checked = |field, list| check_list(field, list, default_namespace, &mut problems);
    let refs = SinkRefs {
        snapshot: checked("snapshotSinkRefs", lists.snapshot),
        database: checked("databaseSinkRefs", lists.database),
        event: checked("eventSinkRefs", lists.event),
    };
    if problems.is_empty() { Ok(refs) } else { Err(problems) }
}

fn check_list<'a>(
    field: &str,
    list: &'a [SinkRefElement],
    default_namespace: Option<&str>,
    problems: &mut Vec<SinkRefProblem>,
) -> Vec<&'a InventorySinkRef> {
    let mut seen = BTreeSet::new();
    let mut refs = Vec::with_capacity(list.len());
    for (index, element) in list.iter().enumerate() {
        let path = format!("spec.{field}[{index}]");
        match element {
            SinkRefElement::Malformed { reason, .. } => problems.push(SinkRefProblem {
                path,
                message: reason.clone(),
            }),
            SinkRefElement::Ref(reference) => {
                let namespace = reference.namespace.as_deref().filter(|given| !given.trim().is_empty());
                check_ref(&path, reference, problems);
                if namespace.is_some() && default_namespace.is_none() {
                    problems.push(SinkRefProblem {
                        path: format!("{path}.namespace"),
                        message: "is not allowed: the sinks of a namespaced inventory are in its own namespace"
                            .to_owned(),
                    });
                }
                if !seen.insert((namespace.or(default_namespace), reference.name.as_str())) {
                    problems.push(SinkRefProblem {
                        path: format!("{path}.name"),
                        message: format!("{:?} is referred to twice in this list", reference.name),
                    });
                }
                refs.push(reference);
            }
        }
    }
    refs
}

fn check_ref(path: &str, reference: &InventorySinkRef, problems: &mut Vec<SinkRefProblem>) {
    let mut problem = |member: &str, message: String| {
        problems.push(SinkRefProblem {
            path: format!("{path}.{member}"),
            message,
        });
    };
    if reference.name.trim().is_empty() {
        problem("name", "must not be empty".to_owned());
    }
    if reference.name.contains('/') {
        problem("name", "must be a name without a namespace".to_owned());
    }
    let intervals = [
        ("exportMinInterval", &reference.export_min_interval),
        ("minChangeInterval", &reference.min_change_interval),
    ];
    for (member, interval) in intervals {
        if let Some(Err(error)) = interval.as_ref().map(DurationText::interval) {
            problem(member, error.to_string());
        }
    }
    if reference.max_export_bytes.is_some_and(|bytes| bytes < 1) {
        problem("maxExportBytes", "must be at least 1".to_owned());
    }
}
