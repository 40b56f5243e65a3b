//! Secrets, fetched when they are used and never kept.
//!
//! An answer that holds a Secret is never passed to anything that logs or quotes it: not to the client library's
//! decoder, which logs what it cannot decode, and not to a JSON error, which may quote a value.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use http::Request;
use k8s_openapi::ByteString;
use kollect_domain::condition::reason::{SECRET_REF_DENIED, SECRET_RESOLVE_FAILED};
use kollect_domain::config::sink::SecretRef;
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::secrets::{SecretData, SecretReader};
use kube::Client;
use serde::Deserialize;

use super::client::{ApiError, fetch_bytes};

/// One small object, read from the server's storage.
const DEADLINE: Duration = Duration::from_secs(15);

/// Which Secrets may be referred to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretPolicy {
    /// Namespace of the operator: its Secrets may be used from everywhere.
    pub operator_namespace: Arc<str>,
    /// Whether Secrets of any other namespace may be used as well.
    pub allow_cross_namespace: bool,
}

impl SecretPolicy {
    /// Whether an object in the reference's `referrer` namespace may use the Secret.
    ///
    /// # Errors
    /// `Misconfigured`/`SecretRefDenied`.
    pub fn check(&self, reference: &SecretRef) -> Result<(), PortError> {
        let namespace = &reference.object.namespace;
        if self.allow_cross_namespace || *namespace == reference.referrer || *namespace == self.operator_namespace {
            return Ok(());
        }
        Err(PortError::new(
            ErrorClass::Misconfigured,
            SECRET_REF_DENIED,
            format!(
                "Secret {} may not be used from namespace {}: copy it there or to {}, or allow references to other \
                 namespaces with --allow-cross-namespace-secret-refs",
                reference.object, reference.referrer, self.operator_namespace
            ),
        ))
    }
}

/// Secrets of the API server.
#[derive(Clone)]
pub struct KubeSecretReader {
    client: Client,
    policy: SecretPolicy,
}

impl KubeSecretReader {
    /// A reader that refuses what `policy` does not allow.
    pub fn new(client: Client, policy: SecretPolicy) -> Self {
        Self { client, policy }
    }
}

impl std::fmt::Debug for KubeSecretReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KubeSecretReader")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl SecretReader for KubeSecretReader {
    async fn read(&self, reference: &SecretRef) -> Result<SecretData, PortError> {
        self.policy.check(reference)?;
        let object = &reference.object;
        if !is_object_name(&object.namespace) || !is_object_name(&object.name) {
            return Err(unresolved(reference, "its name is not a valid name of an object"));
        }
        let operation = format!("get Secret {object}");
        let path = format!("/api/v1/namespaces/{}/secrets/{}", object.namespace, object.name);
        let request = Request::get(path)
            .body(Vec::new())
            .map_err(|_| unresolved(reference, "its name is not a valid name of an object"))?;
        let body = fetch_bytes(&self.client, &operation, request, DEADLINE)
            .await
            .map_err(|error| explain(reference, &error))?;
        // The cause is left out on purpose: it may quote the data.
        let secret: Secret = serde_json::from_slice(&body)
            .map_err(|_| unresolved(reference, "the API server's answer is not a Secret"))?;
        let data = secret.data.unwrap_or_default();
        Ok(SecretData::new(
            data.into_iter().map(|(key, value)| (key, value.0)).collect(),
        ))
    }
}

fn explain(reference: &SecretRef, error: &ApiError) -> PortError {
    let Some(refusal) = error.refusal() else {
        return PortError::new(ErrorClass::Unavailable, SECRET_RESOLVE_FAILED, error.report());
    };
    match refusal.code {
        404 => unresolved(reference, "it does not exist; create it or correct the reference"),
        403 => unresolved(
            reference,
            "the operator may not read it; grant it get on secrets in that namespace",
        ),
        429 => PortError::new(
            ErrorClass::Throttled {
                after: refusal.retry_after.unwrap_or(Duration::from_secs(1)),
            },
            SECRET_RESOLVE_FAILED,
            error.report(),
        ),
        _ => PortError::new(ErrorClass::Unavailable, SECRET_RESOLVE_FAILED, error.report()),
    }
}

fn unresolved(reference: &SecretRef, why: &str) -> PortError {
    PortError::new(
        ErrorClass::Misconfigured,
        SECRET_RESOLVE_FAILED,
        format!("Secret {} cannot be read: {why}", reference.object),
    )
}

/// Whether a name can stand in a path as it is.
///
/// **Source**: Kubernetes documentation, "Object Names and IDs", DNS subdomain names.
fn is_object_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'.')
}

#[derive(Deserialize)]
struct Secret {
    data: Option<BTreeMap<String, ByteString>>,
}

#[cfg(test)]
mod tests;
