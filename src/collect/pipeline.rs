//! One run of the operator's pipeline over one cluster.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::BoxStream;
use jiff::Timestamp;
use kollect_adapters::clock::SystemClock;
use kollect_adapters::files::report::Report;
use kollect_adapters::files::{FileSource, survey};
use kollect_adapters::kube::client::{ConnectOptions, connect};
use kollect_adapters::kube::identity::writer_identity;
use kollect_adapters::kube::namespaces::namespaces;
use kollect_adapters::kube::source::KubeObjectSource;
use kollect_adapters::output::RowBuffer;
use kollect_app::once::{FixedConfiguration, NoResources};
use kollect_app::operator::{self, Outcome, Ports, Settings, Signals, Until};
use kollect_domain::config::{Configuration, InventorySpec, Resource, SinkRef};
use kollect_domain::ids::{Gvk, NamespacedName, SinkFamily, SinkKey, WatchScope};
use kollect_domain::plan::reach::Reach;
use kollect_domain::row::Row;
use kollect_domain::selection::namespaces::{Defaults, Namespaces};
use kollect_ports::clock::Clock as _;
use kollect_ports::source::{ObjectSource, SourceEvent, WatchRequest};
use kollect_ports::witness::Witness;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::clusters::{Cluster, Objects};
use super::definitions::Definitions;
use super::destination::Destination;
use super::progress::Counters;

/// Name of the sink object that stands for the destination.
const SINK: &str = "destination";
/// Identity of the writer of rows that come from files.
const FILES: &str = "files";
/// How long an interrupted run may take to deliver what it has. Somebody waits for it, and the next run delivers the rest.
const GRACE: Duration = Duration::from_secs(3);

/// What is collected, and where to.
#[derive(Debug)]
pub struct Pipeline {
    /// What is collected.
    pub definitions: Arc<Definitions>,
    /// Where the rows go.
    pub destination: Destination,
    /// Name of the inventory in a database.
    pub inventory: Arc<str>,
    /// Identity of the writer; unset = the cluster's own.
    pub cluster_id: Option<String>,
    /// Nothing is written.
    pub dry_run: bool,
    /// Interrupts a run.
    pub stop: CancellationToken,
    /// Who looks on. The API server then leaves selection by labels to this program, so that all objects are seen.
    pub witness: Option<Arc<dyn Witness>>,
}

/// What a run gave.
#[derive(Debug)]
pub struct Collected {
    /// How targets and sinks ended.
    pub outcome: Outcome,
    /// The rows, if they come back to the caller.
    pub rows: Option<Vec<Arc<Row>>>,
    /// What was read, if files were.
    pub files: Option<Report>,
    /// What the user should know.
    pub remarks: Vec<String>,
    /// When the run began.
    pub at: Timestamp,
    /// True when it was interrupted.
    pub interrupted: bool,
}

/// A source that shows all objects of a kind, whatever selector it is asked for.
#[derive(Debug)]
struct Unfiltered(Arc<dyn ObjectSource>);

#[async_trait]
impl ObjectSource for Unfiltered {
    fn open(&self, request: WatchRequest) -> BoxStream<'static, SourceEvent> {
        self.0.open(WatchRequest {
            label_selector: None,
            ..request
        })
    }

    async fn may_read(&self, gvk: &Gvk, scope: &WatchScope) -> bool {
        self.0.may_read(gvk, scope).await
    }
}

struct Opened {
    source: Arc<dyn ObjectSource>,
    files: Option<FileSource>,
    namespaces: Namespaces,
    writer: Arc<str>,
    reach: Reach,
    remarks: Vec<String>,
}

