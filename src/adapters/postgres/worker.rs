//! Runs jobs on the sink's one session, and keeps that session usable.
//!
//! A job owns the session while it runs. It goes back only when its state is known: a job that fails in doubt, runs out
//! of time or is cancelled takes the session with it, and the next job opens a new one with freshly read Secrets.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use kollect_domain::condition::reason;
use kollect_domain::config::sink::{SecretRef, Tls};
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::secrets::SecretReader;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::timeout;

use super::connection::{Canceller, Connection};
use super::dial;
use super::failure::{Effect, Failure};
use super::schema::Layout;
use super::settings::Settings;
use super::statements::Statements;
use crate::endpoint::EndpointPolicy;

/// Time to read the Secrets, connect, and prepare the destination.
const CONNECT_DEADLINE: Duration = Duration::from_secs(30);
/// Times a job is run when the server asks for it to be repeated.
const ATTEMPTS: u32 = 5;
/// Longest pause before a repetition; doubles from a sixteenth, with jitter, so that rivals part.
const LONGEST_PAUSE: Duration = Duration::from_millis(400);

/// Work for one session.
pub(super) trait Job: Sync {
    /// What the work gives.
    type Output: Send;

    /// Does the work; it may be run again after any failure.
    fn run(
        &self,
        connection: &mut Connection,
        statements: &Statements,
    ) -> impl Future<Output = Result<Self::Output, Failure>> + Send;
}

/// What a session is opened with.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) secrets: Arc<dyn SecretReader>,
    pub(super) policy: Arc<EndpointPolicy>,
    pub(super) database: SecretRef,
    pub(super) tls: Tls,
    pub(super) layout: Layout,
}

/// The session of one sink, and how to open another.
pub(super) struct Worker {
    access: Access,
    session: Arc<Mutex<Option<Connection>>>,
    /// Whether a pooler was seen that does not keep prepared statements.
    pooled: AtomicBool,
}

/// The right to use the session.
pub(super) type SessionGuard = OwnedMutexGuard<Option<Connection>>;

impl Worker {
    pub(super) fn new(access: Access) -> Self {
        Self {
            access,
            session: Arc::new(Mutex::new(None)),
            pooled: AtomicBool::new(false),
        }
    }

    /// Runs a job to its end or its deadline, waiting for the session included.
    pub(super) async fn perform<J: Job>(&self, job: &J, deadline: Duration) -> Result<J::Output, PortError> {
        Ok(self.begin(job, deadline).await?.0)
    }

    /// Runs a job as [`Worker::perform`] does and keeps the session, for a stream that goes on using it.
    pub(super) async fn begin<J: Job>(
        &self,
        job: &J,
        deadline: Duration,
    ) -> Result<(J::Output, SessionGuard), PortError> {
        // How to cancel what this job, and no other, has the server do at present.
        let under_way = UnderWay::default();
        let work = async {
            let mut session = self.session.clone().lock_owned().await;
            let output = self.repeat(job, &mut session, &under_way).await?;
            Ok((output, session))
        };
        let Ok(outcome) = timeout(deadline, work).await else {
            if let Some(canceller) = under_way.set(None) {
                canceller.cancel().await;
            }
            return Err(overdue(deadline));
        };
        outcome.map_err(|failure: Failure| failure.error)
    }

    async fn repeat<J: Job>(
        &self,
        job: &J,
        session: &mut SessionGuard,
        under_way: &UnderWay,
    ) -> Result<J::Output, Failure> {
        let mut attempt = 1;
        loop {
            let (mut connection, statements) = self.ready(session.take()).await?;
            under_way.set(Some(connection.canceller()));
            let outcome = job.run(&mut connection, &statements).await;
            under_way.set(None);
            let failure = match outcome {
                Ok(output) => {
                    **session = Some(connection);
                    return Ok(output);
                }
                Err(failure) => failure,
            };
            let again = match failure.effect {
                Effect::Repeat => true,
                Effect::Unprepared => {
                    self.pooled.store(true, Ordering::Relaxed);
                    connection.keeps_statements()
                }
                // The destination may have been dropped or altered: look again, and do it again if it can be used.
                Effect::Stop if failure.error.reason == reason::DESTINATION_INCOMPATIBLE => {
                    connection.destination.take().is_some() && attempt == 1
                }
                Effect::Stop | Effect::Row | Effect::Reconnect => false,
            };
            if failure.effect != Effect::Reconnect {
                **session = Some(connection);
            }
            if !again || attempt == ATTEMPTS {
                return Err(failure);
            }
            pause(attempt).await;
            attempt += 1;
        }
    }

    /// A session that is open and whose destination is known.
    async fn ready(&self, idle: Option<Connection>) -> Result<(Connection, Arc<Statements>), Failure> {
        let prepared = timeout(CONNECT_DEADLINE, async {
            let mut connection = match idle.filter(|connection| !connection.is_closed()) {
                Some(connection) => connection,
                None => self.connect().await?,
            };
            if self.pooled.load(Ordering::Relaxed) {
                connection.stop_keeping_statements();
            }
            let statements = match &connection.destination {
                Some(known) => known.clone(),
                None => Arc::new(self.access.layout.prepare(&connection).await?),
            };
            connection.destination = Some(statements.clone());
            Ok((connection, statements))
        });
        prepared.await.unwrap_or_else(|_| {
            Err(Failure::reconnect(
                "postgres connect: the server does not answer in time",
            ))
        })
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        let Access {
            secrets,
            policy,
            database,
            tls,
            ..
        } = &self.access;
        let settings = Settings::read(secrets, database, tls).await?;
        dial::connect(&settings, policy).await
    }
}

/// What a job has the server do at present, if anything.
#[derive(Default)]
struct UnderWay(StdMutex<Option<Canceller>>);

impl UnderWay {
    /// Replaces what is known and gives what was known before.
    fn set(&self, canceller: Option<Canceller>) -> Option<Canceller> {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), canceller)
    }
}

fn overdue(deadline: Duration) -> PortError {
    let message = format!(
        "postgres export: the server did not finish within {} s",
        deadline.as_secs()
    );
    PortError::new(ErrorClass::Unavailable, reason::SINK_UNREACHABLE, message)
}

async fn pause(attempt: u32) {
    let longest = LONGEST_PAUSE / 2u32.pow(ATTEMPTS.saturating_sub(attempt));
    tokio::time::sleep(longest.mul_f64(rand::random_range(0.5..1.0))).await;
}
