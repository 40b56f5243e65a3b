//! Rows as comma-separated values.
//!
//! **Source**: RFC 4180, with line feeds. Texts that a spreadsheet would take for a formula are quoted with `'`.

use std::collections::BTreeSet;
use std::io::{self, Write};

use kollect_domain::row::Row;
use serde_json::{Map, Value};

use super::ClusterRows;

/// Columns that every row has.
const IDENTITY: [&str; 7] = ["namespace", "name", "group", "version", "kind", "target", "uid"];

/// A header, then one line a row: identity, then all attributes by name.
pub(super) fn print(clusters: &[ClusterRows], out: &mut dyn Write) -> io::Result<()> {
    let several = clusters.len() > 1;
    let mut names: BTreeSet<String> = BTreeSet::new();
    for row in clusters.iter().flat_map(|cluster| &cluster.rows) {
        names.extend(attributes(row).into_iter().map(|(name, _)| name));
    }
    let mut writer = csv::WriterBuilder::new().from_writer(out);
    let cluster_column = several.then_some("cluster");
    let header = cluster_column
        .into_iter()
        .chain(IDENTITY)
        .chain(names.iter().map(String::as_str));
    writer.write_record(header.map(safe)).map_err(io::Error::from)?;
    for cluster in clusters {
        for row in &cluster.rows {
            let attributes = attributes(row);
            let label = several.then_some(cluster.cluster.as_str());
            let values = names
                .iter()
                .map(|name| attributes.get(name).map_or_else(String::new, cell));
            let record = label.into_iter().chain(identity(row)).map(safe).chain(values);
            writer.write_record(record).map_err(io::Error::from)?;
        }
    }
    writer.flush()
}

fn identity(row: &Row) -> [&str; IDENTITY.len()] {
    [
        row.namespace(),
        row.name(),
        row.group(),
        row.version(),
        row.kind(),
        row.target_name(),
        row.uid(),
    ]
}

fn attributes(row: &Row) -> Map<String, Value> {
    // A row's own attributes are an object or null.
    serde_json::from_str(row.attributes()).unwrap_or_default()
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => safe(text),
        other => other.to_string(),
    }
}

/// **Source**: OWASP, "CSV Injection".
fn safe(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}
