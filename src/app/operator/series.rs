//! Sums over the attributes of rows, computed aside and not more often than somebody looks.

use std::sync::Arc;
use std::time::Duration;

use kollect_domain::engine::Engine;
use kollect_domain::metrics::series;
use kollect_domain::plan::Decisions;
use kollect_ports::metrics::{Metrics, Telemetry};
use tokio::task::JoinHandle;

/// Least time between two computations: each reads all rows of the profiles.
const INTERVAL: Duration = Duration::from_secs(30);

/// When sums are computed.
#[derive(Debug, Default)]
pub(super) struct Sums {
    possible: Duration,
    changed: bool,
    running: Option<JoinHandle<()>>,
}

impl Sums {
    /// Something changed.
    pub(super) fn changed(&mut self) {
        self.changed = true;
    }

    /// When [`Sums::compute`] has something to do.
    pub(super) fn next_deadline(&self) -> Option<Duration> {
        self.changed.then_some(self.possible)
    }

    /// Starts a computation, if it is time.
    pub(super) fn compute(
        &mut self,
        decisions: &Decisions,
        engine: &Engine,
        metrics: &Arc<dyn Metrics>,
        now: Duration,
    ) {
        if !self.changed || now < self.possible {
            return;
        }
        self.possible = now + INTERVAL;
        if self.running.as_ref().is_some_and(|running| !running.is_finished()) {
            return;
        }
        self.changed = false;
        // Rows are shared, not copied.
        let groups: Vec<_> = decisions
            .by_profile()
            .into_iter()
            .map(|group| {
                let rows: Vec<_> = group.targets.iter().flat_map(|target| engine.rows(target)).collect();
                (group, rows)
            })
            .collect();
        let metrics = metrics.clone();
        self.running = Some(tokio::task::spawn_blocking(move || {
            let sums = groups.into_iter().map(|(group, mut rows)| {
                rows.sort_by(|a, b| a.canonical_cmp(b));
                let sums = series(rows.iter().map(AsRef::as_ref), group.profile.metrics(), 0);
                (group.name, group.profile.gvk().clone(), sums)
            });
            metrics.record(Telemetry::Series(sums.collect()));
        }));
    }

    /// Waits for the computation that runs.
    pub(super) async fn close(&mut self) {
        if let Some(running) = self.running.take() {
            // It has nothing to say but what it recorded.
            let _ = running.await;
        }
    }
}
