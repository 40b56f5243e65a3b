//! The open files of a reader.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kollect_domain::condition::reason;
use kollect_ports::error::{ErrorClass, PortError};
use rusqlite::{Connection, OpenFlags, ffi};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::listing;
use crate::sqlite::failure::{Effect, Failure, during};
use crate::sqlite::session::{FileIdentity, identity};
use crate::sqlite::watch::Watch;

const STAGE: &str = "sqlite read";
/// Questions that are answered at once; more would only compete for the same disk.
const MOST_OPEN: usize = 3;
/// Wait for a program that repairs the file after another one was killed.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
/// Time for an answer that was stopped to say so.
const GRACE: Duration = BUSY_TIMEOUT.saturating_add(Duration::from_secs(1));
const SETTINGS: &str = "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -8192";

/// Opens one file as often as it is asked about at once, within bounds.
#[derive(Debug)]
pub(super) struct Pool {
    file: PathBuf,
    limit: Duration,
    turns: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Opened>>>,
}

#[derive(Debug)]
struct Opened {
    connection: Connection,
    identity: Option<FileIdentity>,
    /// Whether the file was taken for one that nobody changes.
    frozen: bool,
}

impl Pool {
    pub(super) fn new(file: PathBuf, limit: Duration) -> Self {
        Self {
            file,
            limit,
            turns: Arc::new(Semaphore::new(MOST_OPEN)),
            idle: Arc::default(),
        }
    }

    pub(super) fn with_time_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Answers a question from one state of the file.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, PortError> {
        let watch = Watch::until(Instant::now() + self.limit);
        let _cancel_on_drop = watch.cancel_on_drop();
        let work = async {
            // The semaphore is never closed, so the error means nothing.
            let turn = self.turns.clone().acquire_owned().await.ok();
            let (file, idle, watch) = (self.file.clone(), self.idle.clone(), watch.clone());
            let answer = tokio::task::spawn_blocking(move || {
                let answer = answer(&file, &idle, (&watch, question));
                drop(turn);
                answer
            });
            answer.await
        };
        match timeout(self.limit + GRACE, work).await {
            Ok(Ok(Err(failure))) if failure.effect == Effect::Stopped => Err(listing::overdue(self.limit)),
            Ok(Ok(outcome)) => outcome.map_err(|failure| failure.at(&self.file).error),
            Ok(Err(_)) => Err(PortError::new(
                ErrorClass::Transient,
                reason::SINK_UNREACHABLE,
                format!("{STAGE}: the work was interrupted"),
            )),
            Err(_) => Err(listing::overdue(self.limit)),
        }
    }
}

fn answer<T>(
    file: &Path,
    idle: &Mutex<Vec<Opened>>,
    (watch, question): (&Arc<Watch>, impl FnOnce(&Connection) -> Result<T, Failure>),
) -> Result<T, Failure> {
    let file = std::path::absolute(file).map_err(|error| missing(&error.to_string()))?;
    let waiting = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut opened = match waiting.filter(|opened| opened.identity == identity(&file)) {
        Some(opened) => opened,
        None => open(&file)?,
    };
    watch.start(&mut opened.connection).map_err(during(STAGE))?;
    let connection = &opened.connection;
    let outcome = connection
        .execute_batch("BEGIN")
        .map_err(during(STAGE))
        .and_then(|()| question(connection));
    Watch::stop(&mut opened.connection).map_err(during(STAGE))?;
    let ended = opened.connection.is_autocommit() || opened.connection.execute_batch("ROLLBACK").is_ok();
    let reopen = outcome.as_ref().is_err_and(|failure| failure.effect == Effect::Reopen);
    if ended && !reopen && !opened.frozen {
        idle.lock().unwrap_or_else(PoisonError::into_inner).push(opened);
    }
    outcome
}

/// Opens a file for reading.
///
/// A file with a write-ahead log needs its companions, which cannot be made in a folder that is read-only. Without a log
/// nobody is writing at present, so the file alone is read, for this once.
fn open(file: &Path) -> Result<Opened, Failure> {
    if !file.exists() {
        return Err(missing("it does not exist"));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let normal =
        Connection::open_with_flags(file, flags).and_then(|connection| usable(&connection).map(|()| connection));
    let (connection, frozen) = match normal {
        Ok(connection) => (connection, false),
        Err(error) if cannot_have_companions(&error) && !has_log(file) => {
            let uri = flags | OpenFlags::SQLITE_OPEN_URI;
            let connection = Connection::open_with_flags(frozen(file), uri).map_err(during(STAGE))?;
            usable(&connection).map_err(during(STAGE))?;
            (connection, true)
        }
        Err(error) => return Err(Failure::of(STAGE, &error)),
    };
    Ok(Opened {
        connection,
        identity: identity(file),
        frozen,
    })
}

/// Sets the connection up and reads for the first time.
fn usable(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch(SETTINGS)?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

fn cannot_have_companions(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code & 0xff);
    matches!(code, Some(ffi::SQLITE_CANTOPEN | ffi::SQLITE_READONLY))
}

fn has_log(file: &Path) -> bool {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    Path::new(&log).metadata().is_ok_and(|log| log.len() > 0)
}

/// The address of a file that is taken for one that nobody changes.
///
/// **Source**: `SQLite` documentation, "Uniform Resource Identifiers".
fn frozen(file: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in file.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => uri.push(char::from(*byte)),
            byte => uri.extend([format!("%{byte:02X}")]),
        }
    }
    uri + "?immutable=1"
}

fn missing(problem: &str) -> Failure {
    Failure::stop(
        ErrorClass::Unavailable,
        reason::SINK_UNREACHABLE,
        format!("{STAGE}: the file cannot be opened: {problem}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_nobody_can_write_beside_is_read_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ä %?#.db");
        Connection::open(&path)
            .unwrap()
            .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (7)")
            .unwrap();
        assert!(!has_log(&path));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(frozen(&path), flags).unwrap();
        usable(&connection).unwrap();
        let stored: i64 = connection.query_row("SELECT a FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(stored, 7);
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing was made beside it"
        );
    }
}
