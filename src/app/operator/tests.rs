//! The operator between fakes, with a clock that the test's runtime owns.

mod cluster;
mod levels;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kollect_domain::condition::reason;
use kollect_domain::config::profile::{AttributeSpec, ProfileSpec};
use kollect_domain::config::sink::{Destination, PostgresTable, Provisioning, SecretRef, SinkSpec, Tls};
use kollect_domain::config::target::TargetSpec;
use kollect_domain::config::{Configuration, InventorySpec, Resource, SinkRef};
use kollect_domain::ids::{Gvk, NamespacedName, SinkFamily, SinkKey};
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::fakes::metrics::FakeMetrics;
use kollect_ports::fakes::resources::FakeResources;
use kollect_ports::fakes::sink::{Call, FakeDatabase, FakeSinkFactory};
use kollect_ports::fakes::source::FakeSource;
use kollect_ports::resources::ResourceKind;
use kollect_ports::source::{ObjectEvent, ObservedObject, SourceEvent, SourceFailure};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::*;

mod reach;

/// Follows tokio's clock, which stands still while a test waits for nothing.
#[derive(Debug)]
struct PausedClock(Instant);

impl Clock for PausedClock {
    fn now(&self) -> Now {
        let monotonic = self.0.elapsed();
        Now {
            wall: Timestamp::UNIX_EPOCH + monotonic,
            monotonic,
        }
    }
}

fn key(name: &str) -> NamespacedName {
    NamespacedName::new("shop", name)
}

fn lake() -> SinkKey {
    SinkKey {
        family: SinkFamily::Database,
        object: key("lake"),
    }
}

fn resource<S>(name: &str, spec: S) -> Resource<S> {
    Resource {
        key: key(name),
        labels: [].into(),
        created: None,
        uid: name.into(),
        generation: 1,
        deleting: false,
        finalizers: vec![],
        spec: Ok(Arc::new(spec)),
        conditions: vec![],
    }
}

fn configuration() -> Configuration {
    let profile = ProfileSpec {
        gvk: Gvk::new("", "v1", "ConfigMap"),
        attributes: vec![AttributeSpec {
            name: "value".into(),
            path: "$.data.v".into(),
            type_hint: String::new(),
            optional: false,
        }],
        export: None,
        metrics: Vec::new(),
        scrub_keys: vec![],
        allow_secret_extraction: false,
        allow_whole_secrets: false,
    };
    let target = TargetSpec {
        profile: "maps".into(),
        ..TargetSpec::default()
    };
    let sink = SinkSpec {
        kind: "postgres".into(),
        cluster: "c".into(),
        destination: Destination::Postgres(PostgresTable {
            database: SecretRef {
                object: key("dsn"),
                referrer: "shop".into(),
            },
            schema: "public".into(),
            table: "rows".into(),
        }),
        tls: Tls::default(),
        provisioning: Provisioning::Ensure,
        export_min_interval: None,
        min_change_interval: None,
        options: BTreeMap::new(),
    };
    let inventory = InventorySpec {
        sinks: vec![SinkRef {
            family: SinkFamily::Database,
            name: "lake".into(),
            namespace: None,
            export_min_interval: None,
            min_change_interval: None,
            deletion_policy: kollect_domain::config::DeletionPolicy::FamilyDefault,
        }],
        ..InventorySpec::default()
    };
    Configuration {
        profiles: [(key("maps"), resource("maps", profile))].into(),
        targets: [(key("maps"), resource("maps", target))].into(),
        inventories: [(key("estate"), resource("estate", inventory))].into(),
        sinks: [(lake(), resource("lake", sink))].into(),
        ..Configuration::default()
    }
}

fn seen(name: &str, value: &str) -> ObjectEvent {
    ObjectEvent::Seen(ObservedObject {
        uid: format!("uid-{name}").into(),
        namespace: "shop".into(),
        name: name.into(),
        value: json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"namespace": "shop", "name": name, "uid": format!("uid-{name}")},
            "data": {"v": value},
        }),
    })
}

/// An operator that runs between fakes.
struct Bench {
    source: Arc<FakeSource>,
    resources: Arc<FakeResources>,
    database: Arc<FakeDatabase>,
    metrics: Arc<FakeMetrics>,
    shutdown: CancellationToken,
    ready: watch::Receiver<bool>,
    running: JoinHandle<Outcome>,
}

impl Bench {
    async fn start() -> Self {
        Self::start_until(Until::Stopped).await
    }

    async fn start_until(until: Until) -> Self {
        Self::start_with(until, Arc::new(FakeSinkFactory::new("this-cluster"))).await
    }

    async fn start_configured(configuration: Configuration) -> Self {
        let sinks = Arc::new(FakeSinkFactory::new("this-cluster"));
        Self::start_as(Until::Stopped, sinks, configuration).await
    }

