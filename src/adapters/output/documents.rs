//! Rows as JSON and YAML.

use std::io::{self, Write};

use kollect_domain::envelope::Envelope;
use serde_json::Value;

use super::ClusterRows;

/// One envelope a line.
pub(super) fn json(clusters: &[ClusterRows], out: &mut dyn Write) -> io::Result<()> {
    for cluster in clusters {
        out.write_all(
            envelope(cluster)
                .head(cluster.rows.iter().map(AsRef::as_ref))
                .as_bytes(),
        )?;
        for (index, row) in cluster.rows.iter().enumerate() {
            if index > 0 {
                out.write_all(b",")?;
            }
            out.write_all(row.payload().as_bytes())?;
        }
        out.write_all(Envelope::TAIL.as_bytes())?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// One row a line.
pub(super) fn ndjson(clusters: &[ClusterRows], out: &mut dyn Write) -> io::Result<()> {
    let several = clusters.len() > 1;
    for cluster in clusters {
        let label = Value::String(cluster.cluster.clone()).to_string();
        for row in &cluster.rows {
            match row.payload().strip_suffix('}') {
                Some(members) if several => writeln!(out, "{members},\"cluster\":{label}}}")?,
                _ => writeln!(out, "{}", row.payload())?,
            }
        }
    }
    Ok(())
}

/// One envelope a document.
pub(super) fn yaml(clusters: &[ClusterRows], out: &mut dyn Write) -> io::Result<()> {
    for cluster in clusters {
        let rows: Vec<_> = cluster.rows.iter().map(AsRef::as_ref).collect();
        let document: Value = serde_json::from_str(&envelope(cluster).document(&rows))?;
        let text = serde_saphyr::to_string(&document).map_err(io::Error::other)?;
        if clusters.len() > 1 {
            out.write_all(b"---\n")?;
        }
        out.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}

fn envelope(cluster: &ClusterRows) -> Envelope<'_> {
    Envelope {
        cluster: &cluster.cluster,
        generation: 0,
        exported_at: cluster.exported_at,
    }
}
