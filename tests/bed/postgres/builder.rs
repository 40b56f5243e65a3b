//! Settings of a PostgreSQL server, and its start.

use std::env;
use std::sync::atomic::AtomicU32;

use super::cluster::Cluster;
use super::{Postgres, VARIABLE, programs};
use crate::Error;
use crate::port::retry_on_port_clash;

/// How a [`Postgres`] is to run.
#[derive(Clone, Debug, Default)]
pub struct PostgresBuilder {
    pub(super) tls_hosts: Option<Vec<String>>,
    pub(super) settings: Vec<(String, String)>,
}

impl PostgresBuilder {
    /// Serves TLS only, with a certificate for these host names and addresses, signed by
    /// [`Postgres::certificate_authority`]. A test of a wrong host name gives one that is not
    /// `127.0.0.1` or `localhost`. A server that was built without TLS, as the one of the Python
    /// package index is, does not start and says so.
    #[must_use]
    pub fn tls(mut self, hosts: &[&str]) -> Self {
        self.tls_hosts = Some(hosts.iter().map(|&host| host.to_owned()).collect());
        self
    }

    /// Sets a server parameter, as in `postgresql.conf`.
    #[must_use]
    pub fn setting(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Starts it and waits until it answers. With `KOLLECT_TEST_POSTGRES_URL` set, takes that
    /// server and ignores the settings.
    ///
    /// # Errors
    /// [`Error::NotInstalled`] without the programs; [`Error::Server`] when it does not start.
    pub fn start(self) -> Result<Postgres, Error> {
        match env::var(VARIABLE) {
            Ok(url) if !url.is_empty() => Ok(Postgres {
                psql: programs::any_psql()?,
                url,
                made: AtomicU32::new(0),
                cluster: None,
            }),
            _ => self.start_own(),
        }
    }

    fn start_own(&self) -> Result<Postgres, Error> {
        let cluster = retry_on_port_clash(|| Cluster::start(self))?;
        Ok(Postgres {
            psql: programs::installed("psql")?,
            url: cluster.url(),
            made: AtomicU32::new(0),
            cluster: Some(cluster),
        })
    }
}