impl Pipeline {
    /// Collects one cluster.
    ///
    /// # Errors
    /// The cluster cannot be used at all.
    pub async fn run(&self, cluster: &Cluster, counters: &Arc<Counters>) -> anyhow::Result<Collected> {
        let opened = match &cluster.objects {
            Objects::Server(options) => self.open_server(options).await?,
            Objects::Files(inputs) => {
                let (inputs, label) = (inputs.clone(), cluster.label.clone());
                let source = tokio::task::spawn_blocking(move || {
                    let surveyed = survey(&inputs);
                    (FileSource::new(inputs, &surveyed, &label), surveyed.namespaces)
                });
                let (source, namespaces) = source.await?;
                counters.watch(source.clone());
                Opened {
                    source: Arc::new(source.clone()),
                    files: Some(source),
                    namespaces,
                    writer: self.cluster_id.as_deref().unwrap_or(FILES).into(),
                    reach: Reach::whole(),
                    remarks: Vec::new(),
                }
            }
        };
        let buffer = Arc::new(RowBuffer::default());
        let destination = if self.dry_run && !self.destination.is_caller() {
            &Destination::Print(kollect_adapters::output::Format::Ndjson)
        } else {
            &self.destination
        };
        let clock = SystemClock::default();
        let at = clock.now().wall;
        let ports = Ports {
            source: match self.witness {
                Some(_) => Arc::new(Unfiltered(opened.source)),
                None => opened.source,
            },
            sinks: destination.factory(&opened.writer, &buffer)?,
            configuration: Arc::new(FixedConfiguration(Arc::new(self.configuration(
                cluster,
                destination,
                opened.namespaces,
            )))),
            resources: Arc::new(NoResources),
            clock: Arc::new(clock),
            metrics: counters.clone(),
            witness: self.witness.clone(),
        };
        let settings = Settings {
            until: Until::Exported,
            defaults: Defaults::default(),
            scrub_keys: Vec::new(),
            reach: opened.reach,
            shutdown_grace: GRACE,
        };
        let (ready, _) = watch::channel(false);
        let signals = Signals {
            ready,
            shutdown: self.stop.clone(),
        };
        let outcome = operator::run(ports, settings, signals).await;
        let files = match opened.files {
            Some(files) => Some(tokio::task::spawn_blocking(move || files.report()).await?),
            None => None,
        };
        Ok(Collected {
            outcome,
            rows: self.destination.is_caller().then(|| buffer.take()),
            files,
            remarks: opened.remarks,
            at,
            interrupted: self.stop.is_cancelled(),
        })
    }

    async fn open_server(&self, options: &ConnectOptions) -> anyhow::Result<Opened> {
        let client = connect(options).await?;
        let writer = if self.destination.is_caller() || self.dry_run {
            // Nobody is told apart by it.
            "".into()
        } else {
            writer_identity(&client, self.cluster_id.as_deref()).await?
        };
        let mut remarks = Vec::new();
        let namespaces = namespaces(&client).await.unwrap_or_else(|error| {
            remarks.push(format!(
                "namespaces are not known, so selections by their labels match nothing: {:#}",
                anyhow::Error::from(error)
            ));
            Namespaces::new()
        });
        Ok(Opened {
            source: Arc::new(KubeObjectSource::new(client)),
            files: None,
            namespaces,
            writer,
            // Who looks on wants to know what there is besides.
            reach: self.witness.as_ref().map_or_else(Reach::default, |_| Reach::whole()),
            remarks,
        })
    }

    /// The definitions with one inventory and one sink in every namespace that has targets.
    fn configuration(&self, cluster: &Cluster, destination: &Destination, namespaces: Namespaces) -> Configuration {
        let mut configuration = Configuration {
            profiles: self.definitions.profiles.clone(),
            targets: self.definitions.targets.clone(),
            namespaces: Arc::new(namespaces),
            ..Configuration::default()
        };
        for namespace in self.definitions.targets.keys().map(|key| &key.namespace) {
            let sink = SinkKey {
                family: SinkFamily::Database,
                object: NamespacedName::new(namespace, SINK),
            };
            let spec = destination.sink(&cluster.label, namespace);
            configuration.sinks.insert(sink.clone(), resource(sink.object, spec));
            let inventory = InventorySpec {
                sinks: vec![SinkRef {
                    family: SinkFamily::Database,
                    name: SINK.into(),
                    namespace: None,
                    export_min_interval: None,
                    min_change_interval: None,
                    deletion_policy: kollect_domain::config::DeletionPolicy::default(),
                }],
                ..InventorySpec::default()
            };
            let key = NamespacedName::new(namespace, &self.inventory);
            configuration.inventories.insert(key.clone(), resource(key, inventory));
        }
        configuration
    }
}

fn resource<S>(key: NamespacedName, spec: S) -> Resource<S> {
    Resource {
        key,
        labels: [].into(),
        created: None,
        uid: "".into(),
        generation: 1,
        deleting: false,
        finalizers: Vec::new(),
        spec: Ok(Arc::new(spec)),
        conditions: Vec::new(),
    }
}
