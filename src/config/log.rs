//! Logs.

use clap::ValueEnum;

/// What is logged, and how.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Logs")]
pub struct LogConfig {
    /// Filter: a level, or levels by module such as `kollect_app=debug,info`.
    #[arg(
        long = "log-level",
        alias = "zap-log-level",
        env = "KOLLECT_LOG_LEVEL",
        value_name = "FILTER",
        default_value = "info"
    )]
    pub level: String,
    /// Format of a line.
    #[arg(long = "log-format", alias = "zap-encoder", env = "KOLLECT_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub format: LogFormat,
}

/// Format of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    #[value(alias = "console")]
    Text,
    /// One JSON object a line.
    Json,
}
