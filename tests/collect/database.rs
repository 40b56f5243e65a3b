//! A database file, as any reader sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

/// Cluster, namespace and name of the inventory, target, uid.
pub type Key = [String; 5];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub payload: String,
    pub exported_at: String,
}

pub type Rows = BTreeMap<Key, Stored>;

fn open(file: &Path) -> Connection {
    Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
}

/// All rows of a file that must be sound; none while the table does not exist.
pub fn rows(file: &Path) -> Rows {
    let connection = open(file);
    let verdict: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(verdict, "ok");
    if !connection.table_exists(None, "inventory").unwrap() {
        return Rows::new();
    }
    let mut select = connection
        .prepare(
            "SELECT cluster, inventory_namespace, inventory_name, target_name, source_uid, payload, exported_at \
             FROM inventory",
        )
        .unwrap();
    let found = select.query_map([], |row| {
        let key = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
        let stored = Stored {
            payload: row.get(5)?,
            exported_at: row.get(6)?,
        };
        Ok((key, stored))
    });
    found.unwrap().collect::<Result<_, _>>().unwrap()
}

/// What the rows say, without when they were written.
pub fn payloads(file: &Path) -> BTreeSet<String> {
    rows(file).into_values().map(|stored| stored.payload).collect()
}

/// Keys of rows that differ or are in one of them only.
pub fn difference(before: &Rows, after: &Rows) -> BTreeSet<Key> {
    let keys = before.keys().chain(after.keys());
    keys.filter(|key| before.get(*key) != after.get(*key))
        .cloned()
        .collect()
}
