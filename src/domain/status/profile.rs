//! Status of a `KollectProfile`.

use serde::Serialize;

use super::Status;
use crate::condition::{Wanted, kind, reason};

/// A profile's status has no fields besides its conditions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fields {}

/// Computes the status from what validation found: an error, or warnings.
pub fn status(validated: Result<&[String], &str>) -> Status<Fields> {
    let ready = match validated {
        Ok([]) => Wanted::new(kind::READY, true, reason::VALID, "the profile can be used"),
        Ok(warnings) => {
            let message = format!("the profile can be used; {}", warnings.join("; "));
            Wanted::new(kind::READY, true, reason::VALID, message)
        }
        Err(problem) => Wanted::new(kind::READY, false, reason::INVALID_PROFILE, problem),
    };
    Status {
        conditions: vec![ready],
        fields: Fields {},
    }
}
