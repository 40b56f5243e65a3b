//! Stopping on request.

use anyhow::Context as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Cancels `token` on SIGINT or SIGTERM. A second signal ends the process at once.
///
/// # Errors
/// When the signals cannot be handled.
pub fn on_signal(token: CancellationToken) -> anyhow::Result<tokio::task::JoinHandle<()>> {
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot handle SIGINT")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot handle SIGTERM")?;
    Ok(tokio::spawn(async move {
        for stop in [
            |token: &CancellationToken| token.cancel(),
            |_: &CancellationToken| std::process::exit(130),
        ] {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            stop(&token);
        }
    }))
}
