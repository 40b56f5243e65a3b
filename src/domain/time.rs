//! Time as an argument: the domain never asks a clock.

use std::time::Duration;

use jiff::Timestamp;

/// One reading of the clock.
///
/// **Shape**: the wall clock for what users see, a monotonic reading for intervals and deadlines; both taken together.
/// **Units**: `monotonic` counts from an arbitrary start of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Wall clock, UTC.
    pub wall: Timestamp,
    /// Monotonic clock since process start.
    pub monotonic: Duration,
}
