//! `kollect demo`: a sample estate, or a live one, through the real pipeline into a file, and pages over it.

pub mod estate;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use kollect_adapters::files::Input;
use kollect_adapters::files::input::Folders;
use kollect_domain::config::sink::SqliteFile;
use tokio_util::sync::CancellationToken;

use crate::collect::{self, Cluster, Database, Destination, Objects, Pipeline, Progress, Summary, say};
use crate::config::DemoConfig;
use crate::{pages, runtime, shutdown, telemetry};

/// The database's file.
const DATABASE: &str = "inventory.db";
/// Table of the database.
const TABLE: &str = "inventory";

/// Runs the demo until the program is asked to stop.
///
/// # Errors
/// The folder cannot be written, the kubeconfig cannot be used, or the address cannot be listened on.
pub fn run(config: DemoConfig) -> anyhow::Result<()> {
    telemetry::to_stderr("error")?;
    runtime::run(demo(config))
}

async fn demo(config: DemoConfig) -> anyhow::Result<()> {
    let DemoConfig {
        keep,
        kubeconfig,
        context,
        listen,
    } = config;
    // Removed when the demo ends.
    let scratch = tempfile::tempdir().context("cannot make a folder for the demo")?;
    let folder = match &keep {
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
            folder.as_path()
        }
        None => scratch.path(),
    };
    let clusters = match &kubeconfig {
        Some(kubeconfig) => collect::select(Some(kubeconfig), &context, None)?.chosen,
        None => sample(folder)?,
    };
    let stop = CancellationToken::new();
    let signals = shutdown::on_signal(stop.clone())?;
    let database = folder.join(DATABASE).display().to_string();
    fill(clusters, &database, &stop).await?;
    if stop.is_cancelled() {
        return Ok(());
    }
    let readers = pages::readers(&Database::File(database.clone()), TABLE)?;
    let told = |url: &str| {
        writeln!(std::io::stdout(), "{url}").context("cannot write to standard output")?;
        say(&format!(
            "open it in a browser; Ctrl-C ends the demo. The rows are in {database}"
        ));
        Ok(())
    };
    pages::serve(readers, pages::settings(), listen, stop, told).await?;
    signals.abort();
    Ok(())
}

/// Writes the sample estate down, one file for each cluster.
fn sample(folder: &Path) -> anyhow::Result<Vec<Cluster>> {
    let clusters = estate::Cluster::ALL.into_iter().map(|cluster| {
        let path: PathBuf = folder.join(cluster.file_name());
        std::fs::write(&path, estate::manifests(cluster))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Cluster {
            label: cluster.name().to_owned(),
            objects: Objects::Files(Input::path(&path, Folders::Flat)?),
        })
    });
    clusters.collect()
}

async fn fill(clusters: Vec<Cluster>, database: &str, stop: &CancellationToken) -> anyhow::Result<()> {
    let file = SqliteFile {
        file: database.to_owned(),
        table: TABLE.to_owned(),
    };
    let pipeline = Pipeline {
        definitions: Arc::new(collect::ready_made_definitions(&[])?),
        destination: Destination::Sqlite(file),
        inventory: "estate".into(),
        cluster_id: None,
        dry_run: false,
        stop: stop.clone(),
        witness: None,
    };
    let mut summary = Summary::new(clusters.len() > 1);
    for cluster in clusters {
        let progress = Progress::start(&cluster);
        let collected = pipeline.run(&cluster, &progress.counters).await;
        progress.stop().await;
        match collected {
            Ok(collected) => summary.add(&cluster.label, &collected),
            Err(error) => summary.failed(&cluster.label, &error),
        }
    }
    Ok(())
}
