//! Conditions: types, reasons, and the rule for transition times.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A condition of a status.
///
/// **Source**: Kubernetes API conventions, "Typical status properties".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// Type, in CamelCase; unique within a status.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether the condition holds.
    pub status: ConditionStatus,
    /// Machine-readable reason, from a closed set.
    pub reason: String,
    /// What it means and what to do; never a secret.
    pub message: String,
    /// When `status` last changed, whole seconds.
    pub last_transition_time: Timestamp,
    /// Generation of the object that this was computed from.
    #[serde(default)]
    pub observed_generation: i64,
}

/// Whether a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConditionStatus {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// It is not known.
    Unknown,
}

/// Longest condition message that is written, in characters; the API server's limit is 32,768.
const MESSAGE_LIMIT: usize = 1_024;

/// A condition as it should be now, before its transition time is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Condition type.
    pub kind: &'static str,
    /// Whether it holds.
    pub status: ConditionStatus,
    /// Reason.
    pub reason: String,
    /// Message; shortened when it is too long.
    pub message: String,
}

impl Wanted {
    /// A condition that holds or does not.
    pub fn new(kind: &'static str, holds: bool, reason: &str, message: impl Into<String>) -> Self {
        Self {
            kind,
            status: if holds {
                ConditionStatus::True
            } else {
                ConditionStatus::False
            },
            reason: reason.to_owned(),
            message: message.into(),
        }
    }
}

/// The complete conditions of a status: `wanted` with transition times taken from `previous`.
///
/// A transition time moves if and only if the status value changed. Types that are not wanted any more are dropped.
pub fn merge(previous: &[Condition], wanted: Vec<Wanted>, generation: i64, now: Timestamp) -> Vec<Condition> {
    let now = whole_second(now);
    let mut merged: Vec<Condition> = wanted
        .into_iter()
        .map(|wanted| {
            let before = previous.iter().find(|c| c.kind == wanted.kind);
            let last_transition_time = match before {
                Some(before) if before.status == wanted.status => before.last_transition_time,
                _ => now,
            };
            Condition {
                kind: wanted.kind.to_owned(),
                status: wanted.status,
                reason: wanted.reason,
                message: shorten(wanted.message),
                last_transition_time,
                observed_generation: generation,
            }
        })
        .collect();
    merged.sort_by(|a, b| a.kind.cmp(&b.kind));
    merged
}

/// Status timestamps have whole seconds.
pub fn whole_second(time: Timestamp) -> Timestamp {
    Timestamp::from_second(time.as_second()).unwrap_or(time)
}

fn shorten(message: String) -> String {
    match message.char_indices().nth(MESSAGE_LIMIT) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message,
    }
}

/// Condition types.
pub mod kind {
    /// All is well with the object.
    pub const READY: &str = "Ready";
    /// What is served or exported is the current state.
    pub const SYNCED: &str = "Synced";
    /// Something needs attention; the reason says what.
    pub const DEGRADED: &str = "Degraded";
    /// The sinks of the object can be reached.
    pub const SINK_REACHABLE: &str = "SinkReachable";
    /// The last connection to the sink worked.
    pub const CONNECTION_VERIFIED: &str = "ConnectionVerified";
    /// The last export of a cluster inventory worked.
    pub const EXPORT_SUCCEEDED: &str = "ExportSucceeded";
    /// Certificate verification is switched off.
    pub const TLS_INSECURE: &str = "TLSInsecure";
}

