//! The connection to the API server.
//!
//! One client serves every part of the adapter. It speaks HTTP/1.1, so each watch has a connection of its own and a
//! slow one never holds up another. It never retries by itself: each caller decides, and says so in a status, instead
//! of a request that hangs in a retry loop that nobody sees.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kube::config::{InferConfigError, KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Client, Config};

mod answer;
mod error;

pub(crate) use answer::{Encoding, fetch_bytes, fetch_json, send, stalled, transport};
pub use error::{ApiError, Refusal};
pub(crate) use error::{Status, StatusDetails};

/// A server that does not accept a connection within this time is treated as down.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Requests are small; one that cannot be written for this long has lost its connection.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// What the API server's audit log shows for our requests.
const USER_AGENT: &str = concat!("kollect/", env!("CARGO_PKG_VERSION"));

/// Where to find the API server and the credentials for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConnectOptions {
    /// A kubeconfig file. `None` = the standard rules: `KUBECONFIG`, `~/.kube/config`, then the Pod's service account.
    pub kubeconfig: Option<PathBuf>,
    /// A context of the kubeconfig; `None` = its current one.
    pub context: Option<String>,
}

/// Why no client could be built. Nothing was sent to a server yet.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The kubeconfig file cannot be used.
    #[error("the kubeconfig file {} cannot be used", path.display())]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: KubeconfigError,
    },
    /// Neither a kubeconfig nor a service account was found.
    #[error("no cluster to connect to: pass --kubeconfig, set KUBECONFIG, or run in a Pod with a service account")]
    NoCluster {
        /// What was tried.
        source: InferConfigError,
    },
    /// The credentials or certificates cannot be used.
    #[error("the cluster's certificates or the credentials for it cannot be used")]
    Credentials {
        /// What is wrong with them.
        source: kube::Error,
    },
}

/// Builds a client; the first request opens the first connection.
///
/// # Errors
/// [`ConnectError`] when no configuration is found or it cannot be used.
pub async fn connect(options: &ConnectOptions) -> Result<Client, ConnectError> {
    // Another part of the program may have chosen a provider before: then that one stays, which is all we need.
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        drop(rustls::crypto::ring::default_provider().install_default());
    }
    let config = adjust(load(options).await?);
    Client::try_from(config).map_err(|source| ConnectError::Credentials { source })
}

async fn load(options: &ConnectOptions) -> Result<Config, ConnectError> {
    if options.kubeconfig.is_none() && options.context.is_none() {
        return Config::infer()
            .await
            .map_err(|source| ConnectError::NoCluster { source });
    }
    let (kubeconfig, path) = read(options.kubeconfig.as_deref())?;
    let unusable = |source| ConnectError::Kubeconfig { path, source };
    let choice = KubeConfigOptions {
        context: options.context.clone(),
        ..KubeConfigOptions::default()
    };
    Config::from_custom_kubeconfig(kubeconfig, &choice)
        .await
        .map_err(unusable)
}

/// The kubeconfig file, or what `KUBECONFIG` and the standard place give together; and what to call it.
fn read(path: Option<&Path>) -> Result<(Kubeconfig, PathBuf), ConnectError> {
    let name = path
        .unwrap_or(Path::new("that KUBECONFIG names, or ~/.kube/config,"))
        .to_owned();
    let kubeconfig = match path {
        Some(path) => Kubeconfig::read_from(path),
        None => Kubeconfig::read(),
    };
    match kubeconfig {
        Ok(kubeconfig) => Ok((kubeconfig, name)),
        Err(source) => Err(ConnectError::Kubeconfig { path: name, source }),
    }
}

/// The contexts of a kubeconfig.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contexts {
    /// Their names, ascending.
    pub names: Vec<String>,
    /// The current one.
    pub current: Option<String>,
}

/// The contexts of a kubeconfig file; `None` = what `KUBECONFIG` and the standard place give together.
///
/// # Errors
/// [`ConnectError::Kubeconfig`]
pub fn contexts(path: Option<&Path>) -> Result<Contexts, ConnectError> {
    let (kubeconfig, _) = read(path)?;
    let mut names: Vec<String> = kubeconfig.contexts.into_iter().map(|context| context.name).collect();
    names.sort();
    Ok(Contexts {
        names,
        current: kubeconfig.current_context.filter(|name| !name.is_empty()),
    })
}

fn adjust(mut config: Config) -> Config {
    config.connect_timeout = Some(CONNECT_TIMEOUT);
    config.write_timeout = Some(WRITE_TIMEOUT);
    // A read timeout would cut quiet watches; every reader in this adapter has its own deadline for silence.
    config.read_timeout = None;
    config.default_retry = false;
    config
        .headers
        .push((http::header::USER_AGENT, http::HeaderValue::from_static(USER_AGENT)));
    config
}

#[cfg(test)]
mod tests;
