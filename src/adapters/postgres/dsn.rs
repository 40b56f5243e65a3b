//! Connection strings: what users write in the Secret, in either of libpq's two forms.
//!
//! The earlier program handed the string to a driver that knew pool and client parameters, certificate files and
//! any run-time setting of the server. All of those keep working here: parameters are split off ([`tokens`]) and each
//! is either used, knowingly ignored, refused because ignoring it would weaken what the user asked for, or passed on
//! to the server.
//!
//! No error of this module shows the string or any value of it.
//!
//! **Source**: PostgreSQL documentation, "Connection Strings" and "Parameter Key Words".

mod tokens;

#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, LoadBalanceHosts, SslMode as WireSslMode};

/// Name under which the operator's sessions appear in `pg_stat_activity`.
const APPLICATION_NAME: &str = "kollect";
/// Time to reach one address when the string does not say; libpq would wait for the operating system.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time to reach one address, whatever the string says.
const LONGEST_CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Idle time before the first probe: firewalls forget idle connections within minutes, and a delivery should not be what
/// finds out.
const KEEPALIVE_IDLE: Duration = Duration::from_mins(1);

/// Parameters that `tokio_postgres::Config` reads itself.
const CONNECTION_KEYS: [&str; 14] = [
    "user",
    "password",
    "dbname",
    "options",
    "application_name",
    "host",
    "hostaddr",
    "port",
    "connect_timeout",
    "channel_binding",
    "load_balance_hosts",
    "keepalives",
    "keepalives_idle",
    "sslnegotiation",
];

/// Parameters of client libraries that mean nothing here and weaken nothing when they are left out.
const CONSUMED_KEYS: [&str; 25] = [
    "pool_max_conns",
    "pool_min_conns",
    "pool_min_idle_conns",
    "pool_max_conn_lifetime",
    "pool_max_conn_lifetime_jitter",
    "pool_max_conn_idle_time",
    "pool_health_check_period",
    "statement_cache_capacity",
    "description_cache_capacity",
    "min_read_buffer_size",
    "client_encoding",
    "fallback_application_name",
    "gsslib",
    "gssdelegation",
    "krbsrvname",
    "krbspn",
    "passfile",
    "sslcompression",
    "sslsni",
    "sslcertmode",
    "ssl_max_protocol_version",
    "keepalives_interval",
    "keepalives_count",
    "keepalives_retries",
    "tcp_user_timeout",
];

/// Parameters that ask for something this program does not do.
const REFUSED_KEYS: [&str; 9] = [
    "service",
    "servicefile",
    "replication",
    "require_auth",
    "requirepeer",
    "sslcrl",
    "sslcrldir",
    "sslpassword",
    "sslkeylogfile",
];

/// A connection string, understood.
///
/// `Debug` shows no value of the string.
#[derive(Clone)]
pub(super) struct Dsn {
    /// User, password, database and start-up options.
    pub(super) config: Config,
    /// Servers to try, in order; never empty.
    pub(super) endpoints: Vec<Endpoint>,
    /// Whether the servers are tried in random order.
    pub(super) shuffle: bool,
    /// What the string says about transport security.
    pub(super) tls: DsnTls,
    /// Whether only a server that accepts writes will do.
    pub(super) read_write: bool,
    /// Time to reach one address.
    pub(super) connect_timeout: Duration,
    /// Idle time after which the connection is probed; `None` when the string switches probing off.
    pub(super) keepalive: Option<Duration>,
    /// How statements are run.
    pub(super) session: SessionOptions,
}

/// How statements are run in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SessionOptions {
    /// Whether statements may be kept prepared on the server; a pooler in transaction mode may forbid it.
    pub(super) named_statements: bool,
    /// Whether the string sets `statement_timeout` itself.
    pub(super) sets_statement_timeout: bool,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// Name, or literal address; what a certificate is checked against.
    pub(super) host: String,
    /// Address to connect to instead of resolving the name.
    pub(super) address: Option<IpAddr>,
    /// TCP port.
    pub(super) port: u16,
}

/// Transport security as the string states it; `None` = it says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct DsnTls {
    pub(super) mode: Option<SslMode>,
    pub(super) root_certificates: Option<RootCertificates>,
    pub(super) certificate: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
    pub(super) at_least_tls13: bool,
}

