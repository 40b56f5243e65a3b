//! Asks the questions and understands the answers.

use std::collections::BTreeSet;
use std::pin::pin;

use futures::TryStreamExt as _;
use jiff::Timestamp;
use kollect_domain::ids::{InventoryKey, RowKey};
use kollect_ports::error::PortError;
use kollect_ports::query::{
    GroupKind, InvalidCursor, InventoryId, InventorySummary, Page, PageRequest, ScopeState, SortBy, StoredRow,
    Visibility,
};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql, Type};

use super::pool::{Question, failed};
use super::queries::{Queries, sort_type};
use crate::listing::{self, Needle, PageBuilder, SortColumn, Summaries};
use crate::postgres::connection::{Connection, Parameter};
use crate::postgres::failure::Failure;

/// All inventories with visible rows or states.
pub(super) struct InventoriesQuestion<'a>(pub(super) &'a Visibility);

/// One page.
pub(super) struct PageQuestion<'a> {
    request: &'a PageRequest,
    visibility: &'a Visibility,
    needle: Option<Needle>,
    after: Option<After<'a>>,
}

/// The row that a page comes after.
struct After<'a> {
    values: Vec<SortValue<'a>>,
    key: &'a RowKey,
}

/// What a row is sorted by.
enum SortValue<'a> {
    Text(&'a str),
    Time(Timestamp),
}

/// One row.
pub(super) struct RowQuestion<'a> {
    pub(super) inventory: &'a InventoryId,
    pub(super) key: &'a RowKey,
    pub(super) visibility: &'a Visibility,
}

/// The states of an inventory.
pub(super) struct StatesQuestion<'a> {
    pub(super) inventory: &'a InventoryId,
    pub(super) visibility: &'a Visibility,
}

impl Question for InventoriesQuestion<'_> {
    type Answer = Vec<InventorySummary>;

    async fn ask(&self, session: &mut Connection, queries: &Queries) -> Result<Self::Answer, Failure> {
        let (clusters, namespaces) = (list(self.0.clusters.as_ref()), list(self.0.namespaces.as_ref()));
        let visible: [Parameter<'_>; 2] = [(&clusters, Type::TEXT_ARRAY), (&namespaces, Type::TEXT_ARRAY)];
        let mut found = Summaries::default();
        for row in query(session, &queries.counts, &visible).await? {
            let kind = GroupKind {
                group: get::<&str>(&row, 3)?.into(),
                kind: get::<&str>(&row, 4)?.into(),
            };
            found.count(inventory(&row)?, kind, (get(&row, 5)?, get(&row, 6)?));
        }
        if has_states(session, queries).await? {
            for row in query(session, &queries.recorded, &visible).await? {
                found.of(inventory(&row)?);
            }
        }
        Ok(found.finish())
    }
}

impl<'a> PageQuestion<'a> {
    /// # Errors
    /// `Rejected` when the cursor is not one of this list.
    pub(super) fn new(request: &'a PageRequest, visibility: &'a Visibility) -> Result<Self, PortError> {
        let after = listing::place_after(request)?.map(|(values, key)| {
            let values = values.iter().map(|value| SortValue::of(request.order.by, value));
            let values = values.collect::<Result<_, _>>().map_err(listing::invalid_cursor)?;
            if is_unknown(&[&key.target, &key.uid]) {
                return Err(listing::invalid_cursor(InvalidCursor));
            }
            Ok(After { values, key })
        });
        Ok(Self {
            request,
            visibility,
            needle: Needle::of(request),
            after: after.transpose()?,
        })
    }

    /// Whether something is asked for that no database can hold.
    fn finds_nothing(&self) -> bool {
        let kind = self.request.kind.as_ref();
        let names = kind.map_or(["", ""], |kind| [&kind.group, &kind.kind]);
        let text = self.needle.as_ref().map_or("", |needle| &needle.plain);
        !is_shown(&self.request.inventory, self.visibility) || is_unknown(&names) || is_unknown(&[text])
    }
}