    async fn start_with(until: Until, sinks: Arc<FakeSinkFactory>) -> Self {
        Self::start_as(until, sinks, configuration()).await
    }

    async fn start_as(until: Until, sinks: Arc<FakeSinkFactory>, configuration: Configuration) -> Self {
        let source = Arc::new(FakeSource::default());
        let resources = Arc::new(FakeResources::default());
        let database = sinks.database(&lake());
        let metrics = Arc::new(FakeMetrics::default());
        let (ready, is_ready) = watch::channel(false);
        let shutdown = CancellationToken::new();
        let ports = Ports {
            witness: None,
            source: source.clone(),
            sinks,
            configuration: resources.clone(),
            resources: resources.clone(),
            clock: Arc::new(PausedClock(Instant::now())),
            metrics: metrics.clone(),
        };
        let settings = Settings {
            until,
            defaults: Defaults::default(),
            scrub_keys: vec![],
            reach: Reach::default(),
            shutdown_grace: Duration::from_secs(20),
        };
        let signals = Signals {
            ready,
            shutdown: shutdown.clone(),
        };
        let running = tokio::spawn(run(ports, settings, signals));
        let bench = Self {
            source,
            resources,
            database,
            metrics,
            shutdown,
            ready: is_ready,
            running,
        };
        bench
            .until("the operator watches", || {
                bench.resources.configure(configuration.clone())
            })
            .await;
        bench.until("the kind is watched", || bench.source.opened() == 1).await;
        bench
    }

    /// Shows a list of these objects.
    fn list(&self, objects: Vec<ObjectEvent>) {
        for event in [
            SourceEvent::ListStarted,
            SourceEvent::Objects(objects),
            SourceEvent::ListDone,
        ] {
            assert!(self.source.show(event));
        }
    }

