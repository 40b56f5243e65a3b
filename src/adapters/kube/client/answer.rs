//! Sending one request and reading its answer, with a deadline on every wait.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::error::{ApiError, Refusal};

/// Largest answer that is read as a whole. Discovery documents and single objects stay far below: etcd refuses
/// objects above 1.5 MiB.
const DOCUMENT_LIMIT_BYTES: usize = 8 << 20;
/// Largest part of an error answer that is read.
const ERROR_LIMIT_BYTES: usize = 64 << 10;

/// How the answer may be encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// gzip if the server likes: half the client's CPU on large answers.
    Compressed,
    /// Plain text, so that each event of a watch can be read when it is sent. Kubernetes from 1.37 compresses every
    /// event as a gzip member of its own, of which the decoder reads only the first.
    Plain,
}

/// Sends a request and returns the answer with its body still to be read; an error status becomes an error.
///
/// # Errors
/// [`ApiError`]: the connection failed, nothing came within `deadline`, or the server refused.
pub(crate) async fn send(
    client: &Client,
    operation: &str,
    request: Request<Vec<u8>>,
    encoding: Encoding,
    deadline: Duration,
) -> Result<Response<Body>, ApiError> {
    let mut request = request.map(Body::from);
    let headers = request.headers_mut();
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
    if encoding == Encoding::Plain {
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    }
    let response = timeout(deadline, client.send(request))
        .await
        .map_err(|_| stalled(operation, deadline))?
        .map_err(|source| transport(operation, source))?;
    if response.status().is_success() {
        return Ok(response);
    }
    let code = response.status().as_u16();
    let retry_after = retry_after(response.headers());
    // The status line alone says enough when the explanation does not arrive.
    let body = read_body(operation, response.into_body(), ERROR_LIMIT_BYTES, deadline)
        .await
        .unwrap_or_default();
    Err(ApiError::Refused {
        operation: operation.to_owned(),
        refusal: Refusal::from_body(code, retry_after, &body),
    })
}

/// Reads a body whole.
///
/// # Errors
/// [`ApiError`]: the connection broke, the body did not end within `deadline`, or it is larger than `limit_bytes`.
async fn read_body(operation: &str, body: Body, limit_bytes: usize, deadline: Duration) -> Result<Bytes, ApiError> {
    let collect = async {
        let mut chunks = body.into_data_stream();
        let mut collected = BytesMut::new();
        while let Some(chunk) = chunks.next().await {
            let data = chunk.map_err(|source| transport(operation, source))?;
            if collected.len() + data.len() > limit_bytes {
                return Err(ApiError::TooLarge {
                    operation: operation.to_owned(),
                    limit_bytes,
                });
            }
            collected.extend_from_slice(&data);
        }
        Ok(collected.freeze())
    };
    timeout(deadline, collect)
        .await
        .map_err(|_| stalled(operation, deadline))?
}

/// Sends a request and reads its answer whole.
///
/// # Errors
/// As [`send`]; also when the answer is larger than any single object or discovery document can be.
pub(crate) async fn fetch_bytes(
    client: &Client,
    operation: &str,
    request: Request<Vec<u8>>,
    deadline: Duration,
) -> Result<Bytes, ApiError> {
    let response = send(client, operation, request, Encoding::Compressed, deadline).await?;
    read_body(operation, response.into_body(), DOCUMENT_LIMIT_BYTES, deadline).await
}

/// Sends a request and decodes its answer.
///
/// # Errors
/// As [`fetch_bytes`], and [`ApiError::Undecodable`] when the answer is not a `T`.
pub(crate) async fn fetch_json<T: DeserializeOwned>(
    client: &Client,
    operation: &str,
    request: Request<Vec<u8>>,
    deadline: Duration,
) -> Result<T, ApiError> {
    let body = fetch_bytes(client, operation, request, deadline).await?;
    serde_json::from_slice(&body).map_err(|source| ApiError::Undecodable {
        operation: operation.to_owned(),
        source,
    })
}

pub(crate) fn transport(operation: &str, source: kube::Error) -> ApiError {
    ApiError::Transport {
        operation: operation.to_owned(),
        source,
    }
}

pub(crate) fn stalled(operation: &str, after: Duration) -> ApiError {
    ApiError::Stalled {
        operation: operation.to_owned(),
        after,
    }
}

/// The API server sends whole seconds; the form with a date is not used by Kubernetes and is ignored.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse().ok().map(Duration::from_secs)
}
