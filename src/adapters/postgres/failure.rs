//! What went wrong, and what follows from it: for the transaction, for the connection, and for the caller.
//!
//! The server's `DETAIL` is never shown: it quotes values of rows. Its message is not shown for refused logins either,
//! since it names the user.

#[cfg(test)]
mod tests;

use kollect_domain::condition::reason;
use kollect_ports::error::{ErrorClass, PortError};

/// What an error means for the work under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// The transaction was rolled back for reasons that pass; the same work may be tried at once.
    Repeat,
    /// A row of the statement is at fault; without it the statement would work.
    Row,
    /// A statement that the session prepared is not known to the server any more: a pooler is in between.
    Unprepared,
    /// The connection cannot be used any more.
    Reconnect,
    /// The work cannot be done; the connection is fine.
    Stop,
}

/// An error of this adapter.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) effect: Effect,
    pub(super) error: PortError,
}

impl Failure {
    /// A failure after which the connection is still good.
    pub(super) fn stop(class: ErrorClass, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            effect: Effect::Stop,
            error: PortError::new(class, reason, message),
        }
    }

    /// A failure of the connection itself.
    pub(super) fn reconnect(message: impl Into<String>) -> Self {
        Self {
            effect: Effect::Reconnect,
            error: PortError::new(ErrorClass::Unavailable, reason::SINK_UNREACHABLE, message),
        }
    }

    /// The destination exists and cannot be used as it is.
    pub(super) fn incompatible(message: impl Into<String>) -> Self {
        Self::stop(ErrorClass::Misconfigured, reason::DESTINATION_INCOMPATIBLE, message)
    }

    /// An error of the driver in one stage of the work; `stage` is stable text for logs and conditions.
    pub(super) fn of(stage: &str, error: &tokio_postgres::Error) -> Self {
        let Some(server) = error.as_db_error() else {
            return Self::reconnect(format!("{stage}: {}", chain(error)));
        };
        let code = server.code().code();
        let Meaning { effect, class, reason } = meaning(code);
        let explanation = match explanation(code) {
            Some(explanation) => explanation.to_owned(),
            None => server.message().to_owned(),
        };
        Self {
            effect,
            error: PortError::new(class, reason, format!("{stage}: {explanation} (SQLSTATE {code})")),
        }
    }
}

impl From<PortError> for Failure {
    /// Errors of other ports and of the guard leave the connection as it is.
    fn from(error: PortError) -> Self {
        Self {
            effect: Effect::Stop,
            error,
        }
    }
}

/// A closure for `map_err` that names the stage.
pub(super) fn during(stage: &'static str) -> impl Fn(tokio_postgres::Error) -> Failure {
    move |error| Failure::of(stage, &error)
}

/// What a SQLSTATE means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) effect: Effect,
    pub(super) class: ErrorClass,
    pub(super) reason: &'static str,
}

/// What follows from a SQLSTATE.
///
/// **Source**: PostgreSQL documentation, "PostgreSQL Error Codes".
pub(super) fn meaning(code: &str) -> Meaning {
    use ErrorClass::{Misconfigured, Rejected, Transient, Unavailable};
    let (effect, class, reason) = match code {
        "40001" | "40P01" | "40003" => (Effect::Repeat, Transient, reason::EXPORT_FAILED),
        // A prepared statement that is unknown or already there: a pooler handed out another server session.
        "26000" | "42P05" => (Effect::Unprepared, Transient, reason::EXPORT_FAILED),
        // The plan of a prepared statement does not fit the altered table any more.
        "0A000" => (Effect::Reconnect, Transient, reason::EXPORT_FAILED),
        // A server that stops or starts, and one that became read-only because another was promoted.
        "57P01" | "57P02" | "57P03" | "57P05" | "25006" => (Effect::Reconnect, Unavailable, reason::SINK_UNREACHABLE),
        // Missing schema, table, column or conflict key; wrong types; a table that is not one.
        "3F000" | "42P01" | "42703" | "42804" | "42P10" | "42809" => {
            (Effect::Stop, Misconfigured, reason::DESTINATION_INCOMPATIBLE)
        }
        "54000" | "54001" => (Effect::Row, Rejected, reason::EXPORT_FAILED),
        _ => match code.get(..2).unwrap_or_default() {
            "08" => (Effect::Reconnect, Unavailable, reason::SINK_UNREACHABLE),
            // Too many connections, out of memory, disk full.
            "53" => (Effect::Reconnect, Transient, reason::SINK_UNREACHABLE),
            // Refused login; no such database.
            "28" | "3D" => (Effect::Reconnect, Misconfigured, reason::SINK_UNREACHABLE),
            // Values that cannot be stored, and constraints that the table adds.
            "22" | "23" => (Effect::Row, Rejected, reason::EXPORT_FAILED),
            // Permission denied, syntax, anything the definition has to change.
            "42" => (Effect::Stop, Misconfigured, reason::EXPORT_TERMINAL),
            _ => (Effect::Stop, Transient, reason::EXPORT_FAILED),
        },
    };
    Meaning { effect, class, reason }
}

/// Our own words where the server's would name the user.
fn explanation(code: &str) -> Option<&'static str> {
    match code {
        "28P01" => Some("the server refused the user or the password of the connection string"),
        "28000" => Some(
            "the server does not let the user of the connection string in; check the role's LOGIN attribute, \
             pg_hba.conf and sslmode",
        ),
        "53300" => Some("the server has no free connection for this role"),
        _ => None,
    }
}

/// An error of the driver with its causes. The driver's own texts hold no setting of the connection.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
