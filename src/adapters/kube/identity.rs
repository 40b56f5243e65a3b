//! Who this cluster is: an identity that two clusters never share and that survives everything but the cluster.

use std::sync::Arc;
use std::time::Duration;

use http::Request;
use kube::Client;
use serde::Deserialize;

use super::client::{ApiError, fetch_json};

const DEADLINE: Duration = Duration::from_secs(15);
/// Created with the cluster and protected from deletion, so its uid lives as long as the cluster.
const PATH: &str = "/api/v1/namespaces/kube-system";

/// The cluster has no identity.
#[derive(Debug, thiserror::Error)]
#[error("the cluster's identity is not known: allow get on the namespace kube-system, or pass --cluster-id")]
pub struct IdentityError {
    /// Why the namespace cannot be read.
    #[source]
    source: ApiError,
}

impl IdentityError {
    /// Why the namespace cannot be read.
    pub fn cause(&self) -> &ApiError {
        &self.source
    }
}

/// The identity under which this operator writes: `given` if there is one, else the uid of the namespace `kube-system`.
///
/// # Errors
/// [`IdentityError`] when nothing is given and the namespace cannot be read.
pub async fn writer_identity(client: &Client, given: Option<&str>) -> Result<Arc<str>, IdentityError> {
    if let Some(given) = given.map(str::trim).filter(|given| !given.is_empty()) {
        return Ok(given.into());
    }
    let operation = "get Namespace kube-system";
    let mut request = Request::new(Vec::new());
    *request.uri_mut() = http::Uri::from_static(PATH);
    let namespace: Namespace = fetch_json(client, operation, request, DEADLINE)
        .await
        .map_err(|source| IdentityError { source })?;
    Ok(namespace.metadata.uid.into())
}

#[derive(Debug, Deserialize)]
struct Namespace {
    metadata: Metadata,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    uid: String,
}

#[cfg(test)]
mod tests {
    use kollect_testbed::{ControlPlane, required};

    use super::*;
    use crate::kube::client::{ConnectOptions, connect};

    #[tokio::test(flavor = "multi_thread")]
    async fn the_identity_is_the_given_one_or_the_uid_of_kube_system() {
        if !required("control-plane") {
            return;
        }
        let cluster = ControlPlane::shared().unwrap();
        let options = ConnectOptions {
            kubeconfig: Some(cluster.kubeconfig_path().to_owned()),
            context: None,
        };
        let client = connect(&options).await.unwrap();
        let uid = ["get", "namespace", "kube-system", "--output=jsonpath={.metadata.uid}"];
        let uid = cluster.kubectl(&uid, None).unwrap();
        assert_eq!(*writer_identity(&client, None).await.unwrap(), *uid);
        assert_eq!(*writer_identity(&client, Some(" ")).await.unwrap(), *uid);
        assert_eq!(&*writer_identity(&client, Some("mine")).await.unwrap(), "mine");
    }
}
