//! One row of the list.

use kollect_ports::query::StoredRow;
use serde::Serialize;
use serde_json::Value;

use crate::address::{self, Format};
use crate::cell::{Cell, cell, cut, preview};
use crate::columns::Column;
use crate::settings::BasePath;
use crate::shown::Moment;

/// Longest name in a table, in characters; Kubernetes has none that is longer.
const LONGEST_NAME: usize = 253;

/// One row of the list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// Namespace of the object, empty for objects of the cluster.
    pub namespace: String,
    /// Name of the object, empty if the row has none.
    pub name: String,
    /// Kind of the object.
    pub kind: String,
    /// API group, empty for the core group.
    pub group: String,
    /// API version.
    pub version: String,
    /// Target that collected it.
    pub target: String,
    /// Uid of the object.
    pub uid: String,
    /// When the row was last written.
    pub exported_at: Moment,
    /// All attributes, whole.
    pub attributes: Value,
    /// Address of the row's JSON.
    pub row: String,
    /// Address of the row's page.
    #[serde(skip)]
    pub href: String,
    /// The attributes that the table shows.
    #[serde(skip)]
    pub cells: Vec<Cell>,
}

impl Line {
    /// A row with the attributes of some columns, or all of them in one.
    pub fn new(base: &BasePath, row: &StoredRow, columns: Option<&[Column]>) -> Self {
        let member = |name: &str| {
            cut(
                row.payload.get(name).and_then(Value::as_str).unwrap_or_default(),
                LONGEST_NAME,
            )
        };
        let attributes = row.payload.get("attributes").unwrap_or(&Value::Null);
        let cells = match columns {
            Some(columns) => columns
                .iter()
                .map(|column| cell(attributes.get(&column.name)))
                .collect(),
            None => vec![preview(attributes)],
        };
        Self {
            namespace: member("namespace"),
            name: member("name"),
            kind: member("kind"),
            group: member("group"),
            version: member("version"),
            target: row.key.target.to_string(),
            uid: row.key.uid.to_string(),
            exported_at: Moment(row.exported_at),
            row: address::row(base, Format::Json, &row.inventory, &row.key),
            href: address::row(base, Format::Html, &row.inventory, &row.key),
            cells,
            attributes: attributes.clone(),
        }
    }

    /// What the link to the row says; a row of another program may have no name.
    pub fn label(&self) -> &str {
        if self.name.is_empty() { &self.uid } else { &self.name }
    }
}
