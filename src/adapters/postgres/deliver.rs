//! Applies a change of an inventory as one.
//!
//! Three ways, by size. What fits into one statement is one statement: one round trip, no explicit transaction. More
//! is a transaction of such statements, two of them under way at a time. The first rows of an inventory are copied.
//! When the server refuses a row for what it contains, the transaction is done again with care: under savepoints,
//! halving what fails until the rows at fault stand alone.

mod batch;
mod copy;
mod isolate;

use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use jiff::Timestamp;
use kollect_domain::filing;
use kollect_ports::sink::{Delivery, Purge, Receipt};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::claim::{Holder, contended};
use super::connection::{Connection, Parameter, Prepared};
use super::failure::{Effect, Failure, during};
use super::schema::column;
use super::statements::Statements;
use batch::{Batch, Keys, Upsert, bytes_of};

/// Statements of a large change that are under way at once: while the server works on one, the next is encoded.
const PIPELINE: usize = 2;
/// Rows from which an empty inventory is filled by COPY instead of by upserts.
const COPY_ROWS: usize = 1_000;
/// Times that the claim is taken back from another session of the same writer before giving up.
const RENEWALS: usize = 3;

const UPSERT: &str = "postgres upsert";
const DELETE: &str = "postgres delete";
const BEGIN: &str = "postgres export: begin tx";
const COMMIT: &str = "postgres export: commit tx";

/// A change under the claim of its writer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'a> {
    pub(super) holder: Holder<'a>,
    pub(super) delivery: &'a Delivery,
    /// Limit of one statement on the server, unless the connection string sets one.
    pub(super) limit: Duration,
}

/// What became of an attempt.
enum Attempt {
    Done(Receipt),
    /// Nothing was done, since the claim belongs to another session.
    NotHeld,
}

/// How upserts are made inside a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    /// As fast as possible; a refused row fails everything.
    Fast,
    /// Under savepoints; refused rows are left out.
    Isolating,
}

