//! Faults of the outside world: a class that decides what happens next, and a message that tells the user what to do.

use std::time::Duration;

/// What a fault means for the caller. Retry, condition reason and metric label derive from it, in one place.
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

impl ErrorClass {
    /// True when only a change of the definition, the Secret or the data helps.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Rejected | Self::Misconfigured)
    }

    /// The class as a metric label.
    pub fn label(self) -> &'static str {
        if self.is_terminal() { "terminal" } else { "transient" }
    }
}

/// A fault of a port.
///
/// **Shape**: `reason` is a condition reason from a closed set (also a metric label); `message` is for people and
/// carries no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// What the fault means for the caller.
    pub class: ErrorClass,
    /// Condition reason, from a closed set.
    pub reason: &'static str,
    /// What failed and what to do about it; never a secret.
    pub message: String,
}

impl Fault {
    /// A fault of `class` with a condition reason and a message.
    pub fn new(class: ErrorClass, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            class,
            reason,
            message: message.into(),
        }
    }
}
