//! What the readers of all databases have in common: filters, the place in a list, and how a page is put together.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use jiff::Timestamp;
use kollect_domain::ids::RowKey;
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::query::{
    Cursor, GroupKind, HISTORY_UNAVAILABLE, INVALID_CURSOR, InvalidCursor, InventoryId, InventorySummary, Order, Page,
    PageRequest, QUERY_TIMEOUT, SortBy, StoredRow, View,
};
use serde_json::Value;

/// Most rows of a page, whatever is asked for.
const MOST_ROWS: u32 = 1_000;
/// Bytes of payload after which a page ends, for inventories with large rows.
const PAGE_BYTES: usize = 8 << 20;

/// A column that decides about an order, before the row's key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SortColumn {
    /// Namespace of the object.
    Namespace,
    /// Name of the object.
    Name,
    /// Kind of the object.
    Kind,
    /// When the row was last written.
    ExportedAt,
}

impl SortColumn {
    /// The columns of an order.
    pub(crate) fn of(by: SortBy) -> &'static [Self] {
        match by {
            SortBy::Namespace => &[Self::Namespace, Self::Name],
            SortBy::Name => &[Self::Name, Self::Namespace],
            SortBy::Kind => &[Self::Kind, Self::Namespace, Self::Name],
            SortBy::ExportedAt => &[Self::ExportedAt],
        }
    }

    /// The column's name in the SQL of lists.
    pub(crate) fn sql(self) -> &'static str {
        match self {
            Self::Namespace => "namespace",
            Self::Name => "name",
            Self::Kind => "kind",
            Self::ExportedAt => "exported_at",
        }
    }
}

/// Most rows to read for a page: one more than it may have, which tells whether another page follows.
pub(crate) fn rows_to_read(request: &PageRequest) -> i64 {
    i64::from(most_rows(request)) + 1
}

fn most_rows(request: &PageRequest) -> u32 {
    request.limit.clamp(1, MOST_ROWS)
}

/// The sort values and the key after which a page begins.
///
/// # Errors
/// `Rejected` when the cursor was made for another order.
pub(crate) fn place_after(request: &PageRequest) -> Result<Option<(&[String], &RowKey)>, PortError> {
    let count = SortColumn::of(request.order.by).len();
    let place = request.after.as_ref().map(|cursor| {
        let values = cursor.values_for(request.order, count).map_err(invalid_cursor)?;
        Ok((values, cursor.key()))
    });
    place.transpose()
}

/// A text to look for.
///
/// Attributes are searched in their JSON text, so what JSON escapes is escaped in what is looked for as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Needle {
    /// As it stands in a name; ASCII letters in lower case.
    pub(crate) plain: String,
    /// As it stands in the text of a JSON string; ASCII letters in lower case.
    pub(crate) in_json: String,
}

impl Needle {
    /// What a request looks for; `None` when it looks for nothing.
    pub(crate) fn of(request: &PageRequest) -> Option<Self> {
        let text = &request.text;
        if text.trim().is_empty() {
            return None;
        }
        let quoted = Value::from(text.as_str()).to_string();
        let in_json = quoted.get(1..quoted.len() - 1).unwrap_or_default();
        Some(Self {
            plain: text.to_ascii_lowercase(),
            in_json: in_json.to_ascii_lowercase(),
        })
    }
}

/// A page while its rows arrive.
#[derive(Debug)]
pub(crate) struct PageBuilder {
    order: Order,
    most_rows: usize,
    bytes: usize,
    rows: Vec<StoredRow>,
    last: Vec<String>,
    is_full: bool,
}

impl PageBuilder {
    /// An empty page.
    pub(crate) fn new(request: &PageRequest) -> Self {
        Self {
            order: request.order,
            most_rows: most_rows(request) as usize,
            bytes: 0,
            rows: Vec::new(),
            last: Vec::new(),
            is_full: false,
        }
    }

    /// Adds the next row with its sort values and the size of its payload; breaks when it has no place any more.
    pub(crate) fn push(&mut self, row: StoredRow, values: Vec<String>, bytes: usize) -> ControlFlow<()> {
        let fits = self.rows.is_empty() || self.bytes + bytes <= PAGE_BYTES;
        if self.rows.len() == self.most_rows || !fits {
            self.is_full = true;
            return ControlFlow::Break(());
        }
        self.bytes += bytes;
        self.rows.push(row);
        self.last = values;
        ControlFlow::Continue(())
    }

    /// The page, with the place of the next one if a row had no place.
    pub(crate) fn finish(self) -> Page {
        let last = self.rows.last().filter(|_| self.is_full);
        let next = last.map(|row| Cursor::new(self.order, self.last, row.key.clone()));
        Page { next, rows: self.rows }
    }
}

