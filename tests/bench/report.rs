//! The table.

use std::fmt;
use std::time::Duration;

use crate::run::Figures;
use crate::statistic::{median, percentile};

/// What was measured on, with what.
#[derive(Debug)]
pub struct Circumstances {
    /// Processor, memory, system.
    pub machine: String,
    /// Versions of the servers and of the operator.
    pub versions: String,
    /// Objects in the cluster.
    pub objects: u32,
    /// Mean length of an object in a list. **Units**: bytes of text.
    pub object_bytes: u64,
    /// Changes in each run.
    pub changes: u32,
}

/// All figures with their limits.
#[derive(Debug)]
pub struct Report {
    circumstances: Circumstances,
    lines: Vec<Line>,
    touched: i64,
}

/// One measure: its value in each run.
#[derive(Debug)]
struct Line {
    measure: &'static str,
    decimals: usize,
    values: Vec<f64>,
    limit: Limit,
}

#[derive(Debug, Clone, Copy)]
enum Limit {
    /// Only told.
    None,
    /// The median may not be above.
    AtMost(f64),
    /// A count that is the same in every run.
    Exactly(f64),
}

impl Report {
    /// Arranges the figures of all runs.
    pub fn new(circumstances: Circumstances, runs: &[Figures]) -> Self {
        let changes = f64::from(circumstances.changes);
        let line = |measure, decimals, limit, value: &dyn Fn(&Figures) -> f64| Line {
            measure,
            decimals,
            values: runs.iter().map(value).collect(),
            limit,
        };
        let visible = |percent| move |run: &Figures| percentile(&milliseconds(&run.changes.visible), percent);
        let answered = |percent| move |run: &Figures| percentile(&milliseconds(&run.changes.answered), percent);
        let lines = vec![
            line("floor: list downloaded and thrown away, s", 2, Limit::None, &|run| {
                run.floor.as_secs_f64()
            }),
            line("process start → all rows committed, s", 2, Limit::None, &|run| {
                run.first_export.as_secs_f64()
            }),
            line("the same ÷ (1.5 × floor + 0.5 s)", 2, Limit::AtMost(1.0), &|run| {
                run.first_export.as_secs_f64() / 1.5f64.mul_add(run.floor.as_secs_f64(), 0.5)
            }),
            line("resident memory 12 s later, MB", 1, Limit::AtMost(45.0), &|run| {
                megabytes(run.settled.resident)
            }),
            line("peak of resident memory, MB", 1, Limit::None, &|run| {
                megabytes(run.peak)
            }),
            line("change sent → row visible, p50, ms", 1, Limit::None, &visible(50)),
            line(
                "change sent → row visible, p99, ms",
                1,
                Limit::AtMost(50.0),
                &visible(99),
            ),
            line(
                "of that until the API server answered, p50, ms",
                1,
                Limit::None,
                &answered(50),
            ),
            line(
                "of that until the API server answered, p99, ms",
                1,
                Limit::None,
                &answered(99),
            ),
            line("operator's CPU per change, ms", 2, Limit::AtMost(1.0), &|run| {
                run.changes.cpu.as_secs_f64() * 1e3 / changes
            }),
            line("rows written per change", 2, Limit::Exactly(1.0), &|run| {
                count(run.written) / changes
            }),
            line("restart → ready and level, s", 2, Limit::None, &|run| {
                run.restart.took.as_secs_f64()
            }),
            line("rows written by a restart", 0, Limit::Exactly(0.0), &|run| {
                count(run.restart.written)
            }),
        ];
        Self {
            circumstances,
            lines,
            touched: runs.iter().map(|run| run.restart.touched).max().unwrap_or(0),
        }
    }

    /// Whether no limit is exceeded.
    pub fn is_within_limits(&self) -> bool {
        self.lines.iter().all(|line| line.is_kept() != Some(false))
    }
}

impl Line {
    /// `None` without a limit.
    fn is_kept(&self) -> Option<bool> {
        match self.limit {
            Limit::None => None,
            Limit::AtMost(most) => Some(median(&self.values) <= most),
            Limit::Exactly(count) => Some(self.values.iter().all(|value| is(*value, count))),
        }
    }

    /// A count that is not the one it should be is never rounded to it.
    fn show(&self, value: f64) -> String {
        match self.limit {
            Limit::Exactly(count) if !is(value, count) => format!("{value:.*}", self.decimals + 3),
            _ => format!("{value:.*}", self.decimals),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Circumstances {
            machine,
            versions,
            objects,
            object_bytes,
            changes,
        } = &self.circumstances;
        writeln!(f, "* {machine}; everything on this machine")?;
        writeln!(f, "* {versions}; neither server waits for the disk")?;
        writeln!(
            f,
            "* {objects} Deployments of {object_bytes} bytes, four JSONPath and two CEL attributes; \
             {changes} changes in each run"
        )?;
        if self.touched > 0 {
            writeln!(
                f,
                "* a restart renews the time of one row, which keeps the latest time of an inventory recent and is no \
                 change; it is not counted"
            )?;
        }
        let runs = self.lines.first().map_or(0, |line| line.values.len());
        let numbers: Vec<String> = (1..=runs).map(|run| format!("run {run}")).collect();
        writeln!(f, "\n| | {} | median | limit | |", numbers.join(" | "))?;
        writeln!(f, "| --- |{} --- |", " ---: |".repeat(runs + 2))?;
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} |", self.measure)?;
        for value in &self.values {
            write!(f, " {} |", self.show(*value))?;
        }
        let limit = match self.limit {
            Limit::None => String::new(),
            Limit::AtMost(most) => format!("≤ {most:.*}", self.decimals),
            Limit::Exactly(count) => format!("{count:.*}", self.decimals),
        };
        let verdict = match self.is_kept() {
            None => "",
            Some(true) => "ok",
            Some(false) => "over",
        };
        write!(f, " {} | {limit} | {verdict} |", self.show(median(&self.values)))
    }
}

fn is(value: f64, count: f64) -> bool {
    (value - count).abs() < f64::EPSILON
}

fn milliseconds(times: &[Duration]) -> Vec<f64> {
    times.iter().map(|time| time.as_secs_f64() * 1e3).collect()
}

fn megabytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes / 1_000).unwrap_or(u32::MAX)) / 1e3
}

fn count(rows: i64) -> f64 {
    f64::from(i32::try_from(rows).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests;
