//! Rows for whoever started the program: kept in memory by a sink of their own, then printed in one of several formats.

mod buffer;
mod csv;
mod documents;
mod table;
mod value;

#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::sync::Arc;

use jiff::Timestamp;
use kollect_domain::row::Row;

pub use buffer::{RowBuffer, RowBufferFactory};
pub use value::{printable, shown};

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Columns for people, no wider than this many characters if given.
    Table {
        /// Width of the terminal.
        width: Option<usize>,
    },
    /// The export envelope, one line for each cluster.
    Json,
    /// One row a line.
    Ndjson,
    /// Comma-separated values with a header.
    Csv,
    /// The export envelope as YAML, one document for each cluster.
    Yaml,
}

/// The rows of one cluster.
#[derive(Debug, Clone)]
pub struct ClusterRows {
    /// Label of the cluster, often empty.
    pub cluster: String,
    /// In canonical order.
    pub rows: Vec<Arc<Row>>,
    /// When they were collected.
    pub exported_at: Timestamp,
}

/// Prints columns of equal length under their titles, for people.
///
/// # Errors
/// Those of `out`.
pub fn print_columns(columns: Vec<(&str, Vec<String>)>, out: &mut dyn Write) -> io::Result<()> {
    table::columns(columns, out)
}

/// Prints the rows.
///
/// Where there are several clusters, rows name theirs: in a column, or in a member `cluster` behind the others.
///
/// # Errors
/// Those of `out`.
pub fn print(format: Format, clusters: &[ClusterRows], out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Table { width } => table::print(clusters, width, out),
        Format::Json => documents::json(clusters, out),
        Format::Ndjson => documents::ndjson(clusters, out),
        Format::Csv => csv::print(clusters, out),
        Format::Yaml => documents::yaml(clusters, out),
    }?;
    out.flush()
}
