//! What went wrong, and what follows from it: for the session and for the caller.

#[cfg(test)]
mod tests;

use kollect_domain::condition::reason;
use kollect_ports::error::{ErrorClass, PortError};
use rusqlite::ffi;

/// What an error means for the work under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// The row is at fault; without it the work goes on.
    Row,
    /// The tables may have been changed by another program: look at them again.
    Recheck,
    /// The session cannot be used any more.
    Reopen,
    /// The work was stopped, since it took too long or nobody waits for it.
    Stopped,
    /// The work cannot be done; the session is fine.
    Stop,
}

/// An error of this adapter.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) effect: Effect,
    pub(super) error: PortError,
}

impl Failure {
    /// A failure after which the session is still good.
    pub(super) fn stop(class: ErrorClass, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            effect: Effect::Stop,
            error: PortError::new(class, reason, message),
        }
    }

    /// The destination exists and cannot be used as it is.
    pub(super) fn incompatible(message: impl Into<String>) -> Self {
        Self::stop(ErrorClass::Misconfigured, reason::DESTINATION_INCOMPATIBLE, message)
    }

    /// The file cannot be opened as the definition wants it.
    pub(super) fn unusable(message: impl Into<String>) -> Self {
        Self::stop(ErrorClass::Misconfigured, reason::SINK_UNREACHABLE, message)
    }

    /// An error of the library in one stage of the work; `stage` is stable text for logs and conditions.
    pub(super) fn of(stage: &str, error: &rusqlite::Error) -> Self {
        let rusqlite::Error::SqliteFailure(ffi::Error { extended_code, .. }, message) = error else {
            return Self::incompatible(format!("{stage}: a stored value cannot be read: {error}"));
        };
        let Meaning { effect, class, reason } = meaning(*extended_code);
        let explanation = match (explanation(*extended_code), message) {
            (Some(explanation), _) => explanation.to_owned(),
            (None, Some(message)) => message.clone(),
            (None, None) => ffi::code_to_str(*extended_code).to_owned(),
        };
        Self {
            effect,
            error: PortError::new(
                class,
                reason,
                format!("{stage}: {explanation} (SQLite code {extended_code})"),
            ),
        }
    }

    /// Names the file.
    pub(super) fn at(mut self, file: &std::path::Path) -> Self {
        self.error.message = format!("{} [file {}]", self.error.message, file.display());
        self
    }
}

impl From<PortError> for Failure {
    /// Refusals that were made without the file.
    fn from(error: PortError) -> Self {
        Self {
            effect: Effect::Stop,
            error,
        }
    }
}

/// A closure for `map_err` that names the stage.
pub(super) fn during(stage: &'static str) -> impl Fn(rusqlite::Error) -> Failure {
    move |error| Failure::of(stage, &error)
}

/// What a result code means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) effect: Effect,
    pub(super) class: ErrorClass,
    pub(super) reason: &'static str,
}

/// The code without its extension.
fn primary(code: i32) -> i32 {
    code & 0xff
}

/// What follows from an extended result code.
///
/// **Source**: `SQLite` documentation, "Result and Error Codes".
pub(super) fn meaning(code: i32) -> Meaning {
    use ErrorClass::{Misconfigured, Rejected, Transient, Unavailable};
    let (effect, class, reason) = match primary(code) {
        _ if code == ffi::SQLITE_READONLY_DBMOVED => (Effect::Reopen, Unavailable, reason::SINK_UNREACHABLE),
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED | ffi::SQLITE_PROTOCOL => {
            (Effect::Stop, Transient, reason::EXPORT_FAILED)
        }
        ffi::SQLITE_FULL => (Effect::Stop, Unavailable, reason::SINK_UNREACHABLE),
        ffi::SQLITE_INTERRUPT => (Effect::Stopped, Unavailable, reason::SINK_UNREACHABLE),
        ffi::SQLITE_IOERR => (Effect::Reopen, Unavailable, reason::SINK_UNREACHABLE),
        ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB | ffi::SQLITE_FORMAT => {
            (Effect::Reopen, Misconfigured, reason::DESTINATION_INCOMPATIBLE)
        }
        ffi::SQLITE_CANTOPEN | ffi::SQLITE_READONLY | ffi::SQLITE_PERM | ffi::SQLITE_AUTH => {
            (Effect::Reopen, Misconfigured, reason::SINK_UNREACHABLE)
        }
        ffi::SQLITE_CONSTRAINT | ffi::SQLITE_MISMATCH | ffi::SQLITE_TOOBIG => {
            (Effect::Row, Rejected, reason::EXPORT_FAILED)
        }
        // A missing table or column, and anything else that the statements rely on.
        ffi::SQLITE_ERROR | ffi::SQLITE_SCHEMA => (Effect::Recheck, Misconfigured, reason::DESTINATION_INCOMPATIBLE),
        // Out of memory, misuse, and what later versions of the library add.
        _ => (Effect::Reopen, Transient, reason::EXPORT_FAILED),
    };
    Meaning { effect, class, reason }
}

/// Our own words where the library's do not say what to do.
fn explanation(code: i32) -> Option<&'static str> {
    if code == ffi::SQLITE_READONLY_DBMOVED {
        return Some("the file was moved or removed");
    }
    let text = match primary(code) {
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED | ffi::SQLITE_PROTOCOL => {
            "another program is writing to the file; it is tried again, but one file should have one writer"
        }
        ffi::SQLITE_FULL => "the disk is full; nothing of this change was written; free some space, it is tried again",
        ffi::SQLITE_INTERRUPT => "the work was stopped since it took too long; nothing of it was written",
        ffi::SQLITE_IOERR => {
            "the file system reports an error, which a full, failing or remote disk can be the reason of; nothing of \
             this change was written"
        }
        ffi::SQLITE_CORRUPT => "the file is damaged; remove it, and it is filled again, or restore a copy",
        ffi::SQLITE_NOTADB => "the file is not a SQLite database; choose another file",
        ffi::SQLITE_CANTOPEN => "the file, or one of those beside it, cannot be opened",
        ffi::SQLITE_READONLY | ffi::SQLITE_PERM => {
            "the file or its folder is read-only for this program; allow it to write to both"
        }
        _ => return None,
    };
    Some(text)
}
