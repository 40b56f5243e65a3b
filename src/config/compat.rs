//! Flags of earlier versions that this one accepts without effect, so that existing manifests keep starting.

/// Accepted without effect; a warning says so when one is given.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Without effect in this version")]
pub struct CompatConfig {
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    leader_elect: Option<bool>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    validating_webhooks_enabled: Option<bool>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    enable_http2: Option<bool>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    inventory_http_enabled: Option<bool>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    enable_pprof: Option<bool>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    zap_devel: Option<bool>,
    #[arg(long, hide = true)]
    metrics_cert_path: Option<String>,
    #[arg(long, hide = true)]
    metrics_cert_name: Option<String>,
    #[arg(long, hide = true)]
    metrics_cert_key: Option<String>,
    #[arg(long, hide = true)]
    webhook_cert_path: Option<String>,
    #[arg(long, hide = true)]
    webhook_cert_name: Option<String>,
    #[arg(long, hide = true)]
    webhook_cert_key: Option<String>,
    #[arg(long, hide = true)]
    inventory_http_port: Option<String>,
    #[arg(long, hide = true)]
    inventory_auth_mode: Option<String>,
    #[arg(long, hide = true)]
    inventory_auth_cache_ttl: Option<String>,
    #[arg(long, hide = true)]
    max_export_bytes: Option<String>,
    #[arg(long, hide = true)]
    max_concurrent_reconciles_target: Option<String>,
    #[arg(long, hide = true)]
    max_concurrent_reconciles_inventory: Option<String>,
    #[arg(long, hide = true)]
    max_concurrent_reconciles_cluster_target: Option<String>,
    #[arg(long, hide = true)]
    max_concurrent_reconciles_cluster_inventory: Option<String>,
    #[arg(long, hide = true)]
    reconcile_rate_limit: Option<String>,
    #[arg(long, hide = true)]
    pprof_bind_address: Option<String>,
    #[arg(long, hide = true)]
    collect_dispatch_workers: Option<String>,
    #[arg(long, hide = true)]
    collect_dispatch_queue_size: Option<String>,
    #[arg(long, hide = true)]
    informer_resync_period: Option<String>,
    #[arg(long, hide = true)]
    collect_metrics_sample_interval: Option<String>,
    #[arg(long, hide = true)]
    collect_dispatch_enqueue_wait: Option<String>,
    #[arg(long, hide = true)]
    zap_stacktrace_level: Option<String>,
    #[arg(long, hide = true)]
    zap_time_encoding: Option<String>,
}

impl CompatConfig {
    /// The flags that were given although they have no effect.
    pub fn given(&self) -> Vec<&'static str> {
        let switches = [
            ("--leader-elect", self.leader_elect),
            ("--validating-webhooks-enabled", self.validating_webhooks_enabled),
            ("--enable-http2", self.enable_http2),
            ("--inventory-http-enabled", self.inventory_http_enabled),
            ("--enable-pprof", self.enable_pprof),
        ];
        let values = [
            ("--metrics-cert-path", &self.metrics_cert_path),
            ("--metrics-cert-name", &self.metrics_cert_name),
            ("--metrics-cert-key", &self.metrics_cert_key),
            ("--webhook-cert-path", &self.webhook_cert_path),
            ("--webhook-cert-name", &self.webhook_cert_name),
            ("--webhook-cert-key", &self.webhook_cert_key),
            ("--inventory-http-port", &self.inventory_http_port),
            ("--inventory-auth-mode", &self.inventory_auth_mode),
            ("--inventory-auth-cache-ttl", &self.inventory_auth_cache_ttl),
            ("--max-export-bytes", &self.max_export_bytes),
            (
                "--max-concurrent-reconciles-target",
                &self.max_concurrent_reconciles_target,
            ),
            (
                "--max-concurrent-reconciles-inventory",
                &self.max_concurrent_reconciles_inventory,
            ),
            (
                "--max-concurrent-reconciles-cluster-target",
                &self.max_concurrent_reconciles_cluster_target,
            ),
            (
                "--max-concurrent-reconciles-cluster-inventory",
                &self.max_concurrent_reconciles_cluster_inventory,
            ),
            ("--reconcile-rate-limit", &self.reconcile_rate_limit),
            ("--pprof-bind-address", &self.pprof_bind_address),
            ("--collect-dispatch-workers", &self.collect_dispatch_workers),
            ("--collect-dispatch-queue-size", &self.collect_dispatch_queue_size),
            ("--informer-resync-period", &self.informer_resync_period),
            (
                "--collect-metrics-sample-interval",
                &self.collect_metrics_sample_interval,
            ),
            ("--collect-dispatch-enqueue-wait", &self.collect_dispatch_enqueue_wait),
            ("--zap-stacktrace-level", &self.zap_stacktrace_level),
            ("--zap-time-encoding", &self.zap_time_encoding),
        ];
        switches
            .iter()
            .filter(|(_, given)| *given == Some(true))
            .map(|(flag, _)| *flag)
            .chain(
                values
                    .iter()
                    .filter(|(_, given)| given.is_some())
                    .map(|(flag, _)| *flag),
            )
            .collect()
    }
}
