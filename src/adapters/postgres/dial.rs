//! Opens sessions: resolves, asks the endpoint guard, connects, encrypts, logs in.
//!
//! The guard judges the address that is connected to, not a name that could resolve differently a moment later.

use std::net::{IpAddr, SocketAddr};

use kollect_domain::condition::reason;
use kollect_ports::error::ErrorClass;
use rand::seq::SliceRandom as _;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::config::SslMode as WireSslMode;
use tokio_postgres::tls::NoTls;
use tokio_postgres::{Client, SimpleQueryMessage};

use super::connection::{Canceller, Connection};
use super::dsn::Endpoint;
use super::failure::{Effect, Failure, chain, during};
use super::settings::Settings;
use super::tls::{Encryption, connector};
use crate::endpoint::EndpointPolicy;

const STAGE: &str = "postgres connect";

/// Opens a session on the first server that takes one.
pub(super) async fn connect(settings: &Settings, policy: &EndpointPolicy) -> Result<Connection, Failure> {
    let mut endpoints: Vec<&Endpoint> = settings.dsn.endpoints.iter().collect();
    if settings.dsn.shuffle {
        endpoints.shuffle(&mut rand::rng());
    }
    let mut failures = Vec::new();
    for endpoint in endpoints {
        match (Dialer {
            settings,
            policy,
            endpoint,
        })
        .connect()
        .await
        {
            Ok(connection) => return Ok(connection),
            Err(failure) => failures.push(failure),
        }
        // Another server of the same database would refuse the same login.
        if failures.last().is_some_and(is_refused_login) {
            break;
        }
    }
    Err(summary(failures))
}

/// Connects to one endpoint.
#[derive(Clone, Copy)]
struct Dialer<'a> {
    settings: &'a Settings,
    policy: &'a EndpointPolicy,
    endpoint: &'a Endpoint,
}

