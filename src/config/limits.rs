//! Bounds.

use std::time::Duration;

/// Bounds with safe defaults.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitsConfig {
    /// First lists of kinds that may run at the same time.
    #[arg(long, env = "KOLLECT_CONCURRENT_LISTS", value_name = "NUMBER", default_value_t = 4)]
    pub concurrent_lists: usize,
    /// Seconds that a stop waits for deliveries under way.
    #[arg(long, env = "KOLLECT_SHUTDOWN_GRACE", value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub shutdown_grace: Duration,
}

fn seconds(text: &str) -> Result<Duration, String> {
    text.strip_suffix('s')
        .unwrap_or(text)
        .parse()
        .map(Duration::from_secs)
        .map_err(|_| format!("{text:?} is not a number of seconds"))
}
