//! Reads what the file holds of one target, digested here, a batch at a time.

use kollect_ports::sink::HeldRow;
use rusqlite::params;

use super::claim::Holder;
use super::failure::{Failure, during};
use super::session::Session;
use super::statements::Statements;
use crate::filing;

const STAGE: &str = "sqlite resume";
/// Rows of one batch: large enough that its cost vanishes, small enough that memory does not notice.
const BATCH_ROWS: usize = 1_000;

/// One batch, and after which uid the next begins.
pub(super) struct Batch {
    pub(super) rows: Vec<HeldRow>,
    pub(super) next: Option<String>,
}

/// The rows of a target whose uids come after `last`.
pub(super) fn read(
    (holder, target, last): (&Holder, &str, &str),
    session: &Session,
    statements: &Statements,
) -> Result<Batch, Failure> {
    let (cluster, namespace, name) = holder.key();
    let mut rows = session
        .connection
        .prepare_cached(&statements.rows)
        .map_err(during(STAGE))?;
    let found = rows
        .query_map(
            params![cluster, namespace, name, target, last, BATCH_ROWS.cast_signed()],
            |row| {
                let filed_under = row.get_ref(1)?.as_str_or_null()?.unwrap_or_default();
                let payload = row.get_ref(2)?.as_bytes_or_null()?.unwrap_or_default();
                // What is not text differs from every row and is written again.
                let payload = std::str::from_utf8(payload).unwrap_or_default();
                Ok(filing::held(row.get_ref(0)?.as_str()?, filed_under, payload))
            },
        )
        .map_err(during(STAGE))?;
    let rows: Vec<HeldRow> = found.collect::<Result<_, _>>().map_err(during(STAGE))?;
    let next = rows
        .last()
        .filter(|_| rows.len() == BATCH_ROWS)
        .map(|row| row.uid.to_string());
    Ok(Batch { rows, next })
}
