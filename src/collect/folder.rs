//! One document for each target, in a folder: what earlier versions wrote for `--output DIR`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use kollect_adapters::output::ClusterRows;
use kollect_domain::envelope::Envelope;
use kollect_domain::row::Row;
use serde_json::Value;

use super::summary::say;

/// Writes `inventory/{namespace}/{name}.yaml` for each target, with the cluster before it when there are several.
///
/// A document whose rows are those that are there already is left alone.
///
/// # Errors
/// The folder cannot be written.
pub fn write(folder: &Path, clusters: &[ClusterRows], dry_run: bool) -> anyhow::Result<()> {
    let several = clusters.len() > 1;
    for cluster in clusters {
        let mut targets: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
        for row in &cluster.rows {
            let target = (row.target_namespace(), row.target_name());
            targets.entry(target).or_default().push(row);
        }
        for ((namespace, name), rows) in targets {
            let mut path = folder.join("inventory");
            if several {
                path.push(file_name(&cluster.cluster));
            }
            path.push(file_name(namespace));
            path.push(format!("{}.yaml", file_name(name)));
            let envelope = Envelope {
                cluster: &cluster.cluster,
                generation: 0,
                exported_at: cluster.exported_at,
            };
            let document = envelope.document(&rows);
            if dry_run {
                say(&format!("would write {} ({} bytes)", path.display(), document.len()));
            } else if checksum(std::fs::read_to_string(&path).ok().as_deref()) != checksum(Some(&document)) {
                replace(&path, &document).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
    }
    Ok(())
}

/// Readers see the old document or the new one.
fn replace(path: &Path, document: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(folder)?;
    std::io::Write::write_all(&mut file, document.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

/// Checksum and cluster of a document, without its time.
fn checksum(document: Option<&str>) -> Option<(Value, Value)> {
    let document: Value = serde_json::from_str(document?).ok()?;
    Some((document["checksum"].clone(), document["cluster"].clone()))
}

/// A name that stays inside of its folder.
fn file_name(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|c| if matches!(c, '/' | '\\' | '\0') { '_' } else { c })
        .collect();
    match name.as_str() {
        "" | "." | ".." => "_".to_owned(),
        _ => name,
    }
}
