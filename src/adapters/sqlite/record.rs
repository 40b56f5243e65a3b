//! Sync states for readers of the file.

use jiff::Timestamp;
use kollect_ports::sink::SyncRecord;
use rusqlite::params;

use super::claim::Holder;
use super::failure::{Failure, during};
use super::session::Session;
use super::statements::Statements;
use super::time;

const STAGE: &str = "sqlite record";

/// Writes the states, inside a transaction that holds the claim.
pub(super) fn write(
    holder: &Holder,
    records: &[SyncRecord],
    session: &Session,
    statements: &Statements,
) -> Result<(), Failure> {
    let (cluster, namespace, name) = holder.key();
    let now = time::text(Timestamp::now());
    let mut write = session
        .connection
        .prepare_cached(&statements.record)
        .map_err(during(STAGE))?;
    for record in records {
        let SyncRecord {
            target,
            kind,
            scope,
            state,
            reason,
            last_list,
            last_event,
            as_of,
            rows,
            checksum,
        } = record;
        let [last_list, last_event, as_of] = [last_list, last_event, as_of].map(|at| at.map(time::text));
        let rows = i64::try_from(*rows).unwrap_or(i64::MAX);
        write
            .execute(params![
                cluster,
                namespace,
                name,
                target,
                kind,
                scope,
                holder.writer,
                session.token,
                state,
                reason,
                last_list,
                last_event,
                rows,
                checksum,
                as_of,
                now
            ])
            .map_err(during(STAGE))?;
    }
    Ok(())
}

/// Makes one row of the inventory look recent, so that `max(exported_at)` says when the inventory was last known to be
/// current; inside a transaction that holds the claim.
pub(super) fn touch(holder: &Holder, session: &Session, statements: &Statements) -> Result<(), Failure> {
    let (cluster, namespace, name) = holder.key();
    let now = time::text(Timestamp::now());
    session
        .connection
        .prepare_cached(&statements.touch)
        .and_then(|mut touch| touch.execute(params![cluster, namespace, name, now]))
        .map_err(during(STAGE))?;
    Ok(())
}
