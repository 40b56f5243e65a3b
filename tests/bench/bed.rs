//! The servers, and everything in them that all runs share but the objects.

use std::path::PathBuf;

use kollect_testbed::{ControlPlane, Postgres};

use crate::configuration;
use crate::error::Error;
use crate::program::Program;
use crate::progress::say;

/// Names of servers that exist already, which must not be loaded.
const FOREIGN: [&str; 2] = ["KOLLECT_TEST_KUBECONFIG", "KOLLECT_TEST_POSTGRES_URL"];

/// A cluster that knows our kinds, and a database server. Both end when this is dropped.
#[derive(Debug)]
pub struct Bed {
    cluster: ControlPlane,
    _postgres: Postgres,
    /// One empty database for each run.
    pub databases: Vec<String>,
}

impl Bed {
    /// Starts the servers; the API server gets the definitions that `program` has.
    ///
    /// # Errors
    /// [`Error::NotOurs`] when a server would not be our own; [`Error::Bed`] when one does not start.
    pub fn start(program: &Program, runs: u32) -> Result<Self, Error> {
        if let Some(variable) = FOREIGN
            .into_iter()
            .find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
        {
            return Err(Error::NotOurs(variable));
        }
        say("starting the API server and the database");
        let cluster = ControlPlane::start()?;
        let postgres = Postgres::start()?;
        let databases = (0..runs)
            .map(|_| postgres.create_database().map(|name| postgres.url(&name)))
            .collect::<Result<_, _>>()?;
        let apply = |text: &str| cluster.kubectl(&["apply", "--server-side", "-f", "-"], Some(text));
        apply(&program.definitions()?)?;
        cluster.kubectl(
            &["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"],
            None,
        )?;
        apply(&configuration::manifests())?;
        Ok(Self {
            cluster,
            _postgres: postgres,
            databases,
        })
    }

    /// The kubeconfig of a cluster administrator.
    pub fn kubeconfig(&self) -> PathBuf {
        self.cluster.kubeconfig_path().to_owned()
    }
}
