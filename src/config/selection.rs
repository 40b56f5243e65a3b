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
    /// The only namespaces that are served: our own resources are read there, and objects are collected from there;
    /// comma-separated, empty for all.
    #[arg(long, env = "KOLLECT_WATCH_NAMESPACES", value_name = "LIST", default_value = "")]
    pub watch_namespaces: String,
    /// Run with rights in the namespaces of --watch-namespaces only: nothing is asked of the API server that needs a
    /// right to the whole cluster, and cluster kinds are not served.
    #[arg(
        long,
        env = "KOLLECT_TENANT_MODE",
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_value_t = false,
        default_missing_value = "true",
        action = clap::ArgAction::Set
    )]
    pub tenant_mode: bool,
    /// Keys that are redacted besides the built-in ones; comma-separated.
    #[arg(long, env = "KOLLECT_SCRUB_KEYS", value_name = "LIST", default_value = "")]
    pub scrub_keys: String,
}
