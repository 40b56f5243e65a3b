//! What the file's schema says about a table.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _, Row};

use crate::sqlite::identifier::TableName;

/// Names of tables are equal whatever the case of their ASCII letters.
const RELATION: &str = "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND name = ?1 COLLATE NOCASE";
const COLUMNS: &str = "SELECT name, type, \"notnull\" AND dflt_value IS NULL, hidden > 1 FROM pragma_table_xinfo(?1)";
const UNIQUE_INDEXES: &str = "SELECT name FROM pragma_index_list(?1) WHERE \"unique\" AND NOT partial";
/// Expressions have no name.
const INDEX_COLUMNS: &str = "SELECT ifnull(name, ''), coll = 'BINARY' FROM pragma_index_xinfo(?1) WHERE key";

/// A table, or something else of its name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Table {
    /// `table`, `view`, `virtual`, `shadow`.
    pub(super) kind: String,
    /// Columns by name.
    pub(super) columns: BTreeMap<String, Column>,
    /// Column sets that are unique when compared bytewise, each sorted by name.
    pub(super) unique_keys: Vec<Vec<String>>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    /// Declared type.
    pub(super) kind: String,
    /// Whether an insert must give a value.
    pub(super) required: bool,
    /// Whether an insert must not give a value.
    pub(super) generated: bool,
}

impl Table {
    /// Looks a table up; `None` when nothing has its name.
    pub(super) fn find(connection: &Connection, table: &TableName) -> rusqlite::Result<Option<Self>> {
        let found: Option<(String, String)> = connection
            .query_row(RELATION, [table.name()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((name, kind)) = found else {
            return Ok(None);
        };
        let columns = all(connection, COLUMNS, &name, |row| {
            let column = Column {
                kind: row.get(1)?,
                required: row.get(2)?,
                generated: row.get(3)?,
            };
            Ok((row.get(0)?, column))
        })?;
        let mut unique_keys = Vec::new();
        for index in all(connection, UNIQUE_INDEXES, &name, |row| row.get::<_, String>(0))? {
            let columns: Vec<(String, bool)> =
                all(connection, INDEX_COLUMNS, &index, |row| Ok((row.get(0)?, row.get(1)?)))?;
            if columns.iter().all(|(_, bytewise)| *bytewise) {
                let mut names: Vec<String> = columns.into_iter().map(|(name, _)| name).collect();
                names.sort_unstable();
                unique_keys.push(names);
            }
        }
        Ok(Some(Self {
            kind,
            columns: columns.into_iter().collect(),
            unique_keys,
        }))
    }
}

fn all<T>(
    connection: &Connection,
    sql: &str,
    name: &str,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare(sql)?.query_map([name], read)?.collect()
}