impl<'a> SortValue<'a> {
    fn of(by: SortBy, value: &'a str) -> Result<Self, InvalidCursor> {
        match by {
            SortBy::ExportedAt => value.parse().map(Self::Time).map_err(|_| InvalidCursor),
            SortBy::Namespace | SortBy::Name | SortBy::Kind if value.contains('\0') => Err(InvalidCursor),
            SortBy::Namespace | SortBy::Name | SortBy::Kind => Ok(Self::Text(value)),
        }
    }

    fn parameter(&self, by: SortBy) -> Parameter<'_> {
        let value: &(dyn ToSql + Sync) = match self {
            Self::Text(text) => text,
            Self::Time(time) => time,
        };
        (value, sort_type(by))
    }
}

impl Question for PageQuestion<'_> {
    type Answer = Page;

    async fn ask(&self, session: &mut Connection, queries: &Queries) -> Result<Page, Failure> {
        let request = self.request;
        let mut page = PageBuilder::new(request);
        if self.finds_nothing() {
            return Ok(page.finish());
        }
        let namespaces = list(self.visibility.namespaces.as_ref());
        let (kind, group) = request.kind.as_ref().map(|kind| (&*kind.kind, &*kind.group)).unzip();
        let needle = self.needle.as_ref();
        let (plain, in_json) = needle.map(|needle| (&needle.plain, &needle.in_json)).unzip();
        let limit = listing::rows_to_read(request);
        let key = [
            &*request.inventory.cluster,
            &*request.inventory.inventory.namespace,
            &*request.inventory.inventory.name,
        ];
        let mut parameters: Vec<Parameter<'_>> = key.iter().map(|part| (part as _, Type::TEXT)).collect();
        parameters.push((&namespaces, Type::TEXT_ARRAY));
        parameters.extend([
            (&kind as _, Type::TEXT),
            (&group as _, Type::TEXT),
            (&plain as _, Type::TEXT),
            (&in_json as _, Type::TEXT),
            (&limit as _, Type::INT8),
        ]);
        let last = self.after.as_ref().map(|after| [&*after.key.target, &*after.key.uid]);
        if let (Some(after), Some(last)) = (&self.after, &last) {
            parameters.extend(after.values.iter().map(|value| value.parameter(request.order.by)));
            parameters.extend(last.iter().map(|part| -> Parameter<'_> { (part, Type::TEXT) }));
        }
        let sql = queries.page(request.order, self.after.is_some());
        let types: Vec<Type> = parameters.iter().map(|(_, kind)| kind.clone()).collect();
        let statement = session.prepare(&sql, &types).await.map_err(|error| failed(&error))?;
        let rows = session.stream(&statement, &parameters).await;
        let mut rows = pin!(rows.map_err(|error| failed(&error))?);
        while let Some(row) = rows.try_next().await.map_err(|error| failed(&error))? {
            let bytes = get::<&str>(&row, 2)?.len();
            let stored = stored(&row, &request.inventory)?;
            if page
                .push(stored, sort_values(&row, request.order.by)?, bytes)
                .is_break()
            {
                break;
            }
        }
        Ok(page.finish())
    }
}

impl Question for RowQuestion<'_> {
    type Answer = Option<StoredRow>;

    async fn ask(&self, session: &mut Connection, queries: &Queries) -> Result<Self::Answer, Failure> {
        let RowQuestion {
            inventory: id,
            key: RowKey { target, uid },
            visibility,
        } = *self;
        if !is_shown(id, visibility) || is_unknown(&[target, uid]) {
            return Ok(None);
        }
        let namespaces = list(visibility.namespaces.as_ref());
        let texts = [&*id.cluster, &*id.inventory.namespace, &*id.inventory.name, target, uid];
        let mut parameters: Vec<Parameter<'_>> = texts.iter().map(|text| (text as _, Type::TEXT)).collect();
        parameters.insert(3, (&namespaces, Type::TEXT_ARRAY));
        let rows = query(session, &queries.row, &parameters).await?;
        rows.first().map(|row| stored(row, id)).transpose()
    }
}

