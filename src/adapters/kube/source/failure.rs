//! What a failed request means for a source, and when to try again.

use std::time::Duration;

use kollect_ports::source::{SourceEvent, SourceFailure};

use super::target::{NotNamespaced, Target};
use crate::kube::backoff::{Backoff, jittered};
use crate::kube::client::ApiError;
use crate::kube::discovery::DiscoveryError;

/// Bounds of the wait while the operator may not read a kind: restored rights are noticed within seconds.
const FORBIDDEN: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(10));
/// A kind that is not served is asked for this often: it should start within seconds of its definition.
const NOT_SERVED: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(3));
/// Everything else backs off between these.
const UNAVAILABLE: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(30));
/// Longest wait that a server may ask for.
const RETRY_AFTER_CAP: Duration = Duration::from_mins(1);

/// A failure of a source, ready to be reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// What it means.
    pub(super) class: SourceFailure,
    /// What failed and what to do about it.
    pub(super) message: String,
    /// How long the server asks us to wait.
    pub(super) retry_after: Option<Duration>,
}

impl Failure {
    /// A failed list or watch.
    pub(super) fn of_request(error: &ApiError, target: &Target) -> Self {
        let code = error.refusal().map(|refusal| refusal.code);
        let report = error.report();
        let (class, message) = match code {
            Some(403) => (
                SourceFailure::Forbidden,
                format!("the operator may not list and watch {target}: grant it both verbs ({report})"),
            ),
            Some(404) => (
                SourceFailure::NotServed,
                format!("{target} is not served any more: its CustomResourceDefinition was removed or is not ready"),
            ),
            Some(401) => (
                SourceFailure::Unavailable,
                format!("the API server does not accept the operator's credentials ({report})"),
            ),
            _ => (SourceFailure::Unavailable, report),
        };
        Self {
            class,
            message,
            retry_after: error.refusal().and_then(|refusal| refusal.retry_after),
        }
    }

    /// A failed look-up of the kind.
    pub(super) fn of_discovery(error: &DiscoveryError) -> Self {
        let (class, cause) = match error {
            DiscoveryError::NotServed { .. } => (SourceFailure::NotServed, None),
            DiscoveryError::Forbidden { source, .. } => (SourceFailure::Forbidden, Some(source)),
            DiscoveryError::Unavailable { source, .. } => (SourceFailure::Unavailable, Some(source)),
        };
        Self {
            class,
            message: match cause {
                Some(cause) => format!("{error}: {}", cause.report()),
                None => error.to_string(),
            },
            retry_after: cause.and_then(|cause| cause.refusal()?.retry_after),
        }
    }

    /// Rights were withdrawn while a watch was open.
    pub(super) fn rights_withdrawn(target: &Target) -> Self {
        Self {
            class: SourceFailure::Forbidden,
            message: format!("the operator may not list and watch {target} any more: grant it both verbs"),
            retry_after: None,
        }
    }
}

impl From<NotNamespaced> for Failure {
    fn from(_: NotNamespaced) -> Self {
        Self {
            class: SourceFailure::ClusterScoped,
            message: "the kind is cluster-scoped, so it cannot be collected from one namespace".to_owned(),
            retry_after: None,
        }
    }
}

/// The health of one source: what was reported, and how long to wait.
#[derive(Debug)]
pub(super) struct Health {
    reported: Option<SourceFailure>,
    unavailable: Backoff,
    not_served: Backoff,
}

impl Health {
    /// A source that has not failed yet.
    pub(super) fn new() -> Self {
        Self {
            reported: None,
            unavailable: Backoff::new(UNAVAILABLE.0, UNAVAILABLE.1),
            not_served: Backoff::new(NOT_SERVED.0, NOT_SERVED.1),
        }
    }

    /// The failure that was last reported and is not over.
    pub(super) fn reported(&self) -> Option<SourceFailure> {
        self.reported
    }

    /// Takes a failure: what to report (only a change is), and how long to wait before the next attempt.
    pub(super) fn failed(&mut self, failure: Failure) -> (Option<SourceEvent>, Duration) {
        let wait = match failure.class {
            SourceFailure::Forbidden => jittered(FORBIDDEN.0, FORBIDDEN.1),
            SourceFailure::NotServed | SourceFailure::ClusterScoped => self.not_served.next_delay(),
            SourceFailure::Unavailable => self.unavailable.next_delay(),
        };
        let asked = failure.retry_after.unwrap_or_default().min(RETRY_AFTER_CAP);
        let changed = self.reported != Some(failure.class);
        self.reported = Some(failure.class);
        let event = changed.then_some(SourceEvent::Failed {
            failure: failure.class,
            message: failure.message,
        });
        (event, wait.max(asked))
    }

    /// The source goes on; true when a failure was reported before.
    pub(super) fn recovered(&mut self) -> bool {
        self.not_served.reset();
        self.reported.take().is_some()
    }

    /// The wait before the next attempt when something ended early without a failure.
    pub(super) fn hold_back(&mut self) -> Duration {
        self.unavailable.next_delay()
    }

    /// All was well for a while: the next failure waits shortly again.
    pub(super) fn steady(&mut self) {
        self.unavailable.reset();
    }
}

#[cfg(test)]
mod tests;