/// What there is of inventories, while it is found out.
#[derive(Debug, Default)]
pub(crate) struct Summaries(BTreeMap<InventoryId, InventorySummary>);

impl Summaries {
    /// Rows of one kind.
    pub(crate) fn count(&mut self, id: InventoryId, kind: GroupKind, (count, newest): (i64, Timestamp)) {
        let summary = self.of(id);
        summary.kinds.push((kind, count.unsigned_abs()));
        summary.exported_at = summary.exported_at.max(Some(newest));
    }

    /// An inventory of which a state is recorded.
    pub(crate) fn of(&mut self, id: InventoryId) -> &mut InventorySummary {
        self.0.entry(id.clone()).or_insert_with(|| InventorySummary {
            id,
            kinds: Vec::new(),
            exported_at: None,
        })
    }

    /// All of them, in order.
    pub(crate) fn finish(self) -> Vec<InventorySummary> {
        let mut summaries: Vec<InventorySummary> = self.0.into_values().collect();
        for summary in &mut summaries {
            summary.kinds.sort_unstable();
        }
        summaries
    }
}

/// A stored payload; what is no JSON, or none that fits into memory, is shown as text.
pub(crate) fn payload(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// Refuses questions about moments: no history is kept yet.
pub(crate) fn only_now(view: &View) -> Result<(), PortError> {
    if view.at.is_none() {
        return Ok(());
    }
    Err(PortError::new(
        ErrorClass::Rejected,
        HISTORY_UNAVAILABLE,
        "the database keeps no history; ask for the present",
    ))
}

/// The cursor is not one of this list.
pub(crate) fn invalid_cursor(error: InvalidCursor) -> PortError {
    PortError::new(ErrorClass::Rejected, INVALID_CURSOR, error.to_string())
}

/// The answer took too long.
pub(crate) fn overdue(limit: Duration) -> PortError {
    PortError::new(
        ErrorClass::Transient,
        QUERY_TIMEOUT,
        format!(
            "the database did not answer within {} s; ask for less, or again later",
            limit.as_secs_f32()
        ),
    )
}

#[cfg(test)]
mod tests {
    use kollect_domain::ids::InventoryKey;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn request(text: &str, limit: u32) -> PageRequest {
        PageRequest {
            inventory: id(),
            kind: None,
            text: text.to_owned(),
            order: Order::default(),
            after: None,
            limit,
        }
    }

    fn id() -> InventoryId {
        InventoryId {
            cluster: "".into(),
            inventory: InventoryKey::new("team-a", "apps"),
        }
    }

    fn page(limit: u32, sizes: &[usize]) -> Page {
        let mut builder = PageBuilder::new(&request("", limit));
        for (number, size) in sizes.iter().enumerate() {
            let row = StoredRow {
                inventory: id(),
                key: RowKey {
                    target: "t".into(),
                    uid: number.to_string().into(),
                },
                payload: Value::Null,
                exported_at: Timestamp::UNIX_EPOCH,
            };
            if builder.push(row, vec![String::new(); 2], *size).is_break() {
                break;
            }
        }
        builder.finish()
    }

    #[test]
    fn a_page_ends_at_its_limit_and_says_whether_more_follows() {
        assert_eq!((page(3, &[1; 3]).rows.len(), page(3, &[1; 3]).next), (3, None));
        let page = page(3, &[1; 4]);
        assert_eq!(page.rows.len(), 3);
        assert_eq!(&*page.next.unwrap().key().uid, "2");
    }

    #[test]
    fn a_page_of_large_rows_ends_early_and_has_one_row_at_least() {
        assert_eq!(page(100, &[5 << 20, 2 << 20, 2 << 20, 1]).rows.len(), 2);
        assert_eq!(page(100, &[50 << 20, 1]).rows.len(), 1);
    }

    #[test]
    fn a_limit_out_of_range_is_brought_into_it() {
        assert_eq!(rows_to_read(&request("", 0)), 2);
        assert_eq!(rows_to_read(&request("", u32::MAX)), i64::from(MOST_ROWS) + 1);
    }

    #[test]
    fn blank_text_looks_for_nothing() {
        assert_eq!(Needle::of(&request(" \t", 1)), None);
    }

    proptest! {
        #[test]
        fn what_occurs_in_a_value_occurs_in_its_json_text(before: String, text in ".*[^ ].*", after: String) {
            if let Some(needle) = Needle::of(&request(&text, 1)) {
                let stored = json!({ "value": format!("{before}{text}{after}") }).to_string();
                prop_assert!(stored.to_ascii_lowercase().contains(&needle.in_json));
            }
        }
    }
}
