//! A real PostgreSQL server.

mod builder;
mod cluster;
mod dsn;
mod programs;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

pub use builder::PostgresBuilder;

use cluster::Cluster;

use crate::server::Server;
use crate::{Error, command};

const SERVER: &str = "postgres";
/// Names a server that exists already, by a URL of somebody who may create databases.
const VARIABLE: &str = "KOLLECT_TEST_POSTGRES_URL";
/// The database that every server has.
const MAINTENANCE: &str = "postgres";

/// A PostgreSQL server with password login on 127.0.0.1.
///
/// It does not wait for the disk, so it is fast, and still keeps every commit when its process is
/// killed; only a crash of the machine would lose some.
/// With `KOLLECT_TEST_POSTGRES_URL` set, the value stands for that server instead.
#[derive(Debug)]
pub struct Postgres {
    psql: PathBuf,
    url: String,
    made: AtomicU32,
    cluster: Option<Cluster>,
}

impl Postgres {
    /// Starts one with the default settings.
    ///
    /// # Errors
    /// [`Error::NotInstalled`] without the programs; [`Error::Server`] when it does not start.
    pub fn start() -> Result<Self, Error> {
        Self::builder().start()
    }

    /// A server with settings of its own.
    pub fn builder() -> PostgresBuilder {
        PostgresBuilder::default()
    }

    /// The one that the tests of this process share: started on first use, gone when the process
    /// ends. Each test makes a database of its own.
    ///
    /// # Errors
    /// [`Error::Shared`] with the cause, for every caller, when it did not start.
    pub fn shared() -> Result<&'static Self, Error> {
        static SHARED: LazyLock<Result<Postgres, Error>> = LazyLock::new(Postgres::start);
        SHARED
            .as_ref()
            .map_err(|source| Error::Shared { server: SERVER, source })
    }

    /// The URL of a database, with the name and password of a superuser.
    ///
    /// A server with TLS asks for it by `sslmode=require`.
    pub fn url(&self, database: &str) -> String {
        dsn::with_database(&self.url, database)
    }

    /// The certificate of the authority that signed the server's own; `None` without TLS.
    pub fn certificate_authority(&self) -> Option<&Path> {
        self.cluster.as_ref()?.certificate_authority()
    }

    /// Makes an empty database and gives its name, which no other run uses.
    ///
    /// # Errors
    /// [`Error::Command`] when the server refuses.
    pub fn create_database(&self) -> Result<String, Error> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let time = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| time.as_micros());
        let name = format!("kollect_{}_{time}_{number}", std::process::id());
        self.psql(MAINTENANCE, &format!("CREATE DATABASE {name}"))?;
        Ok(name)
    }

    /// Runs SQL in a database and gives the rows: one a line, values apart by `|`, nothing else.
    ///
    /// Each statement commits by itself, and the first that fails ends the run.
    ///
    /// # Errors
    /// [`Error::Command`] with what the server complained about.
    pub fn psql(&self, database: &str, sql: &str) -> Result<String, Error> {
        psql(&self.psql, &self.url(database), sql)
    }

    /// Stops it in good order without waiting for its clients: open transactions are rolled back,
    /// connections end.
    ///
    /// # Errors
    /// [`Error::NotOwned`] for a server that exists already; [`Error::Server`] when it does not
    /// stop.
    pub fn stop(&self) -> Result<(), Error> {
        self.server()?.stop()
    }

    /// Starts it again on the same port with the same data.
    ///
    /// # Errors
    /// [`Error::Server`] when it does not start; [`Error::NotOwned`] for a server that exists
    /// already.
    pub fn start_again(&self) -> Result<(), Error> {
        self.server()?.start()
    }

    /// Ends it at once, as a crash would.
    ///
    /// # Errors
    /// [`Error::NotOwned`] for a server that exists already.
    pub fn kill(&self) -> Result<(), Error> {
        self.server()?.kill()
    }

    /// Makes it silent: connections stay open, new ones are accepted, and nothing answers.
    ///
    /// # Errors
    /// [`Error::NotOwned`] for a server that exists already.
    pub fn pause(&self) -> Result<(), Error> {
        self.server()?.pause()
    }

    /// Lets it answer again.
    ///
    /// # Errors
    /// [`Error::NotOwned`] for a server that exists already.
    pub fn resume(&self) -> Result<(), Error> {
        self.server()?.resume()
    }

    fn server(&self) -> Result<&Server, Error> {
        self.cluster.as_ref().map(Cluster::server).ok_or(Error::NotOwned {
            server: SERVER,
            variable: VARIABLE,
        })
    }
}

fn psql(program: &Path, url: &str, sql: &str) -> Result<String, Error> {
    let mut command = Command::new(program);
    command.args([
        "--no-psqlrc",
        "--quiet",
        "--no-align",
        "--tuples-only",
        "--no-password",
        "--set=ON_ERROR_STOP=1",
        "--file=-",
        "--dbname",
    ]);
    command.arg(url);
    // A person's own settings must not lead to another server.
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"PG") {
            command.env_remove(name);
        }
    }
    command.env("PGCONNECT_TIMEOUT", "5");
    let printed = command::output(command, "psql", Some(sql))?;
    Ok(printed.trim_end_matches('\n').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_somebody_else_is_never_stopped() {
        let postgres = Postgres {
            psql: "psql".into(),
            url: "postgres://127.0.0.1/postgres".into(),
            made: AtomicU32::new(0),
            cluster: None,
        };
        assert_eq!(
            postgres.stop().unwrap_err().to_string(),
            "KOLLECT_TEST_POSTGRES_URL names a postgres that this test does not own: \
             unset it for tests that stop and start one"
        );
    }
}
