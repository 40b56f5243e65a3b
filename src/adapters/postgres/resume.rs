//! Streams what the database holds of one target, digested here.
//!
//! The table has no digest column: payloads are read back, parsed and digested as they arrive, a batch at a time.

use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use kollect_ports::sink::HeldRow;
use tokio_postgres::types::Type;
use tokio_postgres::{Row, RowStream};

use super::claim::Holder;
use super::connection::{Connection, Parameter};
use super::failure::{Failure, during};
use super::schema::column;
use super::statements::Statements;
use crate::filing;

const STAGE: &str = "postgres resume";
/// Rows of one batch: large enough that its cost vanishes, small enough that memory does not notice.
const BATCH_ROWS: usize = 1_000;

/// Starts reading the rows of a target.
pub(super) async fn open(
    holder: &Holder<'_>,
    target: &str,
    connection: &mut Connection,
    statements: &Statements,
) -> Result<RowStream, Failure> {
    let values = holder.values("");
    let last: Parameter<'_> = (&target, Type::TEXT);
    let parameters = [values.inventory(), vec![last]].concat();
    let types = vec![Type::TEXT; parameters.len()];
    let statement = connection
        .prepare(&statements.rows, &types)
        .await
        .map_err(during(STAGE))?;
    connection.stream(&statement, &parameters).await.map_err(during(STAGE))
}

/// The rows of a stream in batches.
pub(super) fn batches(rows: RowStream) -> BoxStream<'static, Result<Vec<HeldRow>, Failure>> {
    rows.map_err(during(STAGE))
        .and_then(|row| async move { held(&row) })
        .try_chunks(BATCH_ROWS)
        .map_err(|interrupted| interrupted.1)
        .boxed()
}

fn held(row: &Row) -> Result<HeldRow, Failure> {
    Ok(filing::held(column(row, 0)?, column(row, 1)?, column(row, 2)?))
}
