//! The sessions of a reader.

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kollect_domain::condition::reason;
use kollect_domain::config::sink::{SecretRef, Tls};
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::secrets::SecretReader;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::queries::Queries;
use crate::endpoint::EndpointPolicy;
use crate::listing;
use crate::postgres::connection::Connection;
use crate::postgres::dial;
use crate::postgres::failure::{Effect, Failure};
use crate::postgres::settings::Settings;

pub(super) const STAGE: &str = "postgres read";
/// Name under which the sessions appear in `pg_stat_activity`.
const APPLICATION_NAME: &str = "kollect-ui";
/// Sessions at once: a server has few of them for everybody.
const MOST_SESSIONS: usize = 3;
/// Time to read the Secrets and to connect.
const CONNECT_DEADLINE: Duration = Duration::from_secs(15);
/// Time for a server that stopped a statement to say so.
const GRACE: Duration = Duration::from_secs(2);
/// Times that a question is asked when sessions turn out to be lost.
const ATTEMPTS: usize = 3;

/// Something to find out in one transaction.
pub(super) trait Question: Sync {
    /// The answer.
    type Answer: Send;

    /// Finds it out; may be called again after any failure.
    fn ask(
        &self,
        session: &mut Connection,
        queries: &Queries,
    ) -> impl Future<Output = Result<Self::Answer, Failure>> + Send;
}

/// What a session is opened with.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) secrets: Arc<dyn SecretReader>,
    pub(super) policy: Arc<EndpointPolicy>,
    pub(super) database: SecretRef,
    pub(super) tls: Tls,
}

/// Opens as many sessions as are needed at once, within bounds.
pub(super) struct Pool {
    access: Access,
    queries: Queries,
    limit: Duration,
    turns: Semaphore,
    idle: Mutex<Vec<Connection>>,
    /// Whether a pooler was seen that does not keep prepared statements.
    pooled: AtomicBool,
}

impl Pool {
    pub(super) fn new(access: Access, queries: Queries, limit: Duration) -> Self {
        Self {
            access,
            queries,
            limit,
            turns: Semaphore::new(MOST_SESSIONS),
            idle: Mutex::default(),
            pooled: AtomicBool::new(false),
        }
    }

    pub(super) fn with_time_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Answers a question from one state of the database.
    pub(super) async fn ask<Q: Question>(&self, question: &Q) -> Result<Q::Answer, PortError> {
        let Ok(turn) = timeout(self.limit, self.turns.acquire()).await else {
            return Err(listing::overdue(self.limit));
        };
        let mut attempt = 1;
        let outcome = loop {
            let (mut session, is_new) = self.session().await.map_err(|failure| failure.error)?;
            let canceller = session.canceller();
            let Ok(outcome) = timeout(self.limit + GRACE, self.answer(&mut session, question)).await else {
                canceller.cancel().await;
                break Err(listing::overdue(self.limit));
            };
            let failure = match outcome {
                Ok(answer) => {
                    self.keep(session);
                    break Ok(answer);
                }
                Err(failure) => failure,
            };
            let again = match failure.effect {
                Effect::Repeat => true,
                Effect::Unprepared => {
                    self.pooled.store(true, Ordering::Relaxed);
                    session.keeps_statements()
                }
                Effect::Reconnect => !is_new,
                Effect::Stop | Effect::Row => false,
            };
            if failure.effect != Effect::Reconnect {
                self.keep(session);
            }
            if !again || attempt == ATTEMPTS {
                break Err(failure.error);
            }
            attempt += 1;
        };
        drop(turn);
        outcome
    }

    /// Asks inside a transaction; a session that is in doubt afterwards is to be given up.
    async fn answer<Q: Question>(&self, session: &mut Connection, question: &Q) -> Result<Q::Answer, Failure> {
        let begin = format!(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = {}",
            self.limit.as_millis()
        );
        session
            .client()
            .batch_execute(&begin)
            .await
            .map_err(|error| failed(&error))?;
        let outcome = question.ask(session, &self.queries).await;
        let ended = session.client().batch_execute("ROLLBACK").await;
        match (outcome, ended) {
            (outcome, Ok(())) => outcome,
            (Ok(_), Err(error)) => Err(failed(&error)),
            (Err(failure), Err(_)) => Err(Failure {
                effect: Effect::Reconnect,
                ..failure
            }),
        }
    }

    /// A session, and whether it was opened just now.
    async fn session(&self) -> Result<(Connection, bool), Failure> {
        let waiting = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let (mut session, is_new) = match waiting.filter(|session| !session.is_closed()) {
            Some(session) => (session, false),
            None => (self.connect().await?, true),
        };
        if self.pooled.load(Ordering::Relaxed) {
            session.stop_keeping_statements();
        }
        Ok((session, is_new))
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        let Access {
            secrets,
            policy,
            database,
            tls,
        } = &self.access;
        let connected = timeout(CONNECT_DEADLINE, async {
            let mut settings = Settings::read(secrets, database, tls).await?;
            settings.dsn.config.application_name(APPLICATION_NAME);
            // A server that accepts no writes can be read.
            settings.dsn.read_write = false;
            dial::connect(&settings, policy).await
        });
        connected.await.unwrap_or_else(|_| {
            Err(Failure::stop(
                ErrorClass::Unavailable,
                reason::SINK_UNREACHABLE,
                "postgres connect: the server does not answer in time",
            ))
        })
    }

    fn keep(&self, session: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(session);
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("access", &self.access)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// An error of the driver.
pub(super) fn failed(error: &tokio_postgres::Error) -> Failure {
    let mut failure = Failure::of(STAGE, error);
    if error.code() == Some(&tokio_postgres::error::SqlState::QUERY_CANCELED) {
        failure.error.reason = kollect_ports::query::QUERY_TIMEOUT;
    }
    failure
}
