//! Noticing that the right to read a kind was withdrawn, or that nobody answers any more.
//!
//! The API server checks rights when a watch starts and never again, so a watch outlives them by minutes. Each open
//! watch therefore asks every ten seconds whether a new one would be allowed. The question is answered from the
//! authorizer's memory, without a read of the storage; it costs the server two small requests per watch and period.
//! The same question shows that the server is still there, long before the silence of the watch itself would.
//!
//! **Source**: Kubernetes documentation, "Authorization", section "Checking API access".

use std::time::Duration;

use http::Request;
use kube::Client;
use serde::Deserialize;
use serde_json::json;
use tokio::time::sleep;

use super::target::Target;
use crate::kube::backoff::jittered;
use crate::kube::client::{ApiError, fetch_json, transport};

/// Bounds of the time between two checks.
const PERIOD: (Duration, Duration) = (Duration::from_secs(8), Duration::from_secs(12));
/// The review is computed from memory.
const DEADLINE: Duration = Duration::from_secs(10);

/// So many questions in a row without any answer, and an open watch is not trusted any more.
const UNANSWERED: u32 = 3;

/// Why an open watch should be given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The operator may no longer list or watch the target.
    Denied,
    /// The API server does not answer.
    Unanswered,
}

/// Waits until there is a reason to give an open watch up.
///
/// An answer that is an error says nothing about rights; it shows that somebody is there.
pub(super) async fn supervise(client: Client, target: Target) -> Verdict {
    let mut unanswered = 0;
    loop {
        sleep(jittered(PERIOD.0, PERIOD.1)).await;
        match is_allowed(&client, &target).await {
            Ok(true) => unanswered = 0,
            Ok(false) => return Verdict::Denied,
            Err(error) => {
                unanswered = if error.refusal().is_some() { 0 } else { unanswered + 1 };
                tracing::debug!(
                    source.target = %target,
                    "whether the kind may still be read is not known: {}",
                    error.report()
                );
            }
        }
        if unanswered == UNANSWERED {
            return Verdict::Unanswered;
        }
    }
}

/// Whether the operator may both list and watch the target.
///
/// # Errors
/// [`ApiError`] when the API server gives no answer.
pub(super) async fn is_allowed(client: &Client, target: &Target) -> Result<bool, ApiError> {
    let (list, watch) =
        futures::future::try_join(review(client, target, "list"), review(client, target, "watch")).await?;
    Ok(list && watch)
}

async fn review(client: &Client, target: &Target, verb: &str) -> Result<bool, ApiError> {
    let operation = format!("check access to {target}");
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": { "resourceAttributes": {
            "group": &*target.gvk.group,
            "version": &*target.gvk.version,
            "resource": target.plural,
            "namespace": target.namespace.as_deref().unwrap_or_default(),
            "verb": verb,
        }},
    });
    let request = Request::post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(review.to_string().into_bytes())
        .map_err(|source| transport(&operation, kube::Error::HttpError(source)))?;
    let answer: Review = fetch_json(client, &operation, request, DEADLINE).await?;
    Ok(answer.status.allowed)
}

#[derive(Debug, Deserialize)]
struct Review {
    status: ReviewStatus,
}

#[derive(Debug, Deserialize)]
struct ReviewStatus {
    allowed: bool,
}
