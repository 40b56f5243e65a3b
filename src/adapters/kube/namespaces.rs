//! The namespaces of a cluster, read once.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Request;
use kollect_domain::config::Namespace;
use kube::Client;
use serde::Deserialize;

use super::client::{ApiError, fetch_json};

const DEADLINE: Duration = Duration::from_secs(30);
const PATH: &str = "/api/v1/namespaces";

/// All namespaces with their labels and annotations.
///
/// # Errors
/// [`ApiError`] when they may not be listed or the server does not answer.
pub async fn namespaces(client: &Client) -> Result<BTreeMap<String, Namespace>, ApiError> {
    let mut request = Request::new(Vec::new());
    *request.uri_mut() = http::Uri::from_static(PATH);
    let list: List = fetch_json(client, "list Namespaces", request, DEADLINE).await?;
    let namespaces = list.items.into_iter().map(|item| {
        let Metadata {
            name,
            labels,
            annotations,
        } = item.metadata;
        (name, Namespace { labels, annotations })
    });
    Ok(namespaces.collect())
}

#[derive(Debug, Deserialize)]
struct List {
    items: Vec<Item>,
}

#[derive(Debug, Deserialize)]
struct Item {
    metadata: Metadata,
}

#[derive(Debug, Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Metadata {
    name: String,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
}
