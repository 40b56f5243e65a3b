//! What is measured, and the limits.

use std::time::Duration;

use crate::run::Figures;
use crate::statistic::percentile;

/// One line of the table.
pub(super) struct Measure {
    pub(super) name: &'static str,
    pub(super) decimals: usize,
    pub(super) limit: Limit,
    /// Its value in a run.
    pub(super) of: fn(&Figures) -> f64,
}

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Limit {
    /// Anything: it is only told.
    None,
    /// The median may not be above.
    AtMost(f64),
    /// A count that is the same in every run.
    Exactly(f64),
}

const fn measure(name: &'static str, decimals: usize, limit: Limit, of: fn(&Figures) -> f64) -> Measure {
    Measure {
        name,
        decimals,
        limit,
        of,
    }
}

/// All lines in their order.
pub(super) const MEASURES: [Measure; 13] = [
    measure("floor: list downloaded and thrown away, s", 2, Limit::None, |run| {
        run.floor.as_secs_f64()
    }),
    measure("process start → all rows committed, s", 2, Limit::None, |run| {
        run.first_export.as_secs_f64()
    }),
    measure("the same ÷ (1.5 × floor + 0.5 s)", 2, Limit::AtMost(1.0), |run| {
        run.first_export.as_secs_f64() / 1.5f64.mul_add(run.floor.as_secs_f64(), 0.5)
    }),
    measure("resident memory 12 s later, MB", 1, Limit::AtMost(45.0), |run| {
        megabytes(run.settled.resident)
    }),
    measure("peak of resident memory, MB", 1, Limit::None, |run| megabytes(run.peak)),
    measure("change sent → row visible, p50, ms", 1, Limit::None, |run| {
        milliseconds(&run.changes.visible, 50)
    }),
    measure("change sent → row visible, p99, ms", 1, Limit::AtMost(50.0), |run| {
        milliseconds(&run.changes.visible, 99)
    }),
    measure("change sent → API server answered, p50, ms", 1, Limit::None, |run| {
        milliseconds(&run.changes.answered, 50)
    }),
    measure("change sent → API server answered, p99, ms", 1, Limit::None, |run| {
        milliseconds(&run.changes.answered, 99)
    }),
    measure("operator's CPU per change, ms", 2, Limit::AtMost(1.0), |run| {
        run.changes.cpu.as_secs_f64() * 1e3 / changes(run)
    }),
    measure("rows written per change", 2, Limit::Exactly(1.0), |run| {
        count(run.written) / changes(run)
    }),
    measure("restart → ready and level, s", 2, Limit::None, |run| {
        run.restart.took.as_secs_f64()
    }),
    measure("rows written by a restart", 0, Limit::Exactly(0.0), |run| {
        count(run.restart.written)
    }),
];

fn milliseconds(times: &[Duration], percent: usize) -> f64 {
    let times: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    percentile(&times, percent)
}

fn megabytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes / 1_000).unwrap_or(u32::MAX)) / 1e3
}

fn count(rows: i64) -> f64 {
    f64::from(i32::try_from(rows).unwrap_or(i32::MAX))
}

fn changes(run: &Figures) -> f64 {
    f64::from(u32::try_from(run.changes.visible.len()).unwrap_or(u32::MAX))
}
