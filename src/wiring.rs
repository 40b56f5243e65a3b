//! The composition root: builds adapters from the configuration and hands them to the application as ports.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use kollect_adapters::admin;
use kollect_adapters::clock::SystemClock;
use kollect_adapters::endpoint::EndpointPolicy;
use kollect_adapters::kube::client::{ConnectOptions, connect};
use kollect_adapters::kube::configuration::{Breadth, KubeConfigurationSource};
use kollect_adapters::kube::identity::writer_identity;
use kollect_adapters::kube::resources::KubeResourceWriter;
use kollect_adapters::kube::secrets::{KubeSecretReader, SecretPolicy};
use kollect_adapters::kube::source::KubeObjectSource;
use kollect_adapters::metrics::OpenMetrics;
use kollect_adapters::postgres::PostgresSinkFactory;
use kollect_adapters::sinks::SinkRouter;
use kollect_adapters::sqlite::{SqliteFolder, SqliteSinkFactory};
use kollect_app::operator::{self, Ports, Settings, Signals, Until};
use kollect_domain::plan::reach::Reach;
use kollect_domain::selection::namespaces::Defaults;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::config::{self, CompatConfig, OperatorConfig, ProbesConfig, SelectionConfig, SinksConfig};
use crate::{runtime, shutdown, telemetry};

/// Runs the operator until it is asked to stop.
///
/// # Errors
/// When the configuration cannot be used, the cluster cannot be reached at start, or a listener cannot be opened.
pub fn operator(config: OperatorConfig) -> anyhow::Result<()> {
    telemetry::init(&config.log)?;
    runtime::run(run(config))
}

async fn run(config: OperatorConfig) -> anyhow::Result<()> {
    let OperatorConfig {
        kube,
        selection,
        sinks,
        probes,
        limits,
        log: _,
        compat,
    } = config;
    warn_about(&compat);
    let breadth = breadth(&selection)?;
    let metrics = OpenMetrics::new();
    let (ready, is_ready) = watch::channel(false);
    let stop = CancellationToken::new();
    let signals = shutdown::on_signal(stop.clone())?;
    let mut servers = listen(&probes, is_ready, &metrics, &stop).await?;

    let options = ConnectOptions {
        kubeconfig: kube.kubeconfig,
        context: kube.context,
    };
    let client = connect(&options).await.context("cannot connect to the cluster")?;
    let writer = writer_identity(&client, kube.cluster_id.as_deref()).await?;
    tracing::info!(version = env!("CARGO_PKG_VERSION"), cluster.id = %writer, "starting");

    let policy = SecretPolicy {
        operator_namespace: kube.operator_namespace.into(),
        allow_cross_namespace: sinks.allow_cross_namespace_secret_refs && !selection.tenant_mode,
    };
    let secrets = Arc::new(KubeSecretReader::new(client.clone(), policy));
    let ports = Ports {
        witness: None,
        source: Arc::new(KubeObjectSource::with_concurrent_lists(
            client.clone(),
            limits.concurrent_lists,
        )),
        sinks: Arc::new(router(&sinks, &writer, secrets)?),
        configuration: Arc::new(KubeConfigurationSource::new(client.clone(), breadth)),
        resources: Arc::new(KubeResourceWriter::new(client)),
        clock: Arc::new(SystemClock::default()),
        metrics: metrics.clone(),
    };
    let settings = Settings {
        until: Until::Stopped,
        defaults: defaults(&selection),
        scrub_keys: config::list(&selection.scrub_keys),
        reach: Reach::default(),
        shutdown_grace: limits.shutdown_grace,
    };
    let operator = operator::run(
        ports,
        settings,
        Signals {
            ready,
            shutdown: stop.clone(),
        },
    );
    tokio::pin!(operator);
    // A listener that ends early ends the process with its error; otherwise the operator ends when it is asked to.
    let ended = tokio::select! {
        _ = &mut operator => Ok(()),
        Some(ended) = servers.join_next() => ended.context("a listener panicked").and_then(|served| served),
    };
    stop.cancel();
    if ended.is_err() {
        operator.await;
    }
    while let Some(served) = servers.join_next().await {
        served.context("a listener panicked")??;
    }
    signals.abort();
    ended
}

async fn listen(
    config: &ProbesConfig,
    ready: watch::Receiver<bool>,
    metrics: &Arc<OpenMetrics>,
    stop: &CancellationToken,
) -> anyhow::Result<JoinSet<anyhow::Result<()>>> {
    let ProbesConfig {
        health_probe_bind_address,
        metrics_bind_address,
        metrics_secure,
    } = config;
    let mut wanted = Vec::new();
    if let Some(address) = health_probe_bind_address.0 {
        wanted.push((address, admin::probes(ready)));
    }
    if let Some(address) = metrics_bind_address.0 {
        if *metrics_secure {
            bail!(
                "metrics over TLS with authorisation are not available in this version: pass --metrics-secure=false to \
                 serve them without, on an address that only your monitoring reaches, or --metrics-bind-address=0"
            );
        }
        wanted.push((address, admin::metrics(metrics.clone())));
    }
    let mut servers = JoinSet::new();
    for (address, router) in wanted {
        let listener = admin::bind(address)
            .await
            .with_context(|| format!("cannot listen on {address}"))?;
        let stop = stop.clone();
        servers.spawn(async move {
            admin::serve(listener, router, stop)
                .await
                .with_context(|| format!("the listener on {address} failed"))
        });
    }
    Ok(servers)
}

/// One factory for all types of sinks.
fn router(config: &SinksConfig, writer: &str, secrets: Arc<KubeSecretReader>) -> anyhow::Result<SinkRouter> {
    let folder = config
        .sqlite_dir
        .clone()
        .map_or(SqliteFolder::Unset, SqliteFolder::Within);
    Ok(SinkRouter::new()
        .postgres(PostgresSinkFactory::new(writer, secrets, endpoints(config)?))
        .sqlite(SqliteSinkFactory::new(writer, folder)))
}

fn endpoints(config: &SinksConfig) -> anyhow::Result<Arc<EndpointPolicy>> {
    let allow = config::list(&config.endpoint_allow);
    let deny = config::list(&config.endpoint_deny);
    let policy = EndpointPolicy::parse(&allow, &deny).context("--endpoint-allow or --endpoint-deny cannot be used")?;
    Ok(Arc::new(policy))
}

/// The part of the cluster that is served.
fn breadth(config: &SelectionConfig) -> anyhow::Result<Breadth> {
    let namespaces = config::list(&config.watch_namespaces);
    match (config.tenant_mode, namespaces.is_empty()) {
        (true, true) => {
            bail!("--tenant-mode needs --watch-namespaces: name the namespaces in which you granted rights")
        }
        (true, false) => Ok(Breadth::Tenant(namespaces)),
        (false, true) => Ok(Breadth::Cluster),
        (false, false) => Ok(Breadth::Namespaces(namespaces)),
    }
}

fn defaults(config: &SelectionConfig) -> Defaults {
    Defaults {
        included: config::list(&config.default_included_namespaces),
        excluded: config::list(&config.default_excluded_namespaces),
        watched: config::list(&config.watch_namespaces),
        only_namespaces: config.tenant_mode,
    }
}

/// Says which flags have no effect.
fn warn_about(compat: &CompatConfig) {
    for flag in compat.given() {
        tracing::warn!("{flag} has no effect in this version");
    }
}