/// `sslmode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SslMode {
    Disable,
    Allow,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// `sslrootcert`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RootCertificates {
    System,
    File(PathBuf),
}

/// Why a connection string cannot be used; shows parameter names only.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum DsnError {
    #[error("the connection string is malformed: {0}")]
    Malformed(&'static str),
    #[error("the connection string has an invalid value for \"{0}\"")]
    InvalidValue(String),
    #[error("the connection string's parameter \"{0}\" is not supported; remove it")]
    Refused(String),
    #[error("the connection string names no host")]
    NoHost,
    #[error("the connection string names a Unix socket; give a host and a port")]
    UnixSocket,
    #[error(
        "the connection string's target_session_attrs asks for a read-only server, and a sink must write; use read-write or primary"
    )]
    ReadOnly,
    #[error("the connection string's sslcert and sslkey must be set together")]
    LoneClientCertificate,
}

impl Dsn {
    /// Reads a connection string of either form.
    pub(super) fn parse(text: &str) -> Result<Self, DsnError> {
        let mut draft = Draft::default();
        for (key, value) in tokens::split(text)? {
            draft.set(key, value)?;
        }
        draft.finish()
    }
}

impl std::fmt::Debug for Dsn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dsn").finish_non_exhaustive()
    }
}

/// A connection string while it is read.
struct Draft {
    /// Keyword form of the parameters in `CONNECTION_KEYS`.
    connection: String,
    /// Settings for the server, in the form of its command line.
    options: String,
    tls: DsnTls,
    read_write: bool,
    session: SessionOptions,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            connection: format!("keepalives_idle={} ", KEEPALIVE_IDLE.as_secs()),
            options: String::new(),
            tls: DsnTls::default(),
            read_write: false,
            session: SessionOptions {
                named_statements: true,
                sets_statement_timeout: false,
            },
        }
    }
}

impl Draft {
    fn set(&mut self, key: String, value: String) -> Result<(), DsnError> {
        if value.contains('\0') {
            return Err(DsnError::InvalidValue(key));
        }
        match key.as_str() {
            "sslmode" => self.tls.mode = Some(ssl_mode(&value)?),
            // A spelling that libpq accepts in URLs for the benefit of JDBC users.
            "ssl" if value == "true" => self.tls.mode = Some(SslMode::Require),
            "sslrootcert" => self.tls.root_certificates = Some(root_certificates(value)),
            "sslcert" => self.tls.certificate = Some(value.into()),
            "sslkey" => self.tls.key = Some(value.into()),
            "ssl_min_protocol_version" => self.tls.at_least_tls13 = value == "TLSv1.3",
            "target_session_attrs" => self.read_write = needs_read_write(&value)?,
            "default_query_exec_mode" => self.session.named_statements = value == "cache_statement",
            "gssencmode" if value == "require" => return Err(DsnError::Refused(key)),
            "gssencmode" => {}
            "options" => {
                self.session.sets_statement_timeout |= value.contains("statement_timeout");
                self.push_options(&value);
            }
            known if CONNECTION_KEYS.contains(&known) => self.push_connection(known, &value),
            known if CONSUMED_KEYS.contains(&known) => {}
            known if REFUSED_KEYS.contains(&known) => return Err(DsnError::Refused(key)),
            setting if is_setting_name(setting) => {
                self.session.sets_statement_timeout |= setting == "statement_timeout";
                let value = escape(&value, &[' ', '\t', '\n', '\r', '\\']);
                self.push_options(&format!("-c {setting}={value}"));
            }
            _ => return Err(DsnError::Malformed("it has a parameter whose name is not one")),
        }
        Ok(())
    }

    fn push_options(&mut self, text: &str) {
        if !self.options.is_empty() {
            self.options.push(' ');
        }
        self.options.push_str(text);
    }

    fn push_connection(&mut self, key: &str, value: &str) {
        let value = escape(value, &['\'', '\\']);
        self.connection.extend([key, "='", &value, "' "]);
    }

