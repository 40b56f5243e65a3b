//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Measures the operator on a real API server and a real database, both started for this run, and prints one table.
///
/// Ends with 0 when every limit is kept, 1 when one is exceeded, 2 when nothing could be measured.
#[derive(Debug, Clone, Parser)]
#[command(name = "kollect-bench", version)]
pub struct Arguments {
    /// Deployments to load; about 50 kB of memory of this machine each.
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub objects: u32,
    /// How often everything but the loading is measured.
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub runs: u32,
    /// Changes in each run.
    #[arg(long, value_name = "NUMBER", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub changes: u32,
    /// Measure `kollect collect` of a dump of the same objects instead; no server is started.
    #[arg(long)]
    pub dump: bool,
    /// The operator's program; unset = the release build of this source, which is built first.
    #[arg(long, value_name = "PATH")]
    pub kollect: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn more_objects_than_this_machine_could_hold_are_refused() {
        assert!(Arguments::try_parse_from(["kollect-bench", "--objects", "100001"]).is_err());
        assert!(Arguments::try_parse_from(["kollect-bench", "--objects", "0"]).is_err());
    }
}
