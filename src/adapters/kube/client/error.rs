//! What can go wrong with one request to the API server.

use std::error::Error;
use std::time::Duration;

use serde::Deserialize;

/// Longest excerpt of a server's own message that is kept, in bytes: messages can quote whole objects.
const MESSAGE_LIMIT: usize = 512;

/// Why a request to the API server gave no usable answer.
///
/// **Shape**: `operation` names the request for people, for example `list deployments.apps`.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The connection could not be made, or broke.
    #[error("{operation}: the connection to the API server failed")]
    Transport {
        /// The request.
        operation: String,
        /// What happened to the connection.
        source: kube::Error,
    },
    /// Nothing arrived for too long.
    #[error("{operation}: the API server sent nothing for {} s", after.as_secs())]
    Stalled {
        /// The request.
        operation: String,
        /// How long was waited.
        after: Duration,
    },
    /// The server answered with an error.
    #[error("{operation}: the API server answered {refusal}")]
    Refused {
        /// The request.
        operation: String,
        /// The answer.
        refusal: Refusal,
    },
    /// The answer is not what the Kubernetes API specifies.
    #[error("{operation}: the API server's answer cannot be read")]
    Undecodable {
        /// The request.
        operation: String,
        /// Where reading stopped.
        source: serde_json::Error,
    },
    /// The answer, or one object in it, is larger than this program accepts.
    #[error("{operation}: the API server's answer holds more than {limit_bytes} bytes in one piece")]
    TooLarge {
        /// The request.
        operation: String,
        /// The limit.
        limit_bytes: usize,
    },
}

impl ApiError {
    /// The server's answer, if there was one.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused { refusal, .. } => Some(refusal),
            _ => None,
        }
    }

    /// True when the server answered with this HTTP status.
    pub fn has_code(&self, code: u16) -> bool {
        self.refusal().is_some_and(|refusal| refusal.code == code)
    }

    /// The error and its causes in one line.
    pub fn report(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            let next = error.to_string();
            // The client library repeats causes in its own messages.
            if !text.contains(&next) {
                text.push_str(": ");
                text.push_str(&next);
            }
            cause = error.source();
        }
        text
    }
}

/// An error answer of the API server.
///
/// **Source**: Kubernetes API conventions, "Response Status Kind".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}{}{reason}: {message}", if reason.is_empty() { "" } else { " " })]
pub struct Refusal {
    /// HTTP status code.
    pub code: u16,
    /// Machine-readable reason; empty when the answer was not a Kubernetes status.
    pub reason: String,
    /// The server's explanation, shortened.
    pub message: String,
    /// How long the server asks us to wait.
    pub retry_after: Option<Duration>,
}

impl Refusal {
    /// An answer with HTTP status `code` from its body, which should be a `Status` but may be anything.
    pub(crate) fn from_body(code: u16, retry_after: Option<Duration>, body: &[u8]) -> Self {
        let status = serde_json::from_slice::<Status>(body).unwrap_or_else(|_| Status {
            message: Some(String::from_utf8_lossy(body).into_owned()),
            ..Status::default()
        });
        let mut refusal = Self::from(status);
        refusal.code = code;
        refusal.retry_after = retry_after.or(refusal.retry_after);
        refusal
    }
}

impl From<Status> for Refusal {
    fn from(status: Status) -> Self {
        let seconds = status.details.and_then(|details| details.retry_after_seconds);
        Self {
            code: status.code.unwrap_or_default(),
            reason: status.reason.unwrap_or_default(),
            message: shorten(status.message.unwrap_or_default()),
            retry_after: seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs),
        }
    }
}

/// The parts of a `Status` that decide what happens next.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Status {
    pub(crate) code: Option<u16>,
    pub(crate) reason: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) details: Option<StatusDetails>,
}

/// Details of a `Status`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StatusDetails {
    pub(crate) retry_after_seconds: Option<u64>,
}

fn shorten(mut message: String) -> String {
    if message.len() > MESSAGE_LIMIT {
        message.truncate(message.floor_char_boundary(MESSAGE_LIMIT));
        message.push('…');
    }
    message
}
