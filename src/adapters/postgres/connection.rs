//! One session on the server.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::TryStreamExt as _;
use kollect_domain::ids::InventoryKey;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::tls::NoTls;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{CancelToken, Client, Error, Row, RowStream, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::dsn::SessionOptions;
use super::statements::Statements;
use super::tls::connector;

/// Time to ask the server to stop working on something nobody waits for any more.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);

/// A parameter with its type, as statements take them.
pub(super) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// A session, with what was learned in it.
///
/// Dropping it ends the task that drives it and closes the socket; the server then rolls back what is open.
pub(super) struct Connection {
    client: Client,
    driver: JoinHandle<()>,
    canceller: Canceller,
    statements: HashMap<String, Statement>,
    /// Whether statements may be kept prepared.
    named_statements: bool,
    /// Whether the server's own timeout is left to the connection string.
    pub(super) sets_statement_timeout: bool,
    /// Inventories that were claimed in this session.
    pub(super) claimed: HashSet<InventoryKey>,
    /// Identifies this session among all sessions of this writer.
    pub(super) token: String,
    /// The statements of the destination, once it was prepared or checked in this session.
    pub(super) destination: Option<Arc<Statements>>,
}

/// How to reach the server a second time, to cancel.
#[derive(Clone)]
pub(super) struct Canceller {
    pub(super) token: CancelToken,
    pub(super) address: SocketAddr,
    /// Host name and configuration, if the session is encrypted.
    pub(super) tls: Option<(String, MakeRustlsConnect)>,
}

/// A statement that is ready to run.
#[derive(Clone)]
pub(super) enum Prepared {
    /// Kept by the server.
    Named(Statement),
    /// Sent as text each time.
    Text(String),
}

impl Connection {
    pub(super) fn new(client: Client, driver: JoinHandle<()>, canceller: Canceller, options: SessionOptions) -> Self {
        Self {
            client,
            driver,
            canceller,
            statements: HashMap::new(),
            named_statements: options.named_statements,
            sets_statement_timeout: options.sets_statement_timeout,
            claimed: HashSet::new(),
            token: format!("{:032x}", rand::random::<u128>()),
            destination: None,
        }
    }

    /// The driver's client, for what takes no parameters.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// True when the session ended.
    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// True when statements are kept prepared on the server.
    pub(super) fn keeps_statements(&self) -> bool {
        self.named_statements
    }

    /// Sends statements as text from now on.
    pub(super) fn stop_keeping_statements(&mut self) {
        self.named_statements = false;
        self.statements.clear();
    }

    /// How to cancel what the session is doing.
    pub(super) fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Prepares a statement once per session.
    ///
    /// The texts that are prepared come from a fixed set per table, which bounds the cache.
    pub(super) async fn prepare(&mut self, sql: &str, types: &[Type]) -> Result<Prepared, Error> {
        if !self.named_statements {
            return Ok(Prepared::Text(sql.to_owned()));
        }
        if let Some(statement) = self.statements.get(sql) {
            return Ok(Prepared::Named(statement.clone()));
        }
        let statement = self.client.prepare_typed(sql, types).await?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(Prepared::Named(statement))
    }

    /// Runs a prepared statement and collects its rows.
    pub(super) async fn run(&self, statement: &Prepared, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, Error> {
        self.stream(statement, parameters).await?.try_collect().await
    }

    /// Runs a prepared statement and gives its rows as they arrive.
    pub(super) async fn stream(&self, statement: &Prepared, parameters: &[Parameter<'_>]) -> Result<RowStream, Error> {
        match statement {
            Prepared::Named(statement) => {
                let values = parameters.iter().map(|(value, _)| *value);
                self.client.query_raw(statement, values).await
            }
            Prepared::Text(sql) => {
                let typed = parameters.iter().map(|(value, kind)| (*value, kind.clone()));
                self.client.query_typed_raw(sql, typed).await
            }
        }
    }

    /// Prepares a statement and runs it.
    pub(super) async fn query(&mut self, sql: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, Error> {
        let types: Vec<Type> = parameters.iter().map(|(_, kind)| kind.clone()).collect();
        let statement = self.prepare(sql, &types).await?;
        self.run(&statement, parameters).await
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Canceller {
    /// Asks the server to stop; whether it does is not known.
    ///
    /// Without this, a server that was too slow would go on with work that nobody waits for.
    pub(super) async fn cancel(self) {
        let request = async {
            let Ok(stream) = TcpStream::connect(self.address).await else {
                return;
            };
            // The outcome is of no use: the session is given up in any case.
            let _ = match self.tls {
                None => self.token.cancel_query_raw(stream, NoTls).await,
                Some((host, tls)) => self.token.cancel_query_raw(stream, connector(&tls, &host)).await,
            };
        };
        // A server that does not even accept this has nothing to cancel.
        let _ = timeout(CANCEL_TIMEOUT, request).await;
    }
}
