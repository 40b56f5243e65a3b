//! Streams what the database holds of one target, digested here.
//!
//! The table has no digest column: payloads are read back, parsed and digested as they arrive, a batch at a time.

use std::sync::Arc;

use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use kollect_domain::row::RowDigest;
use kollect_ports::sink::HeldRow;
use serde_json::Value;
use tokio_postgres::types::Type;
use tokio_postgres::{Row, RowStream};

use super::claim::Holder;
use super::connection::{Connection, Parameter};
use super::failure::{Failure, during};
use super::schema::column;
use super::statements::Statements;

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
    let uid: &str = column(row, 0)?;
    let filed_under: &str = column(row, 1)?;
    let payload: &str = column(row, 2)?;
    let (namespace, digest) = understood(payload).unwrap_or_else(|| (filed_under.into(), unequal()));
    Ok(HeldRow {
        uid: uid.into(),
        namespace,
        digest,
    })
}

/// Namespace of the object and digest of a stored payload; nothing when the payload is not a row of ours.
///
/// The column with the namespace does not tell a cluster-scoped object from one of the inventory's own namespace.
fn understood(payload: &str) -> Option<(Arc<str>, RowDigest)> {
    let value: Value = serde_json::from_str(payload).ok()?;
    let namespace = value.get("namespace")?.as_str()?.into();
    Some((namespace, RowDigest::of_value(&value)))
}

/// A digest that no row has: whatever is stored there differs and will be written again.
fn unequal() -> RowDigest {
    RowDigest::from_bytes([0; 16])
}