/// Condition reasons.
pub mod reason {
    /// A target collects.
    pub const COLLECTING: &str = "Collecting";
    /// The first list of a target is under way.
    pub const LISTING: &str = "Listing";
    /// The object is switched off by its own definition.
    pub const SUSPENDED: &str = "Suspended";
    /// A target names no profile.
    pub const MISSING_PROFILE_REF: &str = "MissingProfileRef";
    /// A target's profile does not exist.
    pub const PROFILE_NOT_FOUND: &str = "ProfileNotFound";
    /// A profile cannot be used as it is written.
    pub const INVALID_PROFILE: &str = "InvalidProfile";
    /// A target cannot be used as it is written.
    pub const INVALID_TARGET: &str = "InvalidTarget";
    /// An inventory cannot be used as it is written.
    pub const INVALID_INVENTORY: &str = "InvalidInventory";
    /// A sink cannot be used as it is written.
    pub const INVALID_SINK: &str = "InvalidSink";
    /// A profile can be used.
    pub const VALID: &str = "Valid";
    /// The kind of a target cannot be watched.
    pub const INFORMER_REGISTRATION_FAILED: &str = "InformerRegistrationFailed";
    /// The operator may not list the kind of a target.
    pub const SCOPE_FORBIDDEN: &str = "ScopeForbidden";
    /// The scopes over an object cannot be read or understood, so nothing is allowed.
    pub const SCOPE_LOOKUP_FAILED: &str = "ScopeLookupFailed";
    /// A scope does not allow the kind of a target.
    pub const SCOPE_KIND_DENIED: &str = "ScopeGVKDenied";
    /// A scope does not allow the namespaces of a target.
    pub const SCOPE_NAMESPACE_DENIED: &str = "ScopeNamespaceDenied";
    /// A cluster scope does not allow sinks of a namespace.
    pub const SINK_NAMESPACE_DENIED: &str = "SinkNamespaceDenied";
    /// A scope does not allow a sink.
    pub const SCOPE_SINK_DENIED: &str = "ScopeSinkDenied";
    /// The API server does not answer; rows are the last known ones.
    pub const SOURCE_UNAVAILABLE: &str = "SourceUnavailable";
    /// A part of the source cannot be read: rows of what was not seen stay.
    pub const SOURCE_INCOMPLETE: &str = "SourceIncomplete";
    /// Some objects of a target fail extraction.
    pub const EXTRACTION_FAILED: &str = "ExtractionFailed";
    /// All sinks of an object can be reached.
    pub const SINKS_REACHABLE: &str = "SinksReachable";
    /// No inventory in the namespace has a sink.
    pub const NO_SINKS_IN_NAMESPACE: &str = "NoSinksInNamespace";
    /// The inventory has no sink.
    pub const NO_SINKS_CONFIGURED: &str = "NoSinksConfigured";
    /// A sink object does not exist.
    pub const SINK_NOT_FOUND: &str = "SinkNotFound";
    /// A sink does not accept what it is sent, or cannot be reached.
    pub const SINK_UNREACHABLE: &str = "SinkUnreachable";
    /// The sink acknowledged the current state.
    pub const EXPORTED: &str = "Exported";
    /// The last export worked.
    pub const EXPORT_SUCCEEDED: &str = "ExportSucceeded";
    /// Nothing is exported, since there is no sink.
    pub const NO_EXPORT: &str = "NoExport";
    /// An export failed and is tried again.
    pub const EXPORT_FAILED: &str = "ExportFailed";
    /// An export failed and needs a change of the definition.
    pub const EXPORT_TERMINAL: &str = "ExportTerminal";
    /// Some sinks hold the current state and some do not.
    pub const PARTIALLY_SYNCED: &str = "PartiallySynced";
    /// Work is under way.
    pub const PROGRESSING: &str = "Progressing";
    /// Rows are gathered, and there is no sink to export them to.
    pub const ROLLED_UP: &str = "RolledUp";
    /// A cluster inventory selects no target.
    pub const NO_TARGETS: &str = "NoTargets";
    /// A cluster inventory selects targets that cannot be collected as they should.
    pub const TARGET_DEGRADED: &str = "TargetDegraded";
    /// Another writer owns this inventory in the sink.
    pub const WRITER_CONFLICT: &str = "WriterConflict";
    /// A Secret or one of its keys is missing.
    pub const SECRET_RESOLVE_FAILED: &str = "SecretResolveFailed";
    /// A Secret of another namespace may not be used.
    pub const SECRET_REF_DENIED: &str = "SecretRefDenied";
    /// An address may not be connected to.
    pub const ENDPOINT_DENIED: &str = "EndpointDenied";
    /// The destination exists and cannot be used as it is.
    pub const DESTINATION_INCOMPATIBLE: &str = "DestinationIncompatible";
    /// The sink cannot be connected to.
    pub const CONNECTION_TEST_FAILED: &str = "ConnectionTestFailed";
    /// The sink was connected to.
    pub const CONNECTION_OK: &str = "ConnectionOK";
    /// This build does not serve the sink type.
    pub const SINK_TYPE_UNAVAILABLE: &str = "SinkTypeUnavailable";
    /// Certificate verification is switched off.
    pub const INSECURE_SKIP_VERIFY: &str = "InsecureSkipVerify";
    /// Clean-up of a deleted inventory failed.
    pub const CLEANUP_FAILED: &str = "CleanupFailed";
}
