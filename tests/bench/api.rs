//! Requests to the API server. Answers are not looked at: the benchmark must cost little beside what it measures.

use std::path::Path;

use http::Request;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::Request as Requests;
use kube::core::params::{Patch, PatchParams, PostParams};
use kube::{Client, Config};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::configuration::{NAMESPACE, SECRET};
use crate::deployment;
use crate::error::Error;

/// Where Deployments of all namespaces are listed.
pub const DEPLOYMENTS: &str = "/apis/apps/v1/deployments";

/// A client with a connection of its own.
#[derive(Clone)]
pub struct Api(Client);

impl Api {
    /// Makes a client; its first request opens the connection.
    ///
    /// # Errors
    /// [`Error::Kubeconfig`] or [`Error::Cluster`] when the file cannot be used.
    pub async fn connect(kubeconfig: &Path) -> Result<Self, Error> {
        let file = Kubeconfig::read_from(kubeconfig)?;
        let mut config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await?;
        config.default_retry = false;
        Client::try_from(config)
            .map(Self)
            .map_err(Error::cluster("connect to the API server"))
    }

    /// The version of the server.
    ///
    /// # Errors
    /// [`Error::Cluster`] when it does not answer.
    pub async fn version(&self) -> Result<String, Error> {
        let version = self.0.apiserver_version().await;
        version
            .map(|version| version.git_version)
            .map_err(Error::cluster("ask for the API server's version"))
    }

    /// Creates the object with this number.
    ///
    /// # Errors
    /// [`Error::Cluster`] when the server refuses.
    pub async fn create(&self, number: u32) -> Result<(), Error> {
        let action = "create a Deployment";
        let body = deployment::manifest(number).to_string().into_bytes();
        let path = format!("/apis/apps/v1/namespaces/{}/deployments", deployment::namespace(number));
        let request = Requests::new(path).create(&PostParams::default(), body);
        self.send(action, request).await
    }

    /// Changes the object with this number.
    ///
    /// # Errors
    /// [`Error::Cluster`] when the server refuses.
    pub async fn change(&self, number: u32, change: &Value) -> Result<(), Error> {
        let path = format!("/apis/apps/v1/namespaces/{}/deployments", deployment::namespace(number));
        self.merge("change a Deployment", &path, &deployment::name(number), change)
            .await
    }

    /// Writes something that no attribute is taken from. On a kind that was quiet for some minutes the server would take
    /// all pages of a list but the first from etcd instead of from its cache; a write ends that.
    ///
    /// # Errors
    /// [`Error::Cluster`] when the server refuses.
    pub async fn end_quiet(&self, mark: &str) -> Result<(), Error> {
        let change = json!({"metadata": {"annotations": {"example.com/mark": mark}}});
        self.change(0, &change).await
    }

    /// Names the database that the next operator writes to.
    ///
    /// # Errors
    /// [`Error::Cluster`] when the server refuses.
    pub async fn set_database(&self, url: &str) -> Result<(), Error> {
        let path = format!("/api/v1/namespaces/{NAMESPACE}/secrets");
        let change = json!({"stringData": {"dsn": url}});
        self.merge("name the database in the Secret", &path, SECRET, &change)
            .await
    }

    /// The client itself.
    pub fn client(&self) -> &Client {
        &self.0
    }

    async fn merge(&self, action: &'static str, path: &str, name: &str, change: &Value) -> Result<(), Error> {
        let request = Requests::new(path).patch(name, &PatchParams::default(), &Patch::Merge(change));
        self.send(action, request).await
    }

    async fn send(
        &self,
        action: &'static str,
        request: Result<Request<Vec<u8>>, kube::core::request::Error>,
    ) -> Result<(), Error> {
        let request = request
            .map_err(kube::Error::BuildRequest)
            .map_err(Error::cluster(action))?;
        let answer = self.0.request::<IgnoredAny>(request).await;
        answer.map(drop).map_err(Error::cluster(action))
    }
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api").finish_non_exhaustive()
    }
}
