//! Whether a table that exists can be used. Pure.

use super::STAGE;
use super::catalogue::Table;
use crate::sqlite::failure::Failure;
use crate::sqlite::identifier::{TableName, quoted};

/// What a column has to keep as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Integer,
}

type Expected = (&'static str, Kind);

pub(super) const MAIN: [Expected; 8] = [
    ("inventory_namespace", Kind::Text),
    ("inventory_name", Kind::Text),
    ("target_name", Kind::Text),
    ("source_uid", Kind::Text),
    ("cluster", Kind::Text),
    ("resource_namespace", Kind::Text),
    ("payload", Kind::Text),
    ("exported_at", Kind::Text),
];

pub(super) const SYNC: [Expected; 17] = [
    ("cluster", Kind::Text),
    ("inventory_namespace", Kind::Text),
    ("inventory_name", Kind::Text),
    ("target_name", Kind::Text),
    ("kind", Kind::Text),
    ("scope", Kind::Text),
    ("writer", Kind::Text),
    ("writer_session", Kind::Text),
    ("state", Kind::Text),
    ("reason", Kind::Text),
    ("last_list", Kind::Text),
    ("last_event", Kind::Text),
    ("rows", Kind::Integer),
    ("checksum", Kind::Text),
    ("as_of", Kind::Text),
    ("history_since", Kind::Text),
    ("updated_at", Kind::Text),
];

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "TEXT",
            Self::Integer => "INTEGER",
        }
    }

    /// Whether a column of this declared type keeps such values.
    ///
    /// **Source**: `SQLite` documentation, "Datatypes In `SQLite`", determination of column affinity.
    fn is_kept_by(self, declared: &str) -> bool {
        let declared = declared.to_ascii_uppercase();
        let integer = declared.contains("INT");
        match self {
            Self::Integer => integer || declared.is_empty(),
            Self::Text => {
                let text = ["CHAR", "CLOB", "TEXT"].iter().any(|part| declared.contains(part));
                declared.is_empty() || (text && !integer)
            }
        }
    }
}

/// Checks that a table has these columns and this key.
pub(super) fn check(name: &TableName, table: &Table, (columns, key): (&[Expected], &[&str])) -> Result<(), Failure> {
    if table.kind != "table" {
        return Err(incompatible(name, "is not a table; choose another spec.sqlite.table"));
    }
    let problems = problems(table, columns);
    if !problems.is_empty() {
        let problems = problems.join(", ");
        return Err(incompatible(
            name,
            &format!("cannot hold an inventory: {problems}; repair the table, or choose another spec.sqlite.table"),
        ));
    }
    let mut wanted = key.to_vec();
    wanted.sort_unstable();
    if table.unique_keys.iter().any(|key| *key == wanted) {
        return Ok(());
    }
    Err(incompatible(
        name,
        &format!(
            "has no primary key or unique index on exactly ({}), compared bytewise; add one",
            key.join(", ")
        ),
    ))
}

fn problems(table: &Table, expected: &[Expected]) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, kind) in expected {
        match table.columns.get(*name) {
            None => problems.push(format!("column {name} ({}) is missing", kind.name())),
            Some(column) if column.generated => problems.push(format!("column {name} is generated")),
            Some(column) if !kind.is_kept_by(&column.kind) => problems.push(format!(
                "column {name} has type {} instead of {}",
                column.kind,
                kind.name()
            )),
            Some(_) => {}
        }
    }
    for (name, column) in &table.columns {
        if column.required && expected.iter().all(|(expected, _)| expected != name) {
            problems.push(format!(
                "column {} needs a value that this program does not know",
                quoted(name)
            ));
        }
    }
    problems
}

fn incompatible(table: &TableName, problem: &str) -> Failure {
    Failure::incompatible(format!("{STAGE}: table {} {problem}", table.sql()))
}
