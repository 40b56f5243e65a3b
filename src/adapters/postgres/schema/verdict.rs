//! Whether a table that exists can be used. Pure.

use super::catalogue::Relation;
use super::{Key, STAGE};
use crate::postgres::failure::Failure;
use crate::postgres::identifier::{TableName, quoted};

/// Types that hold any text without changing it.
const TEXT: &[&str] = &["text", "varchar"];
const JSON: &[&str] = &["jsonb"];
const TIME: &[&str] = &["timestamptz"];
const NUMBER: &[&str] = &["int8"];

type Expected = (&'static str, &'static [&'static str]);

const MAIN: [Expected; 8] = [
    ("inventory_namespace", TEXT),
    ("inventory_name", TEXT),
    ("target_name", TEXT),
    ("source_uid", TEXT),
    ("cluster", TEXT),
    ("resource_namespace", TEXT),
    ("payload", JSON),
    ("exported_at", TIME),
];

const SYNC: [Expected; 17] = [
    ("cluster", TEXT),
    ("inventory_namespace", TEXT),
    ("inventory_name", TEXT),
    ("target_name", TEXT),
    ("kind", TEXT),
    ("scope", TEXT),
    ("writer", TEXT),
    ("writer_session", TEXT),
    ("state", TEXT),
    ("reason", TEXT),
    ("last_list", TIME),
    ("last_event", TIME),
    ("rows", NUMBER),
    ("checksum", TEXT),
    ("as_of", TIME),
    ("history_since", TIME),
    ("updated_at", TIME),
];

const SYNC_KEY: [&str; 6] = [
    "cluster",
    "inventory_namespace",
    "inventory_name",
    "target_name",
    "kind",
    "scope",
];

/// Checks the main table and says which key it has.
pub(super) fn check_main(table: &TableName, relation: &Relation) -> Result<Key, Failure> {
    check_columns(table, relation, &MAIN)?;
    // With both, the narrower one decides what collides.
    [Key::Legacy, Key::Wide]
        .into_iter()
        .find(|key| has_key(relation, key.columns()))
        .ok_or_else(|| missing_key(table, Key::Wide.columns()))
}

/// Checks the table of sync states.
pub(super) fn check_sync(table: &TableName, relation: &Relation) -> Result<(), Failure> {
    check_columns(table, relation, &SYNC)?;
    if has_key(relation, &SYNC_KEY) {
        Ok(())
    } else {
        Err(missing_key(table, &SYNC_KEY))
    }
}

fn check_columns(table: &TableName, relation: &Relation, expected: &[Expected]) -> Result<(), Failure> {
    // Ordinary and partitioned tables.
    if !["r", "p"].contains(&relation.kind.as_str()) {
        return Err(incompatible(
            table,
            "is not a table; choose another spec.postgres.table",
        ));
    }
    let mut problems = Vec::new();
    for (name, kinds) in expected {
        match relation.columns.get(*name) {
            None => problems.push(format!("column {name} ({}) is missing", kinds[0])),
            Some(column) if column.generated => problems.push(format!("column {name} is generated")),
            Some(column) if !kinds.contains(&column.kind.as_str()) => {
                problems.push(format!(
                    "column {name} has type {} instead of {}",
                    column.kind, kinds[0]
                ));
            }
            Some(_) => {}
        }
    }
    for (name, column) in &relation.columns {
        if column.required && expected.iter().all(|(expected, _)| expected != name) {
            problems.push(format!(
                "column {} needs a value that this program does not know",
                quoted(name)
            ));
        }
    }
    if !problems.is_empty() {
        let problems = problems.join(", ");
        let remedy = "repair the table, or choose another spec.postgres.table";
        return Err(incompatible(
            table,
            &format!("cannot hold an inventory: {problems}; {remedy}"),
        ));
    }
    if !relation.missing_privileges.is_empty() {
        let missing = relation.missing_privileges.join(", ");
        return Err(incompatible(
            table,
            &format!("may not be used by this role; grant {missing} on it"),
        ));
    }
    Ok(())
}

fn has_key(relation: &Relation, columns: &[&str]) -> bool {
    let mut wanted = columns.to_vec();
    wanted.sort_unstable();
    relation.unique_keys.iter().any(|key| *key == wanted)
}

fn missing_key(table: &TableName, columns: &[&str]) -> Failure {
    incompatible(
        table,
        &format!(
            "has no primary key or unique index on exactly ({}); add one",
            columns.join(", ")
        ),
    )
}

fn incompatible(table: &TableName, problem: &str) -> Failure {
    Failure::incompatible(format!("{STAGE}: table {} {problem}", table.sql()))
}