    fn finish(self) -> Result<Dsn, DsnError> {
        let mut config: Config = self.connection.parse().map_err(|_| self.invalid_value())?;
        if config.get_application_name().is_none() {
            config.application_name(APPLICATION_NAME);
        }
        if !self.options.is_empty() {
            config.options(&self.options);
        }
        if self.tls.certificate.is_some() != self.tls.key.is_some() {
            return Err(DsnError::LoneClientCertificate);
        }
        // The encryption of an attempt is chosen by the dialer.
        config.ssl_mode(WireSslMode::Disable);
        Ok(Dsn {
            endpoints: endpoints(&config)?,
            shuffle: config.get_load_balance_hosts() == LoadBalanceHosts::Random,
            connect_timeout: config
                .get_connect_timeout()
                .map_or(CONNECT_TIMEOUT, |asked| (*asked).min(LONGEST_CONNECT_TIMEOUT)),
            keepalive: config.get_keepalives().then(|| config.get_keepalives_idle()),
            config,
            tls: self.tls,
            read_write: self.read_write,
            session: self.session,
        })
    }

    /// Which parameter the driver does not accept; its own error is not shown, in case it quotes a value.
    fn invalid_value(&self) -> DsnError {
        let culprit = CONNECTION_KEYS.iter().find(|key| {
            let own = tokens::split(&self.connection).unwrap_or_default();
            own.iter().filter(|(name, _)| name == *key).any(|(name, value)| {
                format!("{name}='{}'", escape(value, &['\'', '\\']))
                    .parse::<Config>()
                    .is_err()
            })
        });
        culprit.map_or(DsnError::Malformed("its parameters contradict each other"), |key| {
            DsnError::InvalidValue((*key).to_owned())
        })
    }
}

fn ssl_mode(value: &str) -> Result<SslMode, DsnError> {
    Ok(match value {
        "disable" => SslMode::Disable,
        "allow" => SslMode::Allow,
        "prefer" => SslMode::Prefer,
        "require" => SslMode::Require,
        "verify-ca" => SslMode::VerifyCa,
        "verify-full" => SslMode::VerifyFull,
        _ => return Err(DsnError::InvalidValue("sslmode".to_owned())),
    })
}

fn root_certificates(value: String) -> RootCertificates {
    if value == "system" {
        RootCertificates::System
    } else {
        RootCertificates::File(value.into())
    }
}

fn needs_read_write(value: &str) -> Result<bool, DsnError> {
    match value {
        "any" => Ok(false),
        // A sink must write: preferring a standby can only mean any server.
        "read-write" | "primary" | "prefer-standby" => Ok(true),
        "read-only" | "standby" => Err(DsnError::ReadOnly),
        _ => Err(DsnError::InvalidValue("target_session_attrs".to_owned())),
    }
}

/// Names of server settings: `statement_timeout`, `search_path`, `my_extension.setting`.
fn is_setting_name(name: &str) -> bool {
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts_well && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c))
}

fn escape(value: &str, special: &[char]) -> String {
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        if special.contains(&c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

fn endpoints(config: &Config) -> Result<Vec<Endpoint>, DsnError> {
    let (hosts, addresses, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
    let count = hosts.len().max(addresses.len());
    if count == 0 {
        return Err(DsnError::NoHost);
    }
    if (!hosts.is_empty() && !addresses.is_empty() && hosts.len() != addresses.len())
        || (ports.len() > 1 && ports.len() != count)
    {
        return Err(DsnError::Malformed("the numbers of hosts, addresses and ports differ"));
    }
    let endpoint = |index: usize| {
        let address = addresses.get(index).copied();
        let host = match hosts.get(index) {
            Some(Host::Tcp(host)) => host.clone(),
            #[cfg(unix)]
            Some(Host::Unix(_)) => return Err(DsnError::UnixSocket),
            None => String::new(),
        };
        let host = match (host.is_empty(), address) {
            (false, _) => host,
            (true, Some(address)) => address.to_string(),
            (true, None) => return Err(DsnError::NoHost),
        };
        let port = ports.get(index).or(ports.first()).copied().unwrap_or(5432);
        Ok(Endpoint { host, address, port })
    };
    (0..count).map(endpoint).collect()
}
