//! The heads of the columns, by which rows are sorted.

use kollect_ports::query::{Order, SortBy};

use crate::address::{self, Format};
use crate::columns::Column;
use crate::query::ListQuery;
use crate::settings::BasePath;

/// The head of a column.
#[derive(Debug)]
pub struct Head {
    /// What it says.
    pub label: String,
    /// The name of a class of the style sheet.
    pub class: &'static str,
    /// Where it sorts, if it can.
    pub href: Option<String>,
    /// How it is sorted: `ascending` or `descending`.
    pub sorted: Option<&'static str>,
}

/// The heads of a list; `is_one_kind` decides what stands between the names and the time.
pub fn heads(base: &BasePath, query: &ListQuery, columns: &[Column], is_one_kind: bool) -> Vec<Head> {
    let sortable = |label: &str, by| sortable(base, query, label, by);
    let mut heads = vec![sortable("Namespace", SortBy::Namespace), sortable("Name", SortBy::Name)];
    if query.kind.is_none() {
        heads.push(sortable("Kind", SortBy::Kind));
    }
    if !is_one_kind {
        heads.push(plain("Attributes", "attribute"));
    }
    heads.extend(columns.iter().map(|column| {
        let class = if column.is_numeric {
            "attribute number"
        } else {
            "attribute"
        };
        plain(&column.name, class)
    }));
    heads.push(sortable("Last export", SortBy::ExportedAt));
    heads
}

fn plain(label: &str, class: &'static str) -> Head {
    Head {
        label: label.to_owned(),
        class,
        href: None,
        sorted: None,
    }
}

fn sortable(base: &BasePath, query: &ListQuery, label: &str, by: SortBy) -> Head {
    let is_sorted = query.order.by == by;
    let descending = if is_sorted {
        !query.order.descending
    } else {
        // Of times, the latest are looked for first.
        by == SortBy::ExportedAt
    };
    let sorted = ListQuery {
        order: Order { by, descending },
        after: None,
        ..query.clone()
    };
    let direction = if query.order.descending {
        "descending"
    } else {
        "ascending"
    };
    Head {
        label: label.to_owned(),
        class: if by == SortBy::ExportedAt { "time" } else { "text" },
        href: Some(address::list(base, Format::Html, &sorted)),
        sorted: is_sorted.then_some(direction),
    }
}
