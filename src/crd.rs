//! `kollect crd`: the custom resource definitions as YAML.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use kollect_adapters::kube::crd;

/// Where the definitions go.
#[derive(Debug, clap::Args)]
pub struct CrdConfig {
    /// Write one file per kind into this folder instead of printing all of them.
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Writes all definitions.
///
/// # Errors
/// When a file or standard output cannot be written.
pub fn write(config: &CrdConfig) -> anyhow::Result<()> {
    let definitions = crd::all();
    if let Some(dir) = &config.dir {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
        for definition in &definitions {
            let path = dir.join(crd::file_name(definition));
            std::fs::write(&path, crd::to_yaml(definition)?)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        return Ok(());
    }
    let mut output = std::io::stdout().lock();
    for definition in &definitions {
        write!(output, "---\n{}", crd::to_yaml(definition)?).context("cannot write to standard output")?;
    }
    Ok(())
}
