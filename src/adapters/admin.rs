//! Probes and metrics over HTTP, each on a listener of its own.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::metrics::{CONTENT_TYPE, OpenMetrics};

/// Routes of the probes: `/livez` and `/healthz` answer while the process runs its loop, `/readyz` once the first
/// lists are done.
pub fn probes(ready: watch::Receiver<bool>) -> Router {
    Router::new()
        .route("/livez", get(|| async { "ok" }))
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(readyz))
        .with_state(ready)
}

async fn readyz(State(ready): State<watch::Receiver<bool>>) -> Response {
    if *ready.borrow() {
        "ok".into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "the first lists are not done").into_response()
    }
}

/// Route of the metrics.
pub fn metrics(metrics: Arc<OpenMetrics>) -> Router {
    Router::new().route("/metrics", get(render)).with_state(metrics)
}

async fn render(State(metrics): State<Arc<OpenMetrics>>) -> Response {
    match metrics.render() {
        Ok(text) => ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Listens on `address`. Separate from [`serve`], so that an address in use is an error at start.
///
/// # Errors
/// The operating system's, when the address cannot be listened on.
pub async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(address).await
}

/// Serves until `stop` is cancelled.
///
/// # Errors
/// The operating system's, when connections cannot be accepted any more.
pub async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) -> io::Result<()> {
    axum::serve(listener, router)
        .with_graceful_shutdown(stop.cancelled_owned())
        .await
}
