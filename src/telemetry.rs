//! Logs of the process.

use std::io::Write as _;

use anyhow::Context as _;
use tracing_subscriber::EnvFilter;

use crate::config::{LogConfig, LogFormat};

/// The client library logs whole answers that it cannot decode, which may hold a Secret, at WARN.
const NEVER: &str = "kube_client=error,kube_client::client=error";

/// Starts logging to standard error.
///
/// # Errors
/// When the filter cannot be parsed, or logging was started before.
pub fn init(config: &LogConfig) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(format!("{},{NEVER}", config.level)).with_context(|| {
        format!(
            "--log-level {:?} is not a filter such as info or kollect_app=debug,warn",
            config.level
        )
    })?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let started = match config.format {
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
        LogFormat::Text => builder.with_ansi(false).try_init(),
    };
    started.map_err(|error| anyhow::anyhow!("cannot start logging: {error}"))
}

/// Starts logging to standard error for a command that a person runs.
///
/// # Errors
/// As [`init`].
pub fn to_stderr(level: &str) -> anyhow::Result<()> {
    init(&LogConfig {
        level: level.to_owned(),
        format: LogFormat::Text,
    })
}

/// Chooses how TLS is done, once for the process.
///
/// # Errors
/// It was chosen before, which is a fault of the program.
pub fn install_tls_provider() -> anyhow::Result<()> {
    rustls::crypto::ring::default_provider()
        .install_default()
        .map_err(|_| anyhow::anyhow!("a TLS provider was installed before start; this is a fault of the program"))
}

/// Says on standard error why the program ends, with all causes on one line.
pub fn report(error: &anyhow::Error) {
    // Nothing can be done when standard error is closed.
    let _ = writeln!(std::io::stderr(), "kollect: {error:#}");
}