impl Dialer<'_> {
    async fn connect(self) -> Result<Connection, Failure> {
        let host = &self.endpoint.host;
        self.policy
            .check_host(host)
            .map_err(|denied| Failure::from(kollect_ports::error::PortError::from(denied)))?;
        let mut failures = Vec::new();
        for address in self.resolve().await? {
            match self.connect_to(address).await {
                Ok(connection) => return Ok(connection),
                Err(failure) => failures.push(failure),
            }
        }
        Err(summary(failures))
    }

    async fn resolve(&self) -> Result<Vec<IpAddr>, Failure> {
        let host = &self.endpoint.host;
        if let Some(address) = self.endpoint.address.or_else(|| host.parse().ok()) {
            return Ok(vec![address]);
        }
        let found = timeout(
            self.settings.dsn.connect_timeout,
            lookup_host((host.as_str(), self.endpoint.port)),
        )
        .await;
        match found {
            Ok(Ok(addresses)) => Ok(addresses.map(|address| address.ip()).collect()),
            Ok(Err(error)) => Err(Failure::reconnect(format!(
                "{STAGE}: host \"{host}\" cannot be resolved: {error}"
            ))),
            Err(_) => Err(Failure::reconnect(format!(
                "{STAGE}: host \"{host}\" cannot be resolved in time"
            ))),
        }
    }

    async fn connect_to(self, address: IpAddr) -> Result<Connection, Failure> {
        let host = &self.endpoint.host;
        self.policy
            .check_address(host, address)
            .map_err(|denied| Failure::from(kollect_ports::error::PortError::from(denied)))?;
        let address = SocketAddr::new(address, self.endpoint.port);
        let mut last = None;
        for encryption in self.settings.plan.attempts {
            match timeout(self.settings.dsn.connect_timeout, self.attempt(address, *encryption)).await {
                Ok(Ok(connection)) => return Ok(connection),
                Ok(Err(failure)) => {
                    let other_encryption_may_help = failure.encryption_may_help;
                    last = Some(failure.failure);
                    if !other_encryption_may_help {
                        break;
                    }
                }
                Err(_) => {
                    last = Some(Failure::reconnect(format!(
                        "{STAGE}: {host} ({address}) does not answer in time"
                    )));
                    break;
                }
            }
        }
        Err(last.unwrap_or_else(|| Failure::reconnect(format!("{STAGE}: no attempt was made"))))
    }

    async fn attempt(self, address: SocketAddr, encryption: Encryption) -> Result<Connection, AttemptFailure> {
        let stream = self.open(address).await.map_err(AttemptFailure::settled)?;
        let mut config = self.settings.dsn.config.clone();
        let (client, driver, tls) = match (&self.settings.tls, encryption) {
            (None, _) | (_, Encryption::Never) => {
                let (client, connection) = config
                    .connect_raw(stream, NoTls)
                    .await
                    .map_err(|e| self.refused(address, &e))?;
                (client, drive(connection), None)
            }
            (Some(tls), _) => {
                config.ssl_mode(if encryption == Encryption::Always {
                    WireSslMode::Require
                } else {
                    WireSslMode::Prefer
                });
                let host = self.endpoint.host.clone();
                let (client, connection) = config
                    .connect_raw(stream, connector(tls, &host))
                    .await
                    .map_err(|e| self.refused(address, &e))?;
                (client, drive(connection), Some((host, tls.clone())))
            }
        };
        let canceller = Canceller {
            token: client.cancel_token(),
            address,
            tls,
        };
        if self.settings.dsn.read_write {
            self.require_read_write(&client, address)
                .await
                .map_err(AttemptFailure::settled)?;
        }
        Ok(Connection::new(client, driver, canceller, self.settings.dsn.session))
    }

    async fn open(&self, address: SocketAddr) -> Result<TcpStream, Failure> {
        let cannot =
            |error: std::io::Error| Failure::reconnect(format!("{STAGE}: {} ({address}): {error}", self.endpoint.host));
        let stream = TcpStream::connect(address).await.map_err(cannot)?;
        stream.set_nodelay(true).map_err(cannot)?;
        if let Some(idle) = self.settings.dsn.keepalive {
            let keepalive = TcpKeepalive::new().with_time(idle);
            SockRef::from(&stream).set_tcp_keepalive(&keepalive).map_err(cannot)?;
        }
        Ok(stream)
    }

    /// A handshake or login that failed.
    fn refused(&self, address: SocketAddr, error: &tokio_postgres::Error) -> AttemptFailure {
        let code = error.code().map(tokio_postgres::error::SqlState::code);
        let mut failure = Failure::of(STAGE, error);
        if code.is_none() {
            failure.error.message = format!("{STAGE}: {} ({address}): {}", self.endpoint.host, chain(error));
        }
        AttemptFailure {
            failure,
            // No SQLSTATE: the TLS handshake failed. 28000: pg_hba.conf has no entry for this kind of connection.
            encryption_may_help: matches!(code, None | Some("28000")),
        }
    }

    async fn require_read_write(&self, client: &Client, address: SocketAddr) -> Result<(), Failure> {
        let answer = client
            .simple_query("SHOW transaction_read_only")
            .await
            .map_err(during(STAGE))?;
        let read_only = answer.iter().any(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0) == Some("on"),
            _ => false,
        });
        if read_only {
            let host = &self.endpoint.host;
            return Err(Failure::reconnect(format!(
                "{STAGE}: {host} ({address}) accepts no writes at present"
            )));
        }
        Ok(())
    }
}

struct AttemptFailure {
    failure: Failure,
    encryption_may_help: bool,
}

impl AttemptFailure {
    fn settled(failure: Failure) -> Self {
        Self {
            failure,
            encryption_may_help: false,
        }
    }
}

/// Drives a session until it ends or is given up.
fn drive<T>(connection: tokio_postgres::Connection<TcpStream, T>) -> JoinHandle<()>
where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    tokio::spawn(async move {
        // Whoever waits for an answer gets the error; nobody else needs it.
        let _ = connection.await;
    })
}

fn is_refused_login(failure: &Failure) -> bool {
    failure.effect == Effect::Reconnect && failure.error.class == ErrorClass::Misconfigured
}

/// One failure for several: what passes by itself decides, since it may be the only thing in the way.
fn summary(failures: Vec<Failure>) -> Failure {
    let messages: Vec<String> = failures.iter().map(|failure| failure.error.message.clone()).collect();
    let decisive = failures
        .iter()
        .position(is_refused_login)
        .or_else(|| {
            failures
                .iter()
                .position(|failure| failure.error.class != ErrorClass::Misconfigured)
        })
        .unwrap_or(0);
    match failures.into_iter().nth(decisive) {
        Some(mut failure) => {
            failure.error.message = messages.join("; ");
            failure
        }
        None => Failure::stop(
            ErrorClass::Unavailable,
            reason::SINK_UNREACHABLE,
            format!("{STAGE}: the host has no address"),
        ),
    }
}
