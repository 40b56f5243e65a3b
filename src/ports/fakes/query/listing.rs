//! Order, filter and pages.

use kollect_domain::ids::RowKey;
use kollect_domain::query::{Cursor, Order, Page, PageRequest, SortBy, StoredRow};

use super::filed;
use crate::error::{ErrorClass, PortError};
use crate::query::INVALID_CURSOR;

/// What decides about the place of a row: its sort values, then its key.
type Place = (Vec<String>, RowKey);

/// The rows after the request's cursor, no more than its limit.
pub(super) fn page<'a>(rows: impl Iterator<Item = &'a StoredRow>, request: &PageRequest) -> Result<Page, PortError> {
    let after = place_after(request)?;
    let mut found: Vec<(Place, &StoredRow)> = rows
        .filter(|row| is_wanted(row, request))
        .map(|row| (place(row, request.order.by), row))
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    if request.order.descending {
        found.reverse();
    }
    let is_after = |place: &Place| match &after {
        None => true,
        Some(after) if request.order.descending => place < after,
        Some(after) => place > after,
    };
    let mut left = found.into_iter().filter(|(place, _)| is_after(place)).peekable();
    let limit = usize::try_from(request.limit.max(1)).unwrap_or(usize::MAX);
    let mut page = Page {
        rows: Vec::new(),
        next: None,
    };
    let mut last = None;
    for (place, row) in left.by_ref().take(limit) {
        page.rows.push(row.clone());
        last = Some(place);
    }
    if left.peek().is_some() {
        page.next = last.map(|(values, key)| Cursor::new(request.order, values, key));
    }
    Ok(page)
}

fn place_after(request: &PageRequest) -> Result<Option<Place>, PortError> {
    let Some(cursor) = &request.after else {
        return Ok(None);
    };
    let values = cursor
        .values_for(request.order, count(request.order))
        .map_err(|error| PortError::new(ErrorClass::Rejected, INVALID_CURSOR, error.to_string()))?;
    Ok(Some((values.to_vec(), cursor.key().clone())))
}

/// How many values decide before the key does.
fn count(order: Order) -> usize {
    match order.by {
        SortBy::Namespace | SortBy::Name => 2,
        SortBy::Kind => 3,
        SortBy::ExportedAt => 1,
    }
}

fn place(row: &StoredRow, by: SortBy) -> Place {
    let member = |name| filed::member(row, name).to_owned();
    let values = match by {
        SortBy::Namespace => vec![member("namespace"), member("name")],
        SortBy::Name => vec![member("name"), member("namespace")],
        SortBy::Kind => vec![member("kind"), member("namespace"), member("name")],
        SortBy::ExportedAt => vec![sortable(row.exported_at.as_nanosecond())],
    };
    (values, row.key.clone())
}

/// A moment as text that sorts as moments do.
fn sortable(nanoseconds: i128) -> String {
    // More than the nanoseconds of ten thousand years, so that the sum is never negative.
    const SHIFT: i128 = 1 << 80;
    format!("{:026}", nanoseconds + SHIFT)
}

fn is_wanted(row: &StoredRow, request: &PageRequest) -> bool {
    let is_of_kind = request.kind.as_ref().is_none_or(|kind| *kind == filed::kind(row));
    is_of_kind && (request.text.trim().is_empty() || filed::mentions(row, &request.text))
}
