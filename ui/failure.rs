//! Why a request has no page, and what its reader can do about it.

use axum::http::StatusCode;
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::query::{INVALID_CURSOR, QUERY_TIMEOUT};

use crate::parameters::InvalidParameter;

/// Why a request has no page.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The address leads nowhere.
    #[error("there is no page at this address")]
    NoPage,
    /// The inventory does not exist.
    #[error("there is no inventory `{0}`")]
    NoInventory(String),
    /// The row does not exist.
    #[error("this row does not exist any more, or never did")]
    NoRow,
    /// The address is not understood.
    #[error(transparent)]
    Parameter(#[from] InvalidParameter),
    /// Something other than reading was tried.
    #[error("pages can only be read, by GET or HEAD")]
    Method,
    /// The request is for another host.
    #[error("this server does not answer to the host name of the request")]
    Host,
    /// A reader failed.
    #[error(transparent)]
    Reader(#[from] PortError),
    /// A reader took too long.
    #[error("the database took too long to answer")]
    Late,
    /// The page could not be written.
    #[error("the page could not be written")]
    Rendering(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Failure {
    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NoPage | Self::NoInventory(_) | Self::NoRow => StatusCode::NOT_FOUND,
            Self::Parameter(_) => StatusCode::BAD_REQUEST,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::Late => StatusCode::GATEWAY_TIMEOUT,
            Self::Rendering(_) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Reader(error) => match error.class {
                ErrorClass::Rejected => StatusCode::BAD_REQUEST,
                ErrorClass::Transient | ErrorClass::Throttled { .. } if error.reason == QUERY_TIMEOUT => {
                    StatusCode::GATEWAY_TIMEOUT
                }
                ErrorClass::Transient | ErrorClass::Throttled { .. } | ErrorClass::Unavailable => {
                    StatusCode::SERVICE_UNAVAILABLE
                }
                ErrorClass::Misconfigured => StatusCode::INTERNAL_SERVER_ERROR,
            },
        }
    }

    /// The failure in a few words.
    pub fn title(&self) -> &'static str {
        match self.status() {
            StatusCode::BAD_REQUEST => "The address is not understood",
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::METHOD_NOT_ALLOWED => "Read only",
            StatusCode::MISDIRECTED_REQUEST => "Another host",
            StatusCode::SERVICE_UNAVAILABLE => "The database is away",
            StatusCode::GATEWAY_TIMEOUT => "The database is slow",
            _ => "The database cannot be shown",
        }
    }

    /// What the reader can do.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::NoPage => "Begin at the start page.",
            Self::NoInventory(_) => "It may have been deleted, or its cluster was renamed. The start page lists all.",
            Self::NoRow => {
                "The object was deleted, or its target does not select it any more. Look for it in the list."
            }
            Self::Parameter(_) => "Correct the address, or begin at the start page.",
            Self::Method => "Nothing can be changed here.",
            Self::Host => {
                "Use the address that the program printed when it started, or add the name to the hosts it answers to."
            }
            Self::Reader(error) if error.reason == INVALID_CURSOR => {
                "Begin again with the first page of the list; places are made for one order only."
            }
            Self::Rendering(_) => "Please report this; the JSON twin of the page may work.",
            Self::Reader(_) | Self::Late => match self.status() {
                StatusCode::GATEWAY_TIMEOUT => "Choose a kind or a longer text, or try again in a while.",
                StatusCode::SERVICE_UNAVAILABLE => {
                    "Nothing is lost. Try again in a moment; if it stays away, see whether the database runs."
                }
                StatusCode::BAD_REQUEST => "Correct the address, or begin at the start page.",
                _ => "See whether the program was given the database that inventories are exported to.",
            },
        }
    }

    /// Whether somebody who runs the server should know.
    pub fn is_ours(&self) -> bool {
        self.status().is_server_error()
    }
}
