//! What is collected by default.

/// Restrictions of every target, and redaction.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Collection")]
pub struct SelectionConfig {
    /// Namespaces of targets that include none by name; comma-separated.
    #[arg(
        long,
        env = "KOLLECT_DEFAULT_INCLUDED_NAMESPACES",
        value_name = "LIST",
        default_value = ""
    )]
    pub default_included_namespaces: String,
    /// Namespaces that no target collects from; comma-separated.
    #[arg(
        long,
        env = "KOLLECT_DEFAULT_EXCLUDED_NAMESPACES",
        value_name = "LIST",
        default_value = ""
    )]
    pub default_excluded_namespaces: String,
    /// Keys that are redacted besides the built-in ones; comma-separated.
    #[arg(long, env = "KOLLECT_SCRUB_KEYS", value_name = "LIST", default_value = "")]
    pub scrub_keys: String,
}
