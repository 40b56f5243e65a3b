//! Listeners.

use super::BindAddress;

/// Probes and metrics.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Listeners")]
pub struct ProbesConfig {
    /// Address of /livez, /healthz and /readyz; 0 = none.
    #[arg(
        long,
        env = "KOLLECT_HEALTH_PROBE_BIND_ADDRESS",
        value_name = "ADDRESS",
        default_value = ":8081"
    )]
    pub health_probe_bind_address: BindAddress,
    /// Address of /metrics; 0 = none.
    #[arg(
        long,
        env = "KOLLECT_METRICS_BIND_ADDRESS",
        value_name = "ADDRESS",
        default_value = "0"
    )]
    pub metrics_bind_address: BindAddress,
    /// Serve metrics with TLS to authorised clients only. Not available in this version: metrics need
    /// --metrics-secure=false.
    #[arg(
        long,
        env = "KOLLECT_METRICS_SECURE",
        num_args = 0..=1,
        require_equals = true,
        default_value_t = true,
        default_missing_value = "true",
        action = clap::ArgAction::Set
    )]
    pub metrics_secure: bool,
}
