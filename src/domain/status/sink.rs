//! Status of a sink.

use serde::Serialize;

use super::Status;
use super::preview::SinkPreview;
use crate::condition::{Wanted, kind, reason};
use crate::engine::report::BindingReport;
use crate::fault::Fault;

/// What a sink's status is computed from.
#[derive(Debug)]
pub struct Facts<'a> {
    /// Why the sink cannot be used at all.
    pub problem: Option<&'a Fault>,
    /// How the exports to it go.
    pub bindings: Vec<BindingReport>,
    /// Whether certificate verification is switched off.
    pub tls_insecure: bool,
    /// What the sink would do, if that is asked for.
    pub preview: Option<SinkPreview>,
}

/// A sink's status besides its conditions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fields {
    /// What the sink would do, while that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<SinkPreview>,
}

/// Computes the status. A sink that no inventory uses was not connected to, so nothing is said about its connection.
pub fn status(facts: Facts<'_>) -> Status<Fields> {
    let mut conditions = Vec::new();
    let fault = facts
        .problem
        .or_else(|| facts.bindings.iter().find_map(|report| report.fault.as_ref()));
    if let Some(fault) = fault {
        // About the sink itself, a peer that cannot be reached is a connection that failed.
        let reason = match fault.reason {
            reason::SINK_UNREACHABLE => reason::CONNECTION_TEST_FAILED,
            other => other,
        };
        for (kind, holds) in [(kind::CONNECTION_VERIFIED, false), (kind::DEGRADED, true)] {
            conditions.push(Wanted::new(kind, holds, reason, fault.message.clone()));
        }
    } else if facts.bindings.iter().any(|report| report.connected) {
        let message = "connected, and the destination can be written to";
        conditions.push(Wanted::new(
            kind::CONNECTION_VERIFIED,
            true,
            reason::CONNECTION_OK,
            message,
        ));
    }
    if facts.tls_insecure {
        let message = "the server's certificate is not verified; set spec.tls.caBundle or caSecretRef instead";
        conditions.push(Wanted::new(
            kind::TLS_INSECURE,
            true,
            reason::INSECURE_SKIP_VERIFY,
            message,
        ));
    }
    Status {
        conditions,
        fields: Fields { preview: facts.preview },
    }
}