impl Change<'_> {
    /// Applies the change.
    pub(super) async fn apply(&self, connection: &mut Connection, statements: &Statements) -> Result<Receipt, Failure> {
        if self.delivery.purge == Purge::Inventory {
            // A purge may be the first thing a process does, and the second attempt of one finds no claim.
            self.holder.claim(connection, statements).await?;
        }
        for _ in 0..=RENEWALS {
            match self.attempt(connection, statements).await? {
                Attempt::Done(receipt) => {
                    if self.releases() {
                        self.holder.forget(connection);
                    }
                    return Ok(receipt);
                }
                Attempt::NotHeld => self.holder.renew(connection, statements).await?,
            }
        }
        Err(contended())
    }

    async fn attempt(&self, connection: &mut Connection, statements: &Statements) -> Result<Attempt, Failure> {
        let fast = if self.fits_one_statement() {
            self.in_one_statement(connection, statements).await
        } else {
            self.in_transaction(connection, statements, Care::Fast).await
        };
        match fast {
            Err(failure) if failure.effect == Effect::Row && !self.delivery.upserts.is_empty() => {
                self.in_transaction(connection, statements, Care::Isolating).await
            }
            outcome => outcome,
        }
    }

    /// Whether nothing of the inventory is left afterwards, and with it no claim.
    fn releases(&self) -> bool {
        self.delivery.purge == Purge::Inventory && self.delivery.upserts.is_empty()
    }

    fn fits_one_statement(&self) -> bool {
        let Delivery {
            purge,
            upserts,
            deletes,
        } = self.delivery;
        *purge == Purge::Nothing && batch::fits(upserts) && Keys::fit(deletes)
    }

    async fn in_one_statement(&self, connection: &mut Connection, statements: &Statements) -> Result<Attempt, Failure> {
        let Delivery { upserts, deletes, .. } = self.delivery;
        let (upserting, deleting) = (!upserts.is_empty(), !deletes.is_empty());
        let (sql, stage) = match (upserting, deleting) {
            (true, false) => (&statements.write, UPSERT),
            (false, true) => (&statements.delete, DELETE),
            (true, true) => (&statements.write_and_delete, UPSERT),
            (false, false) => return Ok(Attempt::Done(Receipt::default())),
        };
        let (batch, keys) = (
            Batch::new(upserts, filing::namespace(self.holder.inventory)),
            Keys::new(deletes),
        );
        let token = connection.token.clone();
        let values = self.holder.values(&token);
        let mut parameters = values.all();
        if upserting {
            parameters.extend(batch.parameters());
        }
        if deleting {
            parameters.extend(keys.parameters());
        }
        let rows = connection.query(sql, &parameters).await.map_err(during(stage))?;
        let mut receipt = Receipt {
            bytes: bytes_of(upserts) as u64,
            ..Receipt::default()
        };
        if count(&rows, &mut receipt)? {
            Ok(Attempt::Done(receipt))
        } else {
            Ok(Attempt::NotHeld)
        }
    }

    async fn in_transaction(
        &self,
        connection: &mut Connection,
        statements: &Statements,
        care: Care,
    ) -> Result<Attempt, Failure> {
        let outcome = self.body(connection, statements, care).await;
        let end = if matches!(outcome, Ok(Attempt::Done(_))) {
            "COMMIT"
        } else {
            "ROLLBACK"
        };
        match connection.client().batch_execute(end).await {
            // What went wrong first says more than a rollback that went wrong too.
            Err(error) if outcome.is_ok() => Err(Failure::of(COMMIT, &error)),
            Err(_) => outcome.map_err(|failure| Failure {
                effect: Effect::Reconnect,
                ..failure
            }),
            Ok(()) => outcome,
        }
    }

    async fn body(&self, connection: &mut Connection, statements: &Statements, care: Care) -> Result<Attempt, Failure> {
        let Some(now) = self.begin(connection, statements).await? else {
            return Ok(Attempt::NotHeld);
        };
        let mut receipt = Receipt::default();
        self.purge(connection, statements, &mut receipt).await?;
        for chunk in Keys::chunks(&self.delivery.deletes) {
            let rows = self
                .run(connection, &statements.delete, &chunk.parameters(), DELETE)
                .await?;
            count(&rows, &mut receipt)?;
        }
        let upserts = &self.delivery.upserts;
        receipt.bytes = bytes_of(upserts) as u64;
        match care {
            Care::Isolating => isolate::write(self, connection, statements, &mut receipt).await?,
            Care::Fast if upserts.len() >= COPY_ROWS && self.is_empty(connection, statements).await? => {
                receipt.written += copy::write(self, connection, statements, now).await?;
            }
            Care::Fast => self.write_chunks(connection, statements, &mut receipt).await?,
        }
        if self.releases() {
            self.run(connection, &statements.release, &[], DELETE).await?;
        }
        Ok(Attempt::Done(receipt))
    }

    /// Begins the transaction and locks the claim; gives its time, or nothing when the claim is not held.
    async fn begin(&self, connection: &mut Connection, statements: &Statements) -> Result<Option<Timestamp>, Failure> {
        let begin = if connection.sets_statement_timeout {
            "BEGIN".to_owned()
        } else {
            format!("BEGIN; SET LOCAL statement_timeout = {}", self.limit.as_millis())
        };
        connection.client().batch_execute(&begin).await.map_err(during(BEGIN))?;
        let rows = self.run(connection, &statements.lock, &[], BEGIN).await?;
        match rows.first() {
            Some(row) if column(row, 0)? => Ok(Some(column(row, 1)?)),
            _ => Ok(None),
        }
    }

    async fn purge(
        &self,
        connection: &mut Connection,
        statements: &Statements,
        receipt: &mut Receipt,
    ) -> Result<(), Failure> {
        let rows = match &self.delivery.purge {
            Purge::Nothing => return Ok(()),
            Purge::Targets(targets) => {
                let targets: Vec<&str> = targets.iter().map(AsRef::as_ref).collect();
                let parameters: [Parameter<'_>; 1] = [(&targets, Type::TEXT_ARRAY)];
                self.run(connection, &statements.purge_targets, &parameters, DELETE)
                    .await?
            }
            Purge::Inventory => self.run(connection, &statements.purge_inventory, &[], DELETE).await?,
        };
        if let Some(row) = rows.first() {
            receipt.deleted += number(row, 1)?;
        }
        Ok(())
    }

    async fn is_empty(&self, connection: &mut Connection, statements: &Statements) -> Result<bool, Failure> {
        // COPY has to be prepared, and one that takes longer than the string allows would never succeed.
        if !connection.keeps_statements() || connection.sets_statement_timeout {
            return Ok(false);
        }
        let values = self.holder.values("");
        let rows = connection
            .query(&statements.has_rows, &values.inventory())
            .await
            .map_err(during(UPSERT))?;
        let has_rows = rows.first().map(|row| column::<bool>(row, 0)).transpose()?;
        Ok(has_rows == Some(false))
    }

    async fn write_chunks(
        &self,
        connection: &mut Connection,
        statements: &Statements,
        receipt: &mut Receipt,
    ) -> Result<(), Failure> {
        let types = [vec![Type::TEXT; 5], vec![Type::TEXT_ARRAY; 4]].concat();
        let statement = connection
            .prepare(&statements.write, &types)
            .await
            .map_err(during(UPSERT))?;
        let writes: Vec<_> = batch::chunks(&self.delivery.upserts)
            .map(|rows| self.write_chunk(connection, &statement, rows))
            .collect();
        let answers: Vec<Vec<Row>> = stream::iter(writes).buffered(PIPELINE).try_collect().await?;
        for rows in &answers {
            count(rows, receipt)?;
        }
        Ok(())
    }

    async fn write_chunk(
        &self,
        connection: &Connection,
        statement: &Prepared,
        rows: &[Upsert],
    ) -> Result<Vec<Row>, Failure> {
        let values = self.holder.values(&connection.token);
        let batch = Batch::new(rows, filing::namespace(self.holder.inventory));
        let parameters = [values.all(), batch.parameters().to_vec()].concat();
        connection.run(statement, &parameters).await.map_err(during(UPSERT))
    }

    /// Runs a statement that begins with the claim.
    async fn run(
        &self,
        connection: &mut Connection,
        sql: &str,
        parameters: &[Parameter<'_>],
        stage: &'static str,
    ) -> Result<Vec<Row>, Failure> {
        let token = connection.token.clone();
        let values = self.holder.values(&token);
        let parameters = [values.all(), parameters.to_vec()].concat();
        connection.query(sql, &parameters).await.map_err(during(stage))
    }
}

/// Adds what one statement did to the receipt; false when the claim is not held.
fn count(rows: &[Row], receipt: &mut Receipt) -> Result<bool, Failure> {
    let Some(row) = rows.first() else {
        return Ok(false);
    };
    receipt.written += number(row, 1)?;
    receipt.deleted += number(row, 2)?;
    let targets: Option<Vec<String>> = column(row, 3)?;
    let uids: Option<Vec<String>> = column(row, 4)?;
    let clusters: Option<Vec<String>> = column(row, 5)?;
    let foreign = targets.into_iter().flatten().zip(uids.into_iter().flatten());
    for ((target, uid), cluster) in foreign.zip(clusters.into_iter().flatten()) {
        let key = kollect_domain::ids::RowKey {
            target: target.into(),
            uid: uid.into(),
        };
        receipt.refused.push((key, foreign_row(&cluster)));
    }
    column(row, 0)
}

fn foreign_row(cluster: &str) -> String {
    format!(
        "the row belongs to cluster \"{cluster}\", and the table's key does not tell clusters apart; \
         use a table of your own, or one whose key contains cluster"
    )
}

fn number(row: &Row, index: usize) -> Result<u64, Failure> {
    let number: i64 = column(row, index)?;
    Ok(number.unsigned_abs())
}
