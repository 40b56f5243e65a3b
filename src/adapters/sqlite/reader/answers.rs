//! Asks the questions and understands the answers.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use kollect_domain::ids::{InventoryKey, RowKey};
use kollect_ports::query::{
    GroupKind, InventoryId, InventorySummary, Page, PageRequest, ScopeState, StoredRow, Visibility,
};
use rusqlite::types::{ToSql, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::queries::Queries;
use crate::listing::{self, Needle, PageBuilder, SortColumn, Summaries};
use crate::sqlite::failure::{Failure, during};
use crate::sqlite::identifier::TableName;

const STAGE: &str = "sqlite read";
const HAS_TABLE: &str = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE)";

/// All inventories with visible rows or states.
pub(super) fn inventories(
    file: &Connection,
    queries: &Queries,
    visibility: &Visibility,
) -> Result<Vec<InventorySummary>, Failure> {
    require_inventory(file, queries)?;
    let visible = params![list(visibility.clusters.as_ref()), list(visibility.namespaces.as_ref())];
    let mut found = Summaries::default();
    let mut counts = file.prepare_cached(&queries.counts).map_err(during(STAGE))?;
    let counted = counts.query_map(visible, count).map_err(during(STAGE))?;
    for counted in counted {
        let (id, kind, rows) = counted.map_err(during(STAGE))?;
        found.count(id, kind, rows);
    }
    if has_table(file, &queries.sync)? {
        let mut recorded = file.prepare_cached(&queries.recorded).map_err(during(STAGE))?;
        for id in recorded.query_map(visible, inventory).map_err(during(STAGE))? {
            found.of(id.map_err(during(STAGE))?);
        }
    }
    Ok(found.finish())
}

/// One page.
pub(super) fn page(
    file: &Connection,
    queries: &Queries,
    (request, visibility): (&PageRequest, &Visibility),
) -> Result<Page, Failure> {
    require_inventory(file, queries)?;
    let mut page = PageBuilder::new(request);
    let id = &request.inventory;
    if !visibility.includes_cluster(&id.cluster) {
        return Ok(page.finish());
    }
    let after = listing::place_after(request)?;
    let namespaces = list(visibility.namespaces.as_ref());
    let (kind, group) = request.kind.as_ref().map(|kind| (&kind.kind, &kind.group)).unzip();
    let (plain, in_json) = Needle::of(request).map(|needle| (needle.plain, needle.in_json)).unzip();
    let limit = listing::rows_to_read(request);
    let (cluster, namespace, name) = (&id.cluster, &id.inventory.namespace, &id.inventory.name);
    let mut parameters: Vec<&dyn ToSql> = vec![
        cluster,
        namespace,
        name,
        &namespaces,
        &kind,
        &group,
        &plain,
        &in_json,
        &limit,
    ];
    if let Some((values, key)) = &after {
        parameters.extend(values.iter().map(|value| value as &dyn ToSql));
        parameters.extend([&key.target as &dyn ToSql, &key.uid]);
    }
    let sql = queries.page(request.order, after.is_some());
    let mut statement = file.prepare_cached(&sql).map_err(during(STAGE))?;
    let mut rows = statement.query(&*parameters).map_err(during(STAGE))?;
    while let Some(row) = rows.next().map_err(during(STAGE))? {
        let (stored, values, bytes) = listed(row, request).map_err(during(STAGE))?;
        if page.push(stored, values, bytes).is_break() {
            break;
        }
    }
    Ok(page.finish())
}

/// One row.
pub(super) fn row(
    file: &Connection,
    queries: &Queries,
    (id, key, visibility): (&InventoryId, &RowKey, &Visibility),
) -> Result<Option<StoredRow>, Failure> {
    require_inventory(file, queries)?;
    if !visibility.includes_cluster(&id.cluster) {
        return Ok(None);
    }
    let (namespaces, inventory) = (list(visibility.namespaces.as_ref()), &id.inventory);
    let parameters = params![
        id.cluster,
        inventory.namespace,
        inventory.name,
        namespaces,
        key.target,
        key.uid
    ];
    file.prepare_cached(&queries.row)
        .and_then(|mut row| row.query_row(parameters, |row| stored(row, id)).optional())
        .map_err(during(STAGE))
}

