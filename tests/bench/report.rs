//! The table.

mod measure;

use std::fmt;

use self::measure::{Limit, MEASURES, Measure};
use crate::run::Figures;
use crate::statistic::median;

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
pub struct Report {
    circumstances: Circumstances,
    lines: Vec<Line>,
    touched: i64,
}

/// One measure and its value in each run.
struct Line {
    measure: &'static Measure,
    values: Vec<f64>,
}

impl Report {
    /// Arranges the figures of all runs.
    pub fn new(circumstances: Circumstances, runs: &[Figures]) -> Self {
        let line = |measure: &'static Measure| Line {
            measure,
            values: runs.iter().map(measure.of).collect(),
        };
        Self {
            circumstances,
            lines: MEASURES.iter().map(line).collect(),
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
        match self.measure.limit {
            Limit::None => None,
            Limit::AtMost(most) => Some(median(&self.values) <= most),
            Limit::Exactly(count) => Some(self.values.iter().all(|value| is(*value, count))),
        }
    }

    /// A count that is not the one it should be is never rounded to it.
    fn show(&self, value: f64) -> String {
        match self.measure.limit {
            Limit::Exactly(count) if !is(value, count) => format!("{value:.*}", self.measure.decimals + 3),
            _ => format!("{value:.*}", self.measure.decimals),
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
        write!(f, "| {} |", self.measure.name)?;
        for value in &self.values {
            write!(f, " {} |", self.show(*value))?;
        }
        let limit = match self.measure.limit {
            Limit::None => String::new(),
            Limit::AtMost(most) => format!("≤ {most:.*}", self.measure.decimals),
            Limit::Exactly(count) => format!("{count:.*}", self.measure.decimals),
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

#[cfg(test)]
mod tests;
