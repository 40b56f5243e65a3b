//! A data folder and the server process on it.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rustix::process::Signal;

use super::builder::PostgresBuilder;
use super::{MAINTENANCE, programs, psql};
use crate::certificates::{Authority, Holder, hand_over, write_private};
use crate::instance::Instance;
use crate::port::Port;
use crate::server::{Launch, Server, User};
use crate::{Error, command};

const PASSWORD: &str = "kollect-test";

#[derive(Debug)]
pub(super) struct Cluster {
    server: Server,
    port: Port,
    certificate_authority: Option<PathBuf>,
    _instance: Arc<Instance>,
}

impl Cluster {
    pub(super) fn start(settings: &PostgresBuilder) -> Result<Self, Error> {
        let user = unprivileged()?;
        let instance = Arc::new(Instance::create(user)?);
        let data = instance.folder().join("data");
        initialize(&data, instance.folder(), user)?;
        let port = Port::reserve()?;
        let mut arguments = arguments(&data, port.number());
        let mut certificate_authority = None;
        if let Some(hosts) = &settings.tls_hosts {
            let (authority, tls) = tls(instance.folder(), &data, hosts, user)?;
            certificate_authority = Some(authority);
            arguments.extend(tls);
        }
        for (name, value) in &settings.settings {
            arguments.push(format!("--{name}={value}"));
        }
        let (program, address) = (
            programs::installed("psql")?,
            url(port.number(), certificate_authority.is_some()),
        );
        let launch = Launch {
            name: "postgres",
            program: programs::installed("postgres")?,
            arguments,
            user,
            // "Fast shutdown": SIGTERM would wait for the clients to leave.
            stop_signal: Signal::INT,
            ready: Box::new(move || psql(&program, &address, "SELECT 1").is_ok()),
        };
        Ok(Self {
            server: Server::launch(&instance, launch)?,
            port,
            certificate_authority,
            _instance: instance,
        })
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    pub(super) fn url(&self) -> String {
        url(self.port.number(), self.certificate_authority.is_some())
    }

    pub(super) fn certificate_authority(&self) -> Option<&Path> {
        self.certificate_authority.as_deref()
    }
}

fn url(port: u16, tls: bool) -> String {
    let mode = if tls { "require" } else { "disable" };
    format!("postgres://postgres:{PASSWORD}@127.0.0.1:{port}/{MAINTENANCE}?sslmode={mode}")
}

fn arguments(data: &Path, port: u16) -> Vec<String> {
    vec![
        "-D".to_owned(),
        data.display().to_string(),
        format!("--port={port}"),
        "--listen_addresses=127.0.0.1".to_owned(),
        "--unix_socket_directories=".to_owned(),
        "--max_connections=200".to_owned(),
        // These two are for a crash of the machine. Commits stay synchronous: a killed process
        // must not lose any, or tests of exactly that would see losses that are not ours.
        "--fsync=off".to_owned(),
        "--full_page_writes=off".to_owned(),
    ]
}

/// Makes the data folder; everybody logs in by password.
fn initialize(data: &Path, folder: &Path, user: Option<User>) -> Result<(), Error> {
    let password_file = folder.join("password");
    write_private(&password_file, PASSWORD)?;
    hand_over(&password_file, user)?;
    let mut initdb = Command::new(programs::installed("initdb")?);
    initdb
        .current_dir(folder)
        .args(["--no-sync", "--locale=C", "--encoding=UTF8"])
        .args(["--username=postgres", "--auth=scram-sha-256", "--pwfile"])
        .arg(password_file)
        .arg("--pgdata")
        .arg(data);
    if let Some(user) = user {
        initdb.uid(user.uid).gid(user.gid);
    }
    command::output(initdb, "initdb", None).map(drop)
}

/// Signs a certificate and closes the server to everything but TLS.
fn tls(folder: &Path, data: &Path, hosts: &[String], user: Option<User>) -> Result<(PathBuf, [String; 3]), Error> {
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let authority = Authority::create(folder)?;
    let identity = authority.issue("postgres", &Holder::Server { hosts: &hosts })?;
    hand_over(&identity.key, user)?;
    let rules = data.join("pg_hba.conf");
    std::fs::write(&rules, "hostssl all all 127.0.0.1/32 scram-sha-256\n").map_err(Error::io("write", &rules))?;
    let arguments = [
        "--ssl=on".to_owned(),
        format!("--ssl_cert_file={}", identity.certificate.display()),
        format!("--ssl_key_file={}", identity.key.display()),
    ];
    Ok((authority.certificate(), arguments))
}

/// The account for the server, which refuses to run as root; `None` when we are not root.
fn unprivileged() -> Result<Option<User>, Error> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let number = |flag: &str, account: &str| {
        let mut id = Command::new("id");
        id.args([flag, account]);
        let printed = command::output(id, "id", None)?;
        printed.trim().parse::<u32>().map_err(|error| Error::Io {
            action: "read the number of the account",
            subject: account.to_owned(),
            source: std::io::Error::other(error),
        })
    };
    let account = if number("-u", "postgres").is_ok() {
        "postgres"
    } else {
        "nobody"
    };
    Ok(Some(User {
        uid: number("-u", account)?,
        gid: number("-g", account)?,
    }))
}
