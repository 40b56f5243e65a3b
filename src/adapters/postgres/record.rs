//! Sync states for readers of the database.

use jiff::Timestamp;
use kollect_ports::sink::SyncRecord;
use tokio_postgres::types::Type;

use super::claim::Holder;
use super::connection::{Connection, Parameter};
use super::failure::{Failure, during};
use super::schema::column;
use super::statements::Statements;

const STAGE: &str = "postgres record";

/// Writes the states; false when the claim is not held.
pub(super) async fn write(
    holder: &Holder<'_>,
    records: &[SyncRecord],
    connection: &mut Connection,
    statements: &Statements,
) -> Result<bool, Failure> {
    let text = |value: fn(&SyncRecord) -> &str| -> Vec<&str> { records.iter().map(value).collect() };
    let texts = [
        text(|record| &record.target),
        text(|record| &record.kind),
        text(|record| &record.scope),
        text(|record| record.state),
        text(|record| &record.reason),
    ];
    let time = |value: fn(&SyncRecord) -> Option<Timestamp>| -> Vec<_> { records.iter().map(value).collect() };
    let times = [
        time(|record| record.last_list),
        time(|record| record.last_event),
        time(|record| record.as_of),
    ];
    let rows: Vec<i64> = records
        .iter()
        .map(|record| i64::try_from(record.rows).unwrap_or(i64::MAX))
        .collect();
    let checksums = text(|record| &record.checksum);

    let token = connection.token.clone();
    let values = holder.values(&token);
    let mut parameters = values.all();
    parameters.extend(
        texts
            .iter()
            .map(|column| -> Parameter<'_> { (column, Type::TEXT_ARRAY) }),
    );
    parameters.extend(
        times
            .iter()
            .map(|column| -> Parameter<'_> { (column, Type::TIMESTAMPTZ_ARRAY) }),
    );
    parameters.push((&rows, Type::INT8_ARRAY));
    parameters.push((&checksums, Type::TEXT_ARRAY));
    let answer = connection
        .query(&statements.record, &parameters)
        .await
        .map_err(during(STAGE))?;
    is_held(&answer)
}

/// Makes one row of the inventory look recent, so that `max(exported_at)` says when the inventory was last known to be
/// current; false when the claim is not held.
pub(super) async fn touch(
    holder: &Holder<'_>,
    connection: &mut Connection,
    statements: &Statements,
) -> Result<bool, Failure> {
    let token = connection.token.clone();
    let values = holder.values(&token);
    let answer = connection
        .query(&statements.touch, &values.all())
        .await
        .map_err(during(STAGE))?;
    is_held(&answer)
}

fn is_held(answer: &[tokio_postgres::Row]) -> Result<bool, Failure> {
    answer.first().map_or(Ok(false), |row| column(row, 0))
}
