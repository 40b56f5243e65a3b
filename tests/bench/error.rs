//! Why no figures could be measured.

use std::io;
use std::time::Duration;

/// Why the benchmark ended without a table.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A server of the bed did not start.
    #[error("the test bed failed")]
    Bed(#[from] kollect_testbed::Error),
    /// A server that exists already must not be loaded.
    #[error("{0} is set: unset it, because the benchmark loads only servers that it starts itself")]
    NotOurs(&'static str),
    /// The operator's program was not built.
    #[error("cannot build kollect: {0}")]
    Build(String),
    /// The kubeconfig of the bed was not understood.
    #[error("the kubeconfig of the test bed cannot be used")]
    Kubeconfig(#[from] kube::config::KubeconfigError),
    /// A request to the API server failed.
    #[error("cannot {action}")]
    Cluster {
        /// The operation, as a verb with its object.
        action: &'static str,
        /// What went wrong.
        source: Box<kube::Error>,
    },
    /// A list of the API server is not one.
    #[error("the API server's list cannot be read: {0}")]
    List(String),
    /// The database refused.
    #[error("cannot {action}")]
    Database {
        /// The operation, as a verb with its object.
        action: &'static str,
        /// What went wrong.
        source: tokio_postgres::Error,
    },
    /// A file or process operation failed.
    #[error("cannot {action}")]
    Io {
        /// The operation, as a verb with its object.
        action: String,
        /// What the system said.
        source: io::Error,
    },
    /// The operator ended by itself, or not when it was asked to.
    #[error("the operator {outcome}; its log ends with:\n{log}")]
    Operator {
        /// What it did instead.
        outcome: String,
        /// The last lines of its log.
        log: String,
    },
    /// Something did not come true in time.
    #[error("after {limit:?} still not true: {what}; the operator's log ends with:\n{log}")]
    Deadline {
        /// The condition.
        what: String,
        /// How long it was waited for.
        limit: Duration,
        /// The last lines of the operator's log.
        log: String,
    },
    /// A loader stopped.
    #[error("loading stopped: {0}")]
    Load(#[from] tokio::task::JoinError),
    /// Somebody asked it to end.
    #[error("interrupted; everything that was started is gone")]
    Interrupted,
}

impl Error {
    /// Names the operation that a failure of the API server belongs to.
    pub fn cluster(action: &'static str) -> impl Fn(kube::Error) -> Self {
        move |source| Self::Cluster {
            action,
            source: Box::new(source),
        }
    }

    /// Names the operation that a failure of the database belongs to.
    pub fn database(action: &'static str) -> impl Fn(tokio_postgres::Error) -> Self {
        move |source| Self::Database { action, source }
    }

    /// Names the operation that a failure of the system belongs to.
    pub fn io(action: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let action = action.into();
        move |source| Self::Io { action, source }
    }
}
