//! Runs jobs on the sink's one session, on a thread that may block, and keeps that session usable.
//!
//! A job owns the session while it runs, whatever becomes of its caller. When the caller goes away or the time is up,
//! the job is stopped, its transaction undone, and the next job finds the session as it was before.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kollect_domain::condition::reason;
use kollect_ports::error::{ErrorClass, PortError};
use rusqlite::ffi;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::timeout;

use super::failure::{Effect, Failure, during};
use super::place::Place;
use super::schema::Layout;
use super::session::{BUSY_TIMEOUT, Opening, Session};
use super::statements::Statements;
use super::watch::Watch;

const STAGE: &str = "sqlite open";
/// Time for a job that was stopped to say so, a wait for another program included.
const GRACE: Duration = BUSY_TIMEOUT.saturating_add(Duration::from_secs(1));
/// Times a job is run when the tables were changed by another program meanwhile.
const ATTEMPTS: usize = 2;

/// What a session is opened with.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) place: Place,
    pub(super) layout: Layout,
    /// Most pages that the file may have, in place of a disk that is full.
    #[cfg(test)]
    pub(super) most_pages: Option<u32>,
}

/// The session of one sink, and how to open another.
#[derive(Clone)]
pub(super) struct Worker {
    access: Arc<Access>,
    session: Arc<Mutex<Option<Session>>>,
}

impl Worker {
    pub(super) fn new(access: Access) -> Self {
        Self {
            access: Arc::new(access),
            session: Arc::new(Mutex::new(None)),
        }
    }

    /// Runs a job to its end or its deadline, waiting for the session included. The job may be run again after any
    /// failure.
    pub(super) async fn perform<T, J>(&self, deadline: Duration, job: J) -> Result<T, PortError>
    where
        T: Send + 'static,
        J: FnMut(&mut Session, &Statements) -> Result<T, Failure> + Send + 'static,
    {
        let watch = Watch::until(Instant::now() + deadline);
        let _cancel_on_drop = watch.cancel_on_drop();
        let work = async {
            let session = self.session.clone().lock_owned().await;
            let (access, watch) = (self.access.clone(), watch.clone());
            tokio::task::spawn_blocking(move || access.run(session, &watch, job)).await
        };
        match timeout(deadline + GRACE, work).await {
            Ok(Ok(outcome)) => outcome.map_err(|failure| failure.at(&self.access.place.path()).error),
            Ok(Err(_)) => Err(lost()),
            Err(_) => Err(overdue(deadline)),
        }
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Worker").field(&self.access).finish()
    }
}

impl Access {
    fn run<T>(
        &self,
        mut slot: OwnedMutexGuard<Option<Session>>,
        watch: &Arc<Watch>,
        mut job: impl FnMut(&mut Session, &Statements) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut attempt = 1;
        loop {
            if watch.is_over() {
                let stopped = rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_INTERRUPT), None);
                return Err(Failure::of(STAGE, &stopped));
            }
            let mut session = match slot.take().filter(Session::is_current) {
                Some(session) => session,
                None => self.open()?,
            };
            watch.start(&mut session.connection).map_err(during(STAGE))?;
            let outcome = self
                .prepared(&mut session)
                .and_then(|statements| job(&mut session, &statements));
            Watch::stop(&mut session.connection).map_err(during(STAGE))?;
            let failure = match outcome {
                Ok(output) => {
                    *slot = Some(session);
                    return Ok(output);
                }
                Err(failure) => failure,
            };
            let again = match failure.effect {
                Effect::Recheck => session.destination.take().is_some() && attempt < ATTEMPTS,
                Effect::Row | Effect::Stopped | Effect::Stop | Effect::Reopen => false,
            };
            if failure.effect != Effect::Reopen {
                *slot = Some(session);
            }
            if !again {
                return Err(failure);
            }
            attempt += 1;
        }
    }

    /// The statements of the destination, which is prepared once per session.
    fn prepared(&self, session: &mut Session) -> Result<Arc<Statements>, Failure> {
        if let Some(known) = &session.destination {
            return Ok(known.clone());
        }
        let statements = Arc::new(self.layout.prepare(session)?);
        session.destination = Some(statements.clone());
        Ok(statements)
    }

    fn open(&self) -> Result<Session, Failure> {
        let path = self.place.resolve()?;
        let opening = Opening {
            create: self.layout.creates(),
            confined: self.place.is_confined(),
        };
        let session = Session::open(path.clone(), opening).map_err(|failure| explained(failure, &path))?;
        #[cfg(test)]
        if let Some(pages) = self.most_pages {
            session
                .connection
                .execute_batch(&format!("PRAGMA max_page_count = {pages}"))
                .map_err(during(STAGE))?;
        }
        Ok(session)
    }
}

/// The library says only that it cannot open a file; the system knows why.
fn explained(mut failure: Failure, path: &Path) -> Failure {
    let attempt = std::fs::OpenOptions::new().read(true).append(true).open(path);
    if let Err(error) = attempt {
        failure.error.message = format!("{} ({})", failure.error.message, error.kind());
    }
    failure
}

fn lost() -> PortError {
    PortError::new(
        ErrorClass::Transient,
        reason::EXPORT_FAILED,
        "sqlite export: the work was interrupted",
    )
}

fn overdue(deadline: Duration) -> PortError {
    let message = format!(
        "sqlite export: the file system did not finish within {} s; files on network file systems are not supported",
        deadline.as_secs()
    );
    PortError::new(ErrorClass::Unavailable, reason::SINK_UNREACHABLE, message)
}
