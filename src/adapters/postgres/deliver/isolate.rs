//! Writes rows so that one the server refuses does not stop the others.

use kollect_ports::sink::Receipt;

use super::batch::{self, Batch, Upsert};
use super::{Change, UPSERT, count};
use crate::postgres::connection::Connection;
use crate::postgres::failure::{Effect, Failure, during};
use crate::postgres::statements::Statements;

/// Writes all upserts of the change inside the open transaction; refused rows end up in the receipt.
pub(super) async fn write(
    change: &Change<'_>,
    connection: &mut Connection,
    statements: &Statements,
    receipt: &mut Receipt,
) -> Result<(), Failure> {
    let mut pending: Vec<&[Upsert]> = batch::chunks(&change.delivery.upserts).collect();
    pending.reverse();
    while let Some(rows) = pending.pop() {
        let Err(failure) = write_some(change, connection, statements, (rows, &mut *receipt)).await else {
            continue;
        };
        match rows {
            _ if failure.effect != Effect::Row => return Err(failure),
            [(key, row)] => {
                receipt.bytes -= row.payload().len() as u64;
                receipt.refused.push((key.clone(), failure.error.message));
            }
            _ => {
                let (first, second) = rows.split_at(rows.len() / 2);
                pending.extend([second, first]);
            }
        }
    }
    Ok(())
}

async fn write_some(
    change: &Change<'_>,
    connection: &mut Connection,
    statements: &Statements,
    (rows, receipt): (&[Upsert], &mut Receipt),
) -> Result<(), Failure> {
    connection
        .client()
        .batch_execute("SAVEPOINT rows")
        .await
        .map_err(during(UPSERT))?;
    let batch = Batch::new(rows, &change.holder.inventory.namespace);
    let written = change
        .run(connection, &statements.write, &batch.parameters(), UPSERT)
        .await;
    let end = if written.is_ok() {
        "RELEASE SAVEPOINT rows"
    } else {
        "ROLLBACK TO SAVEPOINT rows; RELEASE SAVEPOINT rows"
    };
    let ended = connection.client().batch_execute(end).await;
    let answer = written?;
    ended.map_err(during(UPSERT))?;
    count(&answer, receipt)?;
    Ok(())
}