    async fn until(&self, what: &str, holds: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_mins(2);
        while !holds() {
            assert!(Instant::now() < end, "not within two minutes: {what}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// The extracted values in the sink, ascending.
    fn values(&self) -> Vec<String> {
        let mut values: Vec<String> = self
            .database
            .rows()
            .iter()
            .map(|row| serde_json::from_str::<Value>(row.row.payload()).unwrap()["attributes"]["value"].to_string())
            .collect();
        values.sort();
        values
    }

    fn condition(&self, kind: ResourceKind, name: &str, condition: &str) -> Option<String> {
        let status = self.resources.status(kind, &key(name))?;
        let found = status["conditions"]
            .as_array()?
            .iter()
            .find(|c| c["type"] == condition)?;
        Some(format!("{}/{}", found["status"].as_str()?, found["reason"].as_str()?))
    }

    async fn until_condition(&self, kind: ResourceKind, name: &str, condition: &str, expected: &str) {
        let what = format!("{name}: {condition}={expected}");
        self.until(&what, || {
            self.condition(kind, name, condition).as_deref() == Some(expected)
        })
        .await;
    }

    async fn stop(self) {
        self.shutdown.cancel();
        self.running.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn rows_are_delivered_after_the_first_list_and_statuses_say_so() {
    let bench = Bench::start().await;
    assert!(bench.source.show(SourceEvent::ListStarted));
    assert!(bench.source.show(SourceEvent::Objects(vec![seen("a", "1")])));
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert!(
        bench.values().is_empty(),
        "nothing is delivered before the list is done"
    );
    assert!(!*bench.ready.borrow());
    assert!(bench.source.show(SourceEvent::ListDone));
    bench.until("the row", || bench.values() == ["\"1\""]).await;
    assert!(*bench.ready.borrow());
    bench
        .until_condition(ResourceKind::Target, "maps", "Ready", "True/Collecting")
        .await;
    bench
        .until_condition(ResourceKind::Inventory, "estate", "Ready", "True/Exported")
        .await;
    bench
        .until_condition(
            ResourceKind::DatabaseSink,
            "lake",
            "ConnectionVerified",
            "True/ConnectionOK",
        )
        .await;
    bench
        .until_condition(ResourceKind::Profile, "maps", "Ready", "True/Valid")
        .await;
    assert_eq!(bench.resources.finalizers().len(), 1, "the inventory got its finalizer");
    bench.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_fails_is_tried_again_and_caught_up() {
    let bench = Bench::start().await;
    bench.list(vec![seen("a", "1")]);
    bench.until("the row", || bench.values() == ["\"1\""]).await;
    let away = PortError::new(ErrorClass::Unavailable, reason::SINK_UNREACHABLE, "connection refused");
    for _ in 0..4 {
        bench.database.fail_next(Call::Claim, away.clone());
    }
    bench.database.fail_next(Call::Deliver, away);
    assert!(
        bench
            .source
            .show(SourceEvent::Objects(vec![seen("a", "2"), seen("b", "3")]))
    );
    bench
        .until_condition(ResourceKind::Inventory, "estate", "Degraded", "True/Progressing")
        .await;
    bench.until("the rows", || bench.values() == ["\"2\"", "\"3\""]).await;
    bench
        .until_condition(ResourceKind::Inventory, "estate", "Ready", "True/Exported")
        .await;
    bench.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_delivers_what_is_known() {
    let bench = Bench::start().await;
    bench.list(vec![seen("a", "1")]);
    bench.until("the row", || bench.values() == ["\"1\""]).await;
    let hold = bench.database.hold();
    assert!(bench.source.show(SourceEvent::Objects(vec![seen("a", "2")])));
    bench.until("a delivery waits", || bench.database.waiting() > 0).await;
    bench.shutdown.cancel();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!bench.running.is_finished(), "the stop waits for the delivery");
    drop(hold);
    let database = bench.database.clone();
    bench.running.await.unwrap();
    assert!(database.rows()[0].row.payload().contains("\"2\""));
}

#[tokio::test(start_paused = true)]
async fn a_suspicious_loss_is_listed_again_before_rows_go() {
    let bench = Bench::start().await;
    bench.list((0..30).map(|i| seen(&format!("m{i:02}"), "1")).collect());
    bench.until("thirty rows", || bench.values().len() == 30).await;
    bench.list(vec![]);
    bench.until("a second list", || bench.source.opened() == 2).await;
    assert_eq!(bench.values().len(), 30);
    bench.list(vec![]);
    bench.until("no row", || bench.values().is_empty()).await;
    bench.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_ends_by_itself_ends_once_everything_is_delivered_and_says_how_it_went() {
    let bench = Bench::start_until(Until::Exported).await;
    let hold = bench.database.hold();
    bench.list(vec![seen("a", "1"), seen("b", "2")]);
    bench.until("a delivery waits", || bench.database.waiting() > 0).await;
    assert!(!bench.running.is_finished(), "the list is done and not delivered");
    drop(hold);
    let database = bench.database.clone();
    let outcome = bench.running.await.unwrap();
    assert_eq!(database.rows().len(), 2);
    let target = outcome.targets[&key("maps")].as_ref().unwrap();
    assert!(target.complete);
    assert_eq!(target.rows, 2);
    let binding = outcome.bindings.values().next().unwrap().as_ref().unwrap();
    assert!(binding.level && binding.fault.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_run_that_ends_by_itself_lists_a_suspicious_loss_again_first() {
    let sinks = Arc::new(FakeSinkFactory::new("this-cluster"));
    let bench = Bench::start_with(Until::Exported, sinks.clone()).await;
    let objects: Vec<ObjectEvent> = (0..30).map(|i| seen(&format!("m{i:02}"), "1")).collect();
    bench.list(objects);
    let database = bench.database.clone();
    bench.running.await.unwrap();
    assert_eq!(database.rows().len(), 30);
    let again = Bench::start_with(Until::Exported, sinks).await;
    again.list(vec![]);
    again.until("a second list", || again.source.opened() == 2).await;
    assert_eq!(database.rows().len(), 30);
    again.list(vec![]);
    again.running.await.unwrap();
    assert!(database.rows().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_run_that_ends_by_itself_ends_when_a_kind_cannot_be_collected() {
    let bench = Bench::start_until(Until::Exported).await;
    assert!(bench.source.show(SourceEvent::Failed {
        failure: SourceFailure::Forbidden,
        message: "no right to list".to_owned(),
    }));
    let outcome = bench.running.await.unwrap();
    let target = outcome.targets[&key("maps")].as_ref().unwrap();
    assert_eq!(
        target.fault.as_ref().map(|fault| fault.reason),
        Some(reason::SCOPE_FORBIDDEN)
    );
    assert!(!target.complete);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_ends_by_itself_ends_when_only_a_person_can_help_its_sink() {
    let bench = Bench::start_until(Until::Exported).await;
    let refusal = PortError::new(
        ErrorClass::Misconfigured,
        reason::WRITER_CONFLICT,
        "held by another writer",
    );
    bench.database.fail_next(Call::Deliver, refusal.clone());
    bench.list(vec![seen("a", "1")]);
    let outcome = bench.running.await.unwrap();
    let binding = outcome.bindings.values().next().unwrap().as_ref().unwrap();
    assert_eq!(binding.fault, Some(refusal));
}

#[tokio::test(start_paused = true)]
async fn a_stop_during_the_first_list_waits_for_nothing() {
    let bench = Bench::start().await;
    assert!(bench.source.show(SourceEvent::ListStarted));
    assert!(bench.source.show(SourceEvent::Objects(vec![seen("a", "1")])));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let asked = Instant::now();
    bench.stop().await;
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
}
