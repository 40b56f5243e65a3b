//! What the server's catalogue says about a table.

use std::collections::BTreeMap;

use tokio_postgres::types::Type;

use super::{STAGE, column};
use crate::postgres::connection::Connection;
use crate::postgres::failure::{Failure, during};
use crate::postgres::identifier::TableName;

/// Rights that a sink needs, in the order in which the query below gives them.
pub(super) const PRIVILEGES: [&str; 4] = ["SELECT", "INSERT", "UPDATE", "DELETE"];

const RELATION: &str = "SELECT c.oid, c.relkind::text, \
    has_table_privilege(c.oid, 'SELECT'), has_table_privilege(c.oid, 'INSERT'), \
    has_table_privilege(c.oid, 'UPDATE'), has_table_privilege(c.oid, 'DELETE') \
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
    WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind <> 'i'";

const COLUMNS: &str = "SELECT a.attname::text, t.typname::text, \
    a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AND a.attgenerated = '', \
    a.attgenerated <> '' OR a.attidentity = 'a' \
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid \
    WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped";

/// Columns of every index that can serve as a conflict target: unique, complete, checked at once.
const UNIQUE_KEYS: &str = "SELECT array_agg(a.attname::text ORDER BY a.attname::text COLLATE \"C\") \
    FROM pg_catalog.pg_index i \
    CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, position) \
    JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum \
    WHERE i.indrelid = $1 AND i.indisunique AND i.indisvalid AND i.indisready AND i.indimmediate \
    AND i.indpred IS NULL AND i.indexprs IS NULL AND k.position <= i.indnkeyatts \
    GROUP BY i.indexrelid";

const SCHEMA: &str = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1";

/// A table, or something else of its name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Relation {
    /// `pg_class.relkind`.
    pub(super) kind: String,
    /// Rights that the role lacks.
    pub(super) missing_privileges: Vec<&'static str>,
    /// Columns by name.
    pub(super) columns: BTreeMap<String, Column>,
    /// Column sets that are unique, each sorted by name.
    pub(super) unique_keys: Vec<Vec<String>>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    /// `pg_type.typname`.
    pub(super) kind: String,
    /// Whether an insert must give a value.
    pub(super) required: bool,
    /// Whether an insert must not give a value.
    pub(super) generated: bool,
}

impl Relation {
    /// Looks a table up; `None` when nothing has its name.
    pub(super) async fn find(connection: &Connection, table: &TableName) -> Result<Option<Self>, Failure> {
        // Sent as text: these run once per session.
        let client = connection.client();
        let names = [(&table.schema as _, Type::TEXT), (&table.name as _, Type::TEXT)];
        let found = client.query_typed(RELATION, &names).await.map_err(during(STAGE))?;
        let Some(row) = found.first() else {
            return Ok(None);
        };
        let oid: u32 = column(row, 0)?;
        let mut missing_privileges = Vec::new();
        for (index, privilege) in PRIVILEGES.into_iter().enumerate() {
            if !column::<bool>(row, 2 + index)? {
                missing_privileges.push(privilege);
            }
        }
        let by_oid = [(&oid as _, Type::OID)];
        let mut columns = BTreeMap::new();
        for row in client.query_typed(COLUMNS, &by_oid).await.map_err(during(STAGE))? {
            let found = Column {
                kind: column(&row, 1)?,
                required: column(&row, 2)?,
                generated: column(&row, 3)?,
            };
            columns.insert(column(&row, 0)?, found);
        }
        let mut unique_keys = Vec::new();
        for row in client.query_typed(UNIQUE_KEYS, &by_oid).await.map_err(during(STAGE))? {
            unique_keys.push(column(&row, 0)?);
        }
        Ok(Some(Self {
            kind: column(row, 1)?,
            missing_privileges,
            columns,
            unique_keys,
        }))
    }
}

/// Whether a schema exists.
pub(super) async fn has_schema(connection: &Connection, schema: &str) -> Result<bool, Failure> {
    let parameters = [(&schema as _, Type::TEXT)];
    let found = connection
        .client()
        .query_typed(SCHEMA, &parameters)
        .await
        .map_err(during(STAGE))?;
    Ok(!found.is_empty())
}
