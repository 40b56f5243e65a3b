//! Errors of ports: a class that decides what happens next, and a message that tells the user what to do.

use std::time::Duration;

/// What an error means for the caller. Retry, condition reason and metric label derive from it, in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// A passing fault: the same call may succeed later.
    Transient,
    /// The peer asks to be called less often.
    Throttled {
        /// Earliest time of the next call, counted from the answer.
        after: Duration,
    },
    /// The peer refuses this data; the same data will be refused again.
    Rejected,
    /// The definition or its Secret is at fault; only a change of either helps.
    Misconfigured,
    /// The peer cannot be reached.
    Unavailable,
}

/// An error of a port.
///
/// **Shape**: `reason` is a condition reason from a closed set (also a metric label); `message` is for people and
/// carries no secret.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct PortError {
    /// What the error means for the caller.
    pub class: ErrorClass,
    /// Condition reason, from a closed set.
    pub reason: &'static str,
    /// What failed and what to do about it; never a secret.
    pub message: String,
}

impl PortError {
    /// An error of `class` with a condition reason and a message.
    pub fn new(class: ErrorClass, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            class,
            reason,
            message: message.into(),
        }
    }
}
