//! What sinks may do.

use std::path::PathBuf;

/// Where sinks may connect to, and which Secrets they may use.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Sinks")]
pub struct SinksConfig {
    /// Hosts and networks that sinks may connect to although they are denied by default (loopback, link-local, metadata
    /// services); comma-separated names, addresses and CIDRs.
    #[arg(long, env = "KOLLECT_ENDPOINT_ALLOW", value_name = "LIST", default_value = "")]
    pub endpoint_allow: String,
    /// Hosts and networks that sinks may not connect to; comma-separated names, addresses and CIDRs.
    #[arg(long, env = "KOLLECT_ENDPOINT_DENY", value_name = "LIST", default_value = "")]
    pub endpoint_deny: String,
    /// Folder for the files of sinks of type sqlite; unset = such sinks are refused.
    #[arg(long, env = "KOLLECT_SQLITE_DIR", value_name = "DIR")]
    pub sqlite_dir: Option<PathBuf>,
    /// Let sinks refer to Secrets of any namespace, not only of their own and of the operator's.
    #[arg(
        long,
        env = "KOLLECT_ALLOW_CROSS_NAMESPACE_SECRET_REFS",
        num_args = 0..=1,
        require_equals = true,
        default_value_t = false,
        default_missing_value = "true"
    )]
    pub allow_cross_namespace_secret_refs: bool,
}
