//! Telemetry in memory.

use std::sync::{Mutex, PoisonError};

use crate::metrics::{Metrics, Telemetry};

/// Remembers what was reported.
#[derive(Debug, Default)]
pub struct FakeMetrics {
    reported: Mutex<Vec<Telemetry>>,
}

impl FakeMetrics {
    /// What was reported, in order.
    pub fn reported(&self) -> Vec<Telemetry> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Metrics for FakeMetrics {
    fn record(&self, event: Telemetry) {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }
}
