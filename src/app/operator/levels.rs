//! Levels of telemetry: what is in memory, told when it changed and not more often than somebody can look.

use std::time::Duration;

use kollect_domain::engine::Engine;
use kollect_domain::plan::Decisions;
use kollect_ports::metrics::{Metrics, Telemetry};

/// Least time between two reports; walking over all targets is not worth it for every change.
const INTERVAL: Duration = Duration::from_secs(5);

/// When levels are reported.
#[derive(Debug, Default)]
pub(super) struct Levels {
    /// When the next report is possible.
    possible: Duration,
    changed: bool,
}

impl Levels {
    /// Something changed.
    pub(super) fn changed(&mut self) {
        self.changed = true;
    }

    /// When [`Levels::report`] has something to do.
    pub(super) fn next_deadline(&self) -> Option<Duration> {
        self.changed.then_some(self.possible)
    }

    /// Reports what changed, if it is time.
    pub(super) fn report(&mut self, decisions: &Decisions, engine: &Engine, metrics: &dyn Metrics, now: Duration) {
        if !self.changed || now < self.possible {
            return;
        }
        self.changed = false;
        self.possible = now + INTERVAL;
        metrics.record(Telemetry::Rows(engine.row_count()));
        metrics.record(Telemetry::Collected(decisions.collected(engine)));
    }
}