/// The states of an inventory; none in a file of an earlier program.
pub(super) fn states(
    file: &Connection,
    queries: &Queries,
    (id, visibility): (&InventoryId, &Visibility),
) -> Result<Vec<ScopeState>, Failure> {
    require_inventory(file, queries)?;
    if !visibility.includes_cluster(&id.cluster) || !has_table(file, &queries.sync)? {
        return Ok(Vec::new());
    }
    let (namespaces, inventory) = (list(visibility.namespaces.as_ref()), &id.inventory);
    file.prepare_cached(&queries.states)
        .and_then(|mut states| {
            let parameters = params![id.cluster, inventory.namespace, inventory.name, namespaces];
            states.query_map(parameters, state)?.collect()
        })
        .map_err(during(STAGE))
}

fn require_inventory(file: &Connection, queries: &Queries) -> Result<(), Failure> {
    if has_table(file, &queries.main)? {
        return Ok(());
    }
    Err(Failure::incompatible(format!(
        "{STAGE}: the file has no table {}; name the table that the rows were written to",
        queries.main.sql()
    )))
}

fn has_table(file: &Connection, table: &TableName) -> Result<bool, Failure> {
    file.prepare_cached(HAS_TABLE)
        .and_then(|mut has| has.query_row([table.name()], |row| row.get(0)))
        .map_err(during(STAGE))
}

/// A list of values as one parameter; nothing stands for all values.
fn list(values: Option<&BTreeSet<String>>) -> Option<String> {
    values.map(|values| {
        values
            .iter()
            .map(String::as_str)
            .collect::<serde_json::Value>()
            .to_string()
    })
}

/// Rows of one kind, and when the newest of them was written.
fn count(row: &Row<'_>) -> rusqlite::Result<(InventoryId, GroupKind, (i64, Timestamp))> {
    let kind = GroupKind {
        group: text(row, 3)?.into(),
        kind: text(row, 4)?.into(),
    };
    Ok((inventory(row)?, kind, (row.get(5)?, written(&text(row, 6)?))))
}

fn inventory(row: &Row<'_>) -> rusqlite::Result<InventoryId> {
    Ok(InventoryId {
        cluster: text(row, 0)?.into(),
        inventory: InventoryKey::new(&text(row, 1)?, &text(row, 2)?),
    })
}

/// A row with its sort values and the size of its payload.
fn listed(row: &Row<'_>, request: &PageRequest) -> rusqlite::Result<(StoredRow, Vec<String>, usize)> {
    let columns = SortColumn::of(request.order.by).len();
    let values = (0..columns)
        .map(|index| text(row, 4 + index))
        .collect::<Result<_, _>>()?;
    let bytes = text(row, 2)?.len();
    Ok((stored(row, &request.inventory)?, values, bytes))
}

fn stored(row: &Row<'_>, id: &InventoryId) -> rusqlite::Result<StoredRow> {
    Ok(StoredRow {
        inventory: id.clone(),
        key: RowKey {
            target: text(row, 0)?.into(),
            uid: text(row, 1)?.into(),
        },
        payload: listing::payload(&text(row, 2)?),
        exported_at: written(&text(row, 3)?),
    })
}

fn state(row: &Row<'_>) -> rusqlite::Result<ScopeState> {
    let time = |index| Ok::<_, rusqlite::Error>(text(row, index)?.parse::<Timestamp>().ok());
    let target: Arc<str> = text(row, 0)?.into();
    Ok(ScopeState {
        target,
        kind: text(row, 1)?,
        scope: text(row, 2)?,
        state: text(row, 3)?,
        reason: text(row, 4)?,
        last_list: time(5)?,
        last_event: time(6)?,
        as_of: time(7)?,
        rows: row.get::<_, i64>(8)?.unsigned_abs(),
        updated_at: written(&text(row, 9)?),
    })
}

/// Other programs may have stored anything: what is not text is shown as text, what is nothing is empty.
fn text(row: &Row<'_>, index: usize) -> rusqlite::Result<String> {
    Ok(match row.get_ref(index)? {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    })
}

/// A stored time; one that another program wrote in a form of its own sorts by its text and is shown as the epoch.
fn written(text: &str) -> Timestamp {
    text.parse().unwrap_or(Timestamp::UNIX_EPOCH)
}