impl Question for StatesQuestion<'_> {
    type Answer = Vec<ScopeState>;

    /// A database of an earlier program has no states.
    async fn ask(&self, session: &mut Connection, queries: &Queries) -> Result<Self::Answer, Failure> {
        let id = self.inventory;
        if !is_shown(id, self.visibility) || !has_states(session, queries).await? {
            return Ok(Vec::new());
        }
        let namespaces = list(self.visibility.namespaces.as_ref());
        let texts = [&*id.cluster, &*id.inventory.namespace, &*id.inventory.name];
        let mut parameters: Vec<Parameter<'_>> = texts.iter().map(|text| (text as _, Type::TEXT)).collect();
        parameters.push((&namespaces, Type::TEXT_ARRAY));
        let rows = query(session, &queries.states, &parameters).await?;
        rows.iter().map(state).collect()
    }
}

async fn has_states(session: &mut Connection, queries: &Queries) -> Result<bool, Failure> {
    let rows = query(session, &queries.has_states, &[]).await?;
    rows.first().map_or(Ok(false), |row| get(row, 0))
}

async fn query(session: &mut Connection, sql: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, Failure> {
    session.query(sql, parameters).await.map_err(|error| failed(&error))
}

/// Whether rows of the inventory can be seen at all, and exist as far as its name tells.
fn is_shown(id: &InventoryId, visibility: &Visibility) -> bool {
    visibility.includes_cluster(&id.cluster) && !is_unknown(&[&id.cluster, &id.inventory.namespace, &id.inventory.name])
}

/// Whether one of the texts cannot be stored by the server, and so is nowhere in it.
fn is_unknown(texts: &[&str]) -> bool {
    texts.iter().any(|text| text.contains('\0'))
}

/// A list of values as one parameter; nothing stands for all values.
fn list(values: Option<&BTreeSet<String>>) -> Option<Vec<&str>> {
    values.map(|values| {
        let storable = values.iter().map(String::as_str).filter(|value| !is_unknown(&[value]));
        storable.collect()
    })
}

fn get<'a, T: FromSql<'a>>(row: &'a Row, index: usize) -> Result<T, Failure> {
    row.try_get(index).map_err(|error| failed(&error))
}

fn inventory(row: &Row) -> Result<InventoryId, Failure> {
    Ok(InventoryId {
        cluster: get::<&str>(row, 0)?.into(),
        inventory: InventoryKey::new(get(row, 1)?, get(row, 2)?),
    })
}

fn sort_values(row: &Row, by: SortBy) -> Result<Vec<String>, Failure> {
    let columns = SortColumn::of(by).len();
    let values = (4..4 + columns).map(|index| match by {
        SortBy::ExportedAt => Ok(get::<Timestamp>(row, index)?.to_string()),
        SortBy::Namespace | SortBy::Name | SortBy::Kind => get(row, index),
    });
    values.collect()
}

fn stored(row: &Row, id: &InventoryId) -> Result<StoredRow, Failure> {
    Ok(StoredRow {
        inventory: id.clone(),
        key: RowKey {
            target: get::<&str>(row, 0)?.into(),
            uid: get::<&str>(row, 1)?.into(),
        },
        payload: listing::payload(get(row, 2)?),
        exported_at: get(row, 3)?,
    })
}

fn state(row: &Row) -> Result<ScopeState, Failure> {
    Ok(ScopeState {
        target: get::<&str>(row, 0)?.into(),
        kind: get(row, 1)?,
        scope: get(row, 2)?,
        state: get(row, 3)?,
        reason: get(row, 4)?,
        last_list: get(row, 5)?,
        last_event: get(row, 6)?,
        as_of: get(row, 7)?,
        rows: get::<i64>(row, 8)?.unsigned_abs(),
        updated_at: get(row, 9)?,
    })
}
