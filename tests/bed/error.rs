//! What can go wrong in the bed, said so that a person can act on it.

use std::error::Error as _;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

/// Why a server of the bed did not do what a test asked.
///
/// `Debug` prints the same sentence as `Display`, with the causes after it, because that is what
/// `unwrap` in a test shows.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program of a server is not on this machine.
    #[error("'{program}' is not installed: run tests/bed/install.sh {server}")]
    NotInstalled {
        /// The name that `install.sh` knows.
        server: &'static str,
        /// The program that is missing.
        program: String,
    },
    /// Neither `KOLLECT_BED_DIR`, `XDG_CACHE_HOME` nor `HOME` says where the programs are.
    #[error("no folder for the test servers: set KOLLECT_BED_DIR")]
    NoBedFolder,
    /// A file or process operation failed.
    #[error("cannot {action} {subject}")]
    Io {
        /// The operation, as a verb.
        action: &'static str,
        /// The file or program.
        subject: String,
        /// What the system said.
        source: io::Error,
    },
    /// No port was free on the loopback address.
    #[error("no free port between {first} and {last} on 127.0.0.1: end other test runs")]
    NoFreePort {
        /// The first port that was considered.
        first: u16,
        /// The last port that was considered.
        last: u16,
    },
    /// A server ended, or did not answer in time.
    #[error("{server} {outcome}; its log ends with:\n{log}")]
    Server {
        /// The server.
        server: &'static str,
        /// What it did instead.
        outcome: String,
        /// The last lines of its log.
        log: LogTail,
    },
    /// A program ran and reported failure.
    #[error("{program} ended with {status}: {output}")]
    Command {
        /// The program and its first arguments.
        program: String,
        /// How it ended.
        status: ExitStatus,
        /// What it wrote to its error stream.
        output: LogTail,
    },
    /// A condition did not come true in time.
    #[error("after {deadline:?} still not true: {what}")]
    Deadline {
        /// The condition, as the caller named it.
        what: String,
        /// How long it was waited for.
        deadline: Duration,
    },
    /// A certificate could not be made.
    #[error("cannot make a certificate for the test servers")]
    Certificate(#[from] rcgen::Error),
    /// A document was not what the program that printed it promises.
    #[error("{program} printed something that is not the expected JSON")]
    Document {
        /// The program that printed it.
        program: &'static str,
        /// What the parser said.
        source: serde_json::Error,
    },
    /// The server belongs to somebody else, so a test cannot stop, start or signal it.
    #[error("{variable} names a {server} that this test does not own: unset it for tests that stop and start one")]
    NotOwned {
        /// The kind of server.
        server: &'static str,
        /// The environment name that points to it.
        variable: &'static str,
    },
    /// The one server that the tests of this process share did not start.
    #[error("the {server} shared by this process did not start")]
    Shared {
        /// The kind of server.
        server: &'static str,
        /// Why it did not start.
        source: &'static Error,
    },
}

impl Error {
    pub(crate) fn io(action: &'static str, subject: &Path) -> impl FnOnce(io::Error) -> Self {
        let subject = subject.display().to_string();
        move |source| Self::Io {
            action,
            subject,
            source,
        }
    }

    /// Whether the server ended because somebody took its port between our look and its start.
    pub(crate) fn is_port_clash(&self) -> bool {
        matches!(self, Self::Server { log, .. } if log.0.to_lowercase().contains("address already in use"))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        let mut cause = self.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

/// The last lines of what a program wrote; at most 40.
#[derive(Clone, PartialEq, Eq)]
pub struct LogTail(String);

impl LogTail {
    const LINES: usize = 40;
    /// Enough for 40 long lines of a structured log.
    const BYTES: usize = 64 * 1024;

    pub(crate) fn of(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(&text[text.len().saturating_sub(Self::BYTES)..]);
        let lines: Vec<&str> = text.trim_end().lines().collect();
        Self(lines[lines.len().saturating_sub(Self::LINES)..].join("\n"))
    }

    pub(crate) fn of_file(path: &PathBuf) -> Self {
        match std::fs::read(path) {
            Ok(text) => Self::of(&text),
            Err(error) => Self(format!("(no log at {}: {error})", path.display())),
        }
    }
}

impl fmt::Display for LogTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for LogTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_tail_keeps_the_last_forty_lines() {
        let lines: Vec<String> = (1..=100).map(|line| format!("line {line}")).collect();
        let log = lines.join("\n") + "\n";
        let tail = LogTail::of(log.as_bytes()).to_string();
        assert!(tail.starts_with("line 61\n"), "{tail}");
        assert!(tail.ends_with("\nline 100"), "{tail}");
    }

    #[test]
    fn debug_shows_the_sentence_and_its_causes_on_plain_lines() {
        let error = Error::Io {
            action: "read",
            subject: "/nowhere".into(),
            source: io::Error::other("disk on fire"),
        };
        assert_eq!(format!("{error:?}"), "cannot read /nowhere: disk on fire");
    }
}
