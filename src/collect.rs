//! `kollect collect`: an inventory in one go, of clusters or of files.
//!
//! The pipeline is the operator's, with a configuration that does not change and an end: profiles and targets come from
//! a folder or are ready-made, the objects from clusters or files, and the rows go to whoever asked or to a database.

mod clusters;
mod definitions;
mod destination;
mod folder;
mod pipeline;
mod progress;
mod summary;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use kollect_adapters::output::{self, ClusterRows, Format};
use tokio_util::sync::CancellationToken;

use crate::config::CollectConfig;
use crate::{ready_made, runtime, shutdown, telemetry};
pub use clusters::{Cluster, Objects, of as clusters_of, select, spooled};
pub use definitions::{Definitions, for_preview as definitions_for_preview, ready_made as ready_made_definitions};
pub use destination::{Database, Destination, OneDatabase, anywhere};
pub use pipeline::{Collected, Pipeline};
pub use progress::{Progress, terminal_width};
pub use summary::{Summary, say};

/// What `--kind` is given to list the ready-made profiles.
const HELP: &str = "help";

/// Runs the command.
///
/// # Errors
/// When it cannot be carried out at all; see the exit codes.
pub fn run(config: CollectConfig) -> anyhow::Result<ExitCode> {
    if config.kind.iter().any(|kind| kind == HELP) {
        return list_ready_made();
    }
    telemetry::to_stderr(&config.log_level)?;
    runtime::run(collect(config))
}

async fn collect(config: CollectConfig) -> anyhow::Result<ExitCode> {
    let CollectConfig {
        config: folder,
        kind,
        source,
        cluster_id,
        inventory,
        destination,
        log_level: _,
    } = config;
    let dry_run = destination.dry_run;
    let destination = Destination::parse(&destination)?;
    let mut definitions = match &folder {
        Some(folder) => definitions::load(folder)?,
        None if kind.is_empty() && source.from.is_empty() => {
            bail!("say what to collect: kinds with --kind, or a folder with profiles and targets with --config")
        }
        None => definitions::ready_made(&kind)?,
    };
    for remark in &definitions.remarks {
        say(&format!("note: {remark}"));
    }
    if let Some(namespace) = &source.namespace {
        definitions.restrict(namespace);
    }
    let clusters = clusters::of(source).await?;
    let stop = CancellationToken::new();
    let signals = shutdown::on_signal(stop.clone())?;
    let pipeline = Pipeline {
        definitions: Arc::new(definitions),
        destination,
        inventory: inventory.into(),
        cluster_id,
        dry_run,
        stop,
        witness: None,
    };
    let mut summary = Summary::new(clusters.len() > 1);
    let mut printed = Vec::new();
    for cluster in clusters {
        let progress = Progress::start(&cluster);
        let collected = pipeline.run(&cluster, &progress.counters).await;
        progress.stop().await;
        match collected {
            Ok(collected) => {
                summary.add(&cluster.label, &collected);
                printed.extend(collected.rows.map(|rows| ClusterRows {
                    cluster: cluster.label.clone(),
                    rows,
                    exported_at: collected.at,
                }));
            }
            Err(error) => summary.failed(&cluster.label, &error),
        }
    }
    signals.abort();
    write_out(&pipeline, printed).await?;
    Ok(summary.finish())
}

async fn write_out(pipeline: &Pipeline, rows: Vec<ClusterRows>) -> anyhow::Result<()> {
    let (destination, dry_run) = (pipeline.destination.clone(), pipeline.dry_run);
    let writing = tokio::task::spawn_blocking(move || match destination {
        Destination::Print(format) => print(format, &rows),
        Destination::Folder(folder) => folder::write(&folder, &rows, dry_run),
        Destination::Sqlite(_) | Destination::Postgres(_) => Ok(()),
    });
    writing.await.context("writing the rows was interrupted")?
}

fn print(format: Format, rows: &[ClusterRows]) -> anyhow::Result<()> {
    let format = match format {
        Format::Table { .. } => Format::Table {
            width: terminal_width(),
        },
        other => other,
    };
    let stdout = std::io::stdout().lock();
    let mut out = std::io::BufWriter::with_capacity(256 << 10, stdout);
    match output::print(format, rows, &mut out) {
        // Whoever reads it has seen enough, as in `| head`.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

fn list_ready_made() -> anyhow::Result<ExitCode> {
    let lines: Vec<String> = ready_made::all().iter().map(ToString::to_string).collect();
    writeln!(std::io::stdout(), "{}", lines.join("\n")).context("cannot write to standard output")?;
    Ok(ExitCode::SUCCESS)
}
