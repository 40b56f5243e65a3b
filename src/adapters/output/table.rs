//! Rows as columns for people.

use std::collections::BTreeMap;
use std::io::{self, Write};

use kollect_domain::row::Row;
use serde_json::{Map, Value};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::ClusterRows;
use super::value::{is_scalar, printable, shown};

/// Widest column; what is longer is cut.
const WIDEST: usize = 60;
/// Blanks between two columns.
const GAP: usize = 3;

struct Column {
    title: String,
    width: usize,
    cells: Vec<String>,
}

/// A header, then one line a row. Columns that say the same of all rows are left out of the identity; of the
/// attributes, as many as fit are shown, those that most rows have first, then by name. Attributes with parts inside
/// are left to the other formats.
pub(super) fn print(clusters: &[ClusterRows], width: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<(&str, &Row)> = clusters
        .iter()
        .flat_map(|cluster| cluster.rows.iter().map(|row| (cluster.cluster.as_str(), row.as_ref())))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let mut columns = Vec::new();
    if clusters.len() > 1 {
        columns.push(column(
            "CLUSTER",
            rows.iter().map(|(cluster, _)| printable(cluster).into_owned()),
        ));
    }
    columns.push(column(
        "NAMESPACE",
        rows.iter().map(|(_, row)| printable(row.namespace()).into_owned()),
    ));
    let first = rows[0].1.kind();
    if rows.iter().any(|(_, row)| row.kind() != first) {
        columns.push(column(
            "KIND",
            rows.iter().map(|(_, row)| printable(row.kind()).into_owned()),
        ));
    }
    columns.push(column(
        "NAME",
        rows.iter().map(|(_, row)| printable(row.name()).into_owned()),
    ));
    add_attributes(&mut columns, &rows, width.unwrap_or(usize::MAX));
    lay_out(&columns, out)
}

/// Columns of equal length under their titles, with the same care for what a terminal would obey.
pub(super) fn columns(columns: Vec<(&str, Vec<String>)>, out: &mut dyn Write) -> io::Result<()> {
    let columns: Vec<Column> = columns
        .into_iter()
        .map(|(title, cells)| column(title, cells.iter().map(|cell| printable(cell).into_owned())))
        .collect();
    lay_out(&columns, out)
}

fn lay_out(columns: &[Column], out: &mut dyn Write) -> io::Result<()> {
    let lines = columns.first().map_or(0, |column| column.cells.len());
    for line in 0..=lines {
        let mut text = String::new();
        for (index, column) in columns.iter().enumerate() {
            let cell = line.checked_sub(1).map_or(&column.title, |row| &column.cells[row]);
            text.push_str(cell);
            if index + 1 < columns.len() {
                text.push_str(&" ".repeat(column.width + GAP - cell.width()));
            }
        }
        writeln!(out, "{}", text.trim_end())?;
    }
    Ok(())
}

fn add_attributes(columns: &mut Vec<Column>, rows: &[(&str, &Row)], width: usize) {
    let attributes: Vec<Map<String, Value>> = rows
        .iter()
        // A row's own attributes are an object or null.
        .map(|(_, row)| serde_json::from_str(row.attributes()).unwrap_or_default())
        .collect();
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for (name, value) in attributes.iter().flatten() {
        let plain = match value {
            Value::Array(elements) => elements.iter().all(is_scalar),
            other => is_scalar(other),
        };
        if plain && !value.is_null() {
            *counts.entry(name).or_default() += 1;
        }
    }
    let mut names: Vec<(&String, usize)> = counts.into_iter().collect();
    names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let mut used: usize = columns.iter().map(|column| column.width + GAP).sum();
    for (name, _) in names {
        let cells = attributes
            .iter()
            .map(|row| row.get(name).map(shown).unwrap_or_default());
        let column = column(&name.to_uppercase(), cells);
        if used.saturating_add(column.width) <= width {
            used += column.width + GAP;
            columns.push(column);
        }
    }
}

fn column(title: &str, cells: impl Iterator<Item = String>) -> Column {
    let title = cut(&printable(title));
    let cells: Vec<String> = cells.map(|cell| cut(&cell)).collect();
    let width = cells
        .iter()
        .map(|cell| cell.width())
        .max()
        .unwrap_or(0)
        .max(title.width());
    Column { title, width, cells }
}

/// The text, no wider than a column may be.
fn cut(text: &str) -> String {
    if text.width() <= WIDEST {
        return text.to_owned();
    }
    let mut width = 1;
    let kept = text.chars().take_while(|character| {
        width += character.width().unwrap_or(0);
        width <= WIDEST
    });
    kept.chain(['…']).collect()
}
