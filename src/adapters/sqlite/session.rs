//! One open file, with what was learned since it was opened.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kollect_domain::ids::InventoryKey;
use rusqlite::{Connection, OpenFlags};

use super::failure::{Effect, Failure, during};
use super::statements::Statements;

const OPEN: &str = "sqlite open";
const BEGIN: &str = "sqlite export: begin tx";
const COMMIT: &str = "sqlite export: commit tx";
/// Longest wait for another program that writes to the file.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Statements that are kept prepared; all of one destination fit.
const STATEMENTS: usize = 32;
/// NORMAL: a commit survives the end of the program, and the last ones before a power failure may be lost, after which
/// the file is consistent and the next comparison writes them again. The negative cache size counts KiB.
const SETTINGS: &str = "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192; PRAGMA journal_size_limit = 16777216; \
    PRAGMA trusted_schema = OFF";

/// An open file.
///
/// Dropping it closes the file; a transaction that is open is undone.
pub(super) struct Session {
    pub(super) connection: Connection,
    path: PathBuf,
    identity: Option<FileIdentity>,
    /// Inventories that were claimed in this session.
    pub(super) claimed: HashSet<InventoryKey>,
    /// Identifies this session among all sessions of this writer.
    pub(super) token: String,
    /// The statements of the destination, once it was prepared or checked in this session.
    pub(super) destination: Option<Arc<Statements>>,
}

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Opening {
    /// Creates the file if it does not exist.
    pub(super) create: bool,
    /// Follows no symbolic link.
    pub(super) confined: bool,
}

/// Device and number of a file: another one may take its name.
pub(super) type FileIdentity = (u64, u64);

impl Session {
    /// Opens a file.
    pub(super) fn open(path: PathBuf, opening: Opening) -> Result<Self, Failure> {
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags.set(OpenFlags::SQLITE_OPEN_CREATE, opening.create);
        flags.set(OpenFlags::SQLITE_OPEN_NOFOLLOW, opening.confined);
        if !opening.create && !path.exists() {
            return Err(Failure::incompatible(format!(
                "{OPEN}: the file does not exist and spec.provisioning.mode is existing; create it"
            )));
        }
        let connection = Connection::open_with_flags(&path, flags).map_err(during(OPEN))?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(during(OPEN))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection.execute_batch(SETTINGS).map_err(during(OPEN))?;
        let token = connection
            .query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0))
            .map_err(during(OPEN))?;
        Ok(Self {
            identity: identity(&path),
            connection,
            path,
            claimed: HashSet::new(),
            token,
            destination: None,
        })
    }

    /// Whether the file is still the one of its name.
    pub(super) fn is_current(&self) -> bool {
        identity(&self.path) == self.identity
    }

    /// Lets readers work while this program writes.
    pub(super) fn use_write_ahead_log(&self) -> Result<(), Failure> {
        let mode: String = self
            .connection
            .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
            .map_err(during(OPEN))?;
        if mode == "wal" {
            return Ok(());
        }
        Err(Failure::incompatible(format!(
            "{OPEN}: the file system does not allow several programs to use one file (journal mode {mode}); \
             put the file on a local disk"
        )))
    }

    /// Runs `body` as one transaction, alone among all writers.
    pub(super) fn transaction<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        self.connection
            .execute_batch("BEGIN IMMEDIATE")
            .map_err(during(BEGIN))?;
        let outcome = body(self).and_then(|output| {
            self.connection.execute_batch("COMMIT").map_err(during(COMMIT))?;
            Ok(output)
        });
        if self.connection.is_autocommit() {
            return outcome;
        }
        match self.connection.execute_batch("ROLLBACK") {
            Ok(()) => outcome,
            // Closing the file undoes it as well.
            Err(_) => outcome.map_err(|failure| Failure {
                effect: Effect::Reopen,
                ..failure
            }),
        }
    }
}

/// Which file has this name at present.
#[cfg(unix)]
pub(super) fn identity(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt as _;
    let found = path.metadata().ok()?;
    Some((found.dev(), found.ino()))
}

/// Whether there is a file; one that is open cannot be replaced here.
#[cfg(not(unix))]
pub(super) fn identity(path: &Path) -> Option<FileIdentity> {
    path.exists().then_some((0, 0))
}
