//! `kollect preview`: what profiles and targets would give, before anybody applies them.
//!
//! It is one run of the pipeline of `kollect collect` that prints less of the rows and more of how they came about: a
//! witness looks on while objects are judged. Nothing is written anywhere.

mod findings;
mod report;
mod text;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use kollect_adapters::files::Input;
use kollect_adapters::files::input::Folders;
use kollect_adapters::output::Format;
use tokio_util::sync::CancellationToken;

use crate::collect::{self, Cluster, Collected, Definitions, Destination, Pipeline, Progress, Summary, say};
use crate::config::{PreviewConfig, PreviewFormat};
use crate::{runtime, shutdown, telemetry};
use findings::Findings;
use report::Preview;

/// Runs the command.
///
/// # Errors
/// When it cannot be carried out at all; see the exit codes.
pub fn run(config: PreviewConfig) -> anyhow::Result<ExitCode> {
    telemetry::to_stderr(&config.log_level)?;
    runtime::run(preview(config))
}

async fn preview(config: PreviewConfig) -> anyhow::Result<ExitCode> {
    let PreviewConfig {
        filename,
        kind,
        source,
        output,
        limit,
        log_level: _,
    } = config;
    let is_stdin = |path: &&PathBuf| path.as_os_str() == "-";
    if filename.iter().chain(&source.from).filter(is_stdin).count() > 1 {
        bail!("standard input can be read only once: name a file for one of -f and --from");
    }
    let mut definitions = definitions(filename, &kind).await?;
    for remark in &definitions.remarks {
        say(&format!("note: {remark}"));
    }
    if let Some(namespace) = &source.namespace {
        definitions.restrict(namespace);
    }
    let mut clusters = collect::clusters_of(source).await?;
    let (Some(cluster), true) = (clusters.pop(), clusters.is_empty()) else {
        bail!("--context names several clusters; a preview is of one");
    };
    let definitions = Arc::new(definitions);
    let findings = Arc::new(Findings::default());
    let collected = collect(&cluster, &definitions, &findings).await?;
    let mut summary = Summary::new(false);
    summary.input("", &collected);
    let preview = Preview::new(&definitions, &collected, &findings);
    print(output, limit, &cluster, &collected, &preview)?;
    summary.count(preview.faults(), preview.shown());
    Ok(summary.finish())
}

async fn definitions(filename: Vec<PathBuf>, kinds: &[String]) -> anyhow::Result<Definitions> {
    if filename.is_empty() {
        return collect::ready_made_definitions(kinds);
    }
    let reading = tokio::task::spawn_blocking(move || {
        let mut inputs = Vec::new();
        for path in &filename {
            inputs.extend(match collect::spooled("-f", path)? {
                Some(stdin) => vec![stdin],
                None => Input::path(path, Folders::Flat).context("-f")?,
            });
        }
        collect::definitions_for_preview(&inputs)
    });
    reading.await.context("reading was interrupted")?
}

async fn collect(
    cluster: &Cluster,
    definitions: &Arc<Definitions>,
    findings: &Arc<Findings>,
) -> anyhow::Result<Collected> {
    let stop = CancellationToken::new();
    let signals = shutdown::on_signal(stop.clone())?;
    let pipeline = Pipeline {
        definitions: definitions.clone(),
        destination: Destination::Print(Format::Ndjson),
        inventory: "preview".into(),
        cluster_id: None,
        dry_run: true,
        stop,
        witness: Some(findings.clone()),
    };
    let progress = Progress::start(cluster);
    let collected = pipeline.run(cluster, &progress.counters).await;
    progress.stop().await;
    signals.abort();
    collected
}

fn print(
    format: PreviewFormat,
    limit: usize,
    cluster: &Cluster,
    collected: &Collected,
    preview: &Preview,
) -> anyhow::Result<()> {
    let limit = if limit == 0 { usize::MAX } else { limit };
    let mut out = Vec::new();
    match format {
        PreviewFormat::Table => text::print(preview, limit, &cluster.label, collected.at, &mut out)?,
        PreviewFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &preview.document(limit))?;
            out.push(b'\n');
        }
        PreviewFormat::Yaml => out.extend(serde_saphyr::to_string(&preview.document(limit))?.into_bytes()),
    }
    match std::io::stdout().write_all(&out) {
        // Whoever reads it has seen enough, as in `| head`.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}
