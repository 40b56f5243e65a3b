//! How far a run is, on a terminal; and what it counts.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kollect_adapters::files::FileSource;
use kollect_ports::metrics::{Metrics, Telemetry};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::clusters::{Cluster, Objects};

/// How often the line is drawn.
const INTERVAL: Duration = Duration::from_millis(100);

/// What a run counts.
#[derive(Debug, Default)]
pub struct Counters {
    objects: AtomicU64,
    files: OnceLock<FileSource>,
}

impl Counters {
    /// Takes the progress of files from their source.
    pub fn watch(&self, files: FileSource) {
        // There is one source in a run.
        let _ = self.files.set(files);
    }
}

impl Metrics for Counters {
    fn record(&self, event: Telemetry) {
        if let Telemetry::Dispatched { objects, .. } = event {
            self.objects.fetch_add(objects, Ordering::Relaxed);
        }
    }
}

/// A line on the terminal while a run goes on.
#[derive(Debug)]
pub struct Progress {
    /// What the run counts.
    pub counters: Arc<Counters>,
    done: CancellationToken,
    drawing: Option<JoinHandle<()>>,
}

impl Progress {
    /// Draws only if standard error is a terminal.
    pub fn start(cluster: &Cluster) -> Self {
        let counters = Arc::new(Counters::default());
        let done = CancellationToken::new();
        let drawing = std::io::stderr().is_terminal().then(|| {
            let what = match (&cluster.objects, cluster.label.as_str()) {
                (Objects::Files(_), _) => "reading".to_owned(),
                (Objects::Server(_), "") => "collecting".to_owned(),
                (Objects::Server(_), label) => format!("collecting {label}"),
            };
            tokio::spawn(draw(what, counters.clone(), done.clone()))
        });
        Self {
            counters,
            done,
            drawing,
        }
    }

    /// Removes the line.
    pub async fn stop(self) {
        self.done.cancel();
        if let Some(drawing) = self.drawing {
            // It draws only; nothing depends on it.
            let _ = drawing.await;
        }
    }
}

async fn draw(what: String, counters: Arc<Counters>, done: CancellationToken) {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_message(what);
    let with_bar = "{msg} {wide_bar} {bytes}/{total_bytes}, {prefix} objects";
    let plain = "{spinner} {msg}: {prefix} objects, {elapsed}";
    let style =
        |template: &str| ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style(plain));
    let mut ticks = tokio::time::interval(INTERVAL);
    while done.run_until_cancelled(ticks.tick()).await.is_some() {
        if let Some(files) = counters.files.get() {
            let (read, all) = files.progress();
            if bar.length() != Some(all) {
                bar.set_length(all);
                bar.set_style(style(with_bar));
            }
            bar.set_position(read);
        }
        bar.set_prefix(counters.objects.load(Ordering::Relaxed).to_string());
        bar.tick();
    }
    bar.finish_and_clear();
}

/// Width of standard output, if it is a terminal.
pub fn terminal_width() -> Option<usize> {
    let stdout = console::Term::stdout();
    stdout.is_term().then(|| usize::from(stdout.size().1))
}
