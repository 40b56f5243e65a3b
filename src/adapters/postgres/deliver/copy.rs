//! Fills an empty inventory by binary COPY.

use std::error::Error;
use std::pin::pin;

use bytes::{BufMut as _, BytesMut};
use jiff::Timestamp;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::Change;
use crate::filing::namespace_of;
use crate::postgres::connection::Connection;
use crate::postgres::failure::{Failure, during};
use crate::postgres::statements::Statements;

const STAGE: &str = "postgres bulk upsert: copy";

/// Version of the binary form of `jsonb`.
const JSONB_VERSION: u8 = 1;

/// Types in the order of the statement's columns.
const TYPES: [Type; 8] = [
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::JSONB,
    Type::TIMESTAMPTZ,
];

/// Copies all upserts of the change; the claim is locked and the inventory is empty.
pub(super) async fn write(
    change: &Change<'_>,
    connection: &Connection,
    statements: &Statements,
    now: Timestamp,
) -> Result<u64, Failure> {
    let inventory = change.holder.inventory;
    let sink = connection
        .client()
        .copy_in(&statements.copy)
        .await
        .map_err(during(STAGE))?;
    let mut writer = pin!(BinaryCopyInWriter::new(sink, &TYPES));
    for (key, row) in &change.delivery.upserts {
        let values: [&(dyn ToSql + Sync); 8] = [
            &&*inventory.namespace,
            &&*inventory.name,
            &&*key.target,
            &&*key.uid,
            &change.holder.cluster,
            &namespace_of(row, &inventory.namespace),
            &JsonText(row.payload()),
            &now,
        ];
        writer.as_mut().write(&values).await.map_err(during(STAGE))?;
    }
    writer.finish().await.map_err(during(STAGE))
}

/// JSON text for a `jsonb` column, without parsing it here.
#[derive(Debug)]
struct JsonText<'a>(&'a str);

impl ToSql for JsonText<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.put_u8(JSONB_VERSION);
        out.put_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::JSONB
    }

    to_sql_checked!();
}
