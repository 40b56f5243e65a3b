//! Where the commands of the program run.

use anyhow::Context as _;

use crate::telemetry;

/// Runs a command until it is done.
///
/// # Errors
/// The runtime cannot be started, or TLS was set up before; else those of the command.
pub fn run<T>(command: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    telemetry::install_tls_provider()?;
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?
        .block_on(command)
}
