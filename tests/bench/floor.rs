//! The floor: what the API server needs to hand out the objects to somebody who does nothing with them.

use std::path::Path;
use std::time::{Duration, Instant};

use http::header::{ACCEPT, HeaderValue};
use http_body_util::BodyExt as _;
use kube::client::Body;
use kube::core::Request as Requests;
use kube::core::params::ListParams;
use serde::Deserialize;

use crate::api::{Api, DEPLOYMENTS};
use crate::error::Error;

/// The operator's rule: 500 objects at first, then as many as are about this much text, within the bounds.
const PAGE_BYTES: u64 = 4 << 20;
const FIRST: u32 = 500;
const LEAST: u64 = 50;
const MOST: u64 = 5_000;

/// The metadata of a list of a built-in kind stands before its items, and is much shorter than this.
const HEAD_BYTES: usize = 16 << 10;

/// One list, downloaded and thrown away.
#[derive(Debug, Clone, Copy)]
pub struct Download {
    /// From before the connection is opened to the last byte.
    pub took: Duration,
    /// Text of all pages, after decompression.
    pub bytes: u64,
}

#[derive(Deserialize)]
struct ListMeta {
    #[serde(default)]
    r#continue: String,
}

struct Page {
    bytes: u64,
    next: Option<String>,
}

/// Lists all Deployments as the operator does (pages, gzip, HTTP/1.1) over a new connection.
///
/// # Errors
/// [`Error::Cluster`] or [`Error::List`] when a page cannot be read.
pub async fn download(kubeconfig: &Path) -> Result<Download, Error> {
    let started = Instant::now();
    let api = Api::connect(kubeconfig).await?;
    let (mut limit, mut token, mut bytes) = (FIRST, None, 0);
    loop {
        let page = read(&api, limit, token.as_deref()).await?;
        bytes += page.bytes;
        if page.next.is_none() {
            break;
        }
        // A page that another one follows is a full one.
        limit = fitting(limit, page.bytes);
        token = page.next;
    }
    Ok(Download {
        took: started.elapsed(),
        bytes,
    })
}

fn fitting(objects: u32, bytes: u64) -> u32 {
    let fitting = PAGE_BYTES * u64::from(objects) / bytes.max(1);
    u32::try_from(fitting.clamp(LEAST, MOST)).unwrap_or(FIRST)
}

async fn read(api: &Api, limit: u32, token: Option<&str>) -> Result<Page, Error> {
    let failed = Error::cluster("list the Deployments");
    let parameters = ListParams {
        limit: Some(limit),
        continue_token: token.map(str::to_owned),
        ..ListParams::default()
    };
    let mut request = Requests::new(DEPLOYMENTS)
        .list(&parameters)
        .map_err(kube::Error::BuildRequest)
        .map_err(&failed)?
        .map(Body::from);
    request
        .headers_mut()
        .insert(ACCEPT, HeaderValue::from_static("application/json"));
    let response = api.client().send(request).await.map_err(&failed)?;
    if !response.status().is_success() {
        return Err(Error::List(format!("the server answered {}", response.status())));
    }
    let mut body = response.into_body();
    let (mut bytes, mut head) = (0, Vec::with_capacity(HEAD_BYTES));
    while let Some(frame) = body.frame().await {
        if let Ok(chunk) = frame.map_err(&failed)?.into_data() {
            bytes += chunk.len() as u64;
            let missing = HEAD_BYTES.saturating_sub(head.len()).min(chunk.len());
            head.extend_from_slice(&chunk[..missing]);
        }
    }
    let next = token_of(&head)?;
    Ok(Page { bytes, next })
}

/// The token of the next page; `None` on the last one.
fn token_of(head: &[u8]) -> Result<Option<String>, Error> {
    const KEY: &[u8] = b"\"metadata\":";
    let start = head
        .windows(KEY.len())
        .position(|window| window == KEY)
        .ok_or_else(|| Error::List("it does not begin with its metadata".to_owned()))?;
    let meta = serde_json::Deserializer::from_slice(&head[start + KEY.len()..])
        .into_iter::<ListMeta>()
        .next();
    match meta {
        Some(Ok(meta)) => Ok(Some(meta.r#continue).filter(|token| !token.is_empty())),
        Some(Err(error)) => Err(Error::List(error.to_string())),
        None => Err(Error::List("its metadata is empty".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_read_from_the_head_of_a_page_that_is_cut_off() {
        let head = br#"{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{"resourceVersion":"7","continue":"a\"b","remainingItemCount":9},"items":[{"metadata":{"na"#;
        assert_eq!(token_of(head).unwrap().as_deref(), Some("a\"b"));
        let last = br#"{"kind":"DeploymentList","metadata":{"resourceVersion":"7"},"items":[{"meta"#;
        assert_eq!(token_of(last).unwrap(), None);
        assert!(token_of(b"<html>").is_err());
    }

    #[test]
    fn the_next_page_is_about_four_mebibytes() {
        assert_eq!(fitting(500, 500 * 8_192), 512);
        assert_eq!(fitting(500, 500 * 100), 5_000);
        assert_eq!(fitting(500, 500 << 20), 50);
    }
}
