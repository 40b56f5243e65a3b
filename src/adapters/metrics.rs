//! Metrics in OpenMetrics text, under the names that dashboards and alerts rely on.
//!
//! Labels come from closed sets (kind, sink type, class); object names and error texts are never labels. Cost: one
//! series per label value, whatever the size of the inventory.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64};

use kollect_domain::fault::ErrorClass;
use kollect_ports::metrics::{Metrics, Telemetry};
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

mod process;
mod replaced;
mod series;

use replaced::Replaced;

/// Buckets of exports and reconciles, in seconds.
const SLOW: [f64; 11] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// Buckets of a dispatched batch, in seconds.
const FAST: [f64; 11] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0];

/// Content type of [`OpenMetrics::render`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SinkType {
    sink_type: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SinkRows {
    sink_type: String,
    operation: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reason {
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    controller: &'static str,
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Controller {
    controller: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindClass {
    kind: &'static str,
    error_class: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Collected {
    profile: String,
    gvk: String,
}

type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;

/// The registry and everything in it.
#[derive(Debug)]
pub struct OpenMetrics {
    registry: Registry,
    items: Gauge,
    collected: Replaced<Collected, i64, AtomicI64>,
    series: Replaced<series::Labels, f64, AtomicU64>,
    labelled: Replaced<series::Labels, f64, AtomicU64>,
    capped: Family<series::Labels, Counter>,
    dispatch_duration: Histogram,
    queue_depth: Gauge,
    backpressure: Counter,
    export_duration: Histograms<SinkType>,
    export_bytes: Family<SinkType, Counter>,
    export_rows: Family<SinkRows, Counter>,
    sink_errors: Family<Reason, Counter>,
    reconciles: Family<Outcome, Counter>,
    reconcile_duration: Histograms<Controller>,
    reconcile_errors: Family<KindClass, Counter>,
}

fn slow() -> Histogram {
    Histogram::new(SLOW)
}

impl OpenMetrics {
    /// A registry with all metrics; series with known label values start at zero.
    pub fn new() -> Arc<Self> {
        let metrics = Self {
            registry: Registry::default(),
            items: Gauge::default(),
            collected: Replaced::default(),
            series: Replaced::default(),
            labelled: Replaced::default(),
            capped: Family::default(),
            dispatch_duration: Histogram::new(FAST),
            queue_depth: Gauge::default(),
            backpressure: Counter::default(),
            export_duration: Family::new_with_constructor(slow as fn() -> Histogram),
            export_bytes: Family::default(),
            export_rows: Family::default(),
            sink_errors: Family::default(),
            reconciles: Family::default(),
            reconcile_duration: Family::new_with_constructor(slow as fn() -> Histogram),
            reconcile_errors: Family::default(),
        };
        for reason in ["transient", "terminal"] {
            drop(metrics.sink_errors.get_or_create(&Reason { reason }));
        }
        Arc::new(metrics.registered())
    }

    fn registered(mut self) -> Self {
        let mut registry = Registry::default();
        let r = &mut registry;
        r.register("kollect_collect_items_total", "Rows in memory", self.items.clone());
        r.register(
            "kollect_collected_objects",
            "Rows of one profile and kind",
            self.collected.family(),
        );
        r.register(
            "kollect_custom_resource_series",
            "Sums over the attributes of one profile and kind",
            self.series.family(),
        );
        r.register(
            "kollect_custom_resource_labeled_series",
            "Sums over the attributes of one profile and kind, by attributes that the profile chooses",
            self.labelled.family(),
        );
        r.register(
            "kollect_custom_resource_labeled_series_capped",
            "Label tuples that were left out because a series has too many",
            self.capped.clone(),
        );
        r.register(
            "kollect_collect_dispatch_duration_seconds",
            "Selection and extraction of one batch of objects",
            self.dispatch_duration.clone(),
        );
        r.register(
            "kollect_collect_dispatch_queue_depth",
            "Batches that wait for the engine",
            self.queue_depth.clone(),
        );
        r.register(
            "kollect_collect_dispatch_backpressure",
            "Batches that found the queue full and waited",
            self.backpressure.clone(),
        );
        r.register(
            "kollect_export_duration_seconds",
            "One delivery to a sink",
            self.export_duration.clone(),
        );
        r.register(
            "kollect_export_bytes",
            "Payload bytes that sinks acknowledged",
            self.export_bytes.clone(),
        );
        r.register(
            "kollect_export_rows",
            "Rows that sinks acknowledged or refused",
            self.export_rows.clone(),
        );
        r.register("kollect_sink_errors", "Failed deliveries", self.sink_errors.clone());
        r.register(
            "kollect_reconcile",
            "Plans made from the configuration, and status writes",
            self.reconciles.clone(),
        );
        r.register(
            "kollect_reconcile_duration_seconds",
            "One plan made from the configuration",
            self.reconcile_duration.clone(),
        );
        r.register(
            "kollect_reconcile_errors",
            "Failed extractions and exports",
            self.reconcile_errors.clone(),
        );
        r.register_collector(Box::new(process::ProcessCollector));
        self.registry = registry;
        self
    }

    /// All metrics as OpenMetrics text.
    ///
    /// # Errors
    /// Only if the text cannot be built in memory.
    pub fn render(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        text::encode(&mut text, &self.registry)?;
        Ok(text)
    }

    fn exported(&self, sink_type: &str, counts: [(&'static str, u64); 3], bytes: u64) {
        let sink_type = sink_type.to_owned();
        for (operation, rows) in counts {
            let labels = SinkRows {
                sink_type: sink_type.clone(),
                operation,
            };
            self.export_rows.get_or_create(&labels).inc_by(rows);
        }
        self.export_bytes.get_or_create(&SinkType { sink_type }).inc_by(bytes);
    }

    fn sink_failed(&self, class: ErrorClass) {
        let class = class.label();
        self.sink_errors.get_or_create(&Reason { reason: class }).inc();
        let labels = KindClass {
            kind: "KollectInventory",
            error_class: class,
        };
        self.reconcile_errors.get_or_create(&labels).inc();
    }

    fn reconciled(&self, controller: &'static str, success: bool) {
        let result = if success { "success" } else { "failure" };
        self.reconciles.get_or_create(&Outcome { controller, result }).inc();
    }
}

impl Metrics for OpenMetrics {
    fn record(&self, event: Telemetry) {
        match event {
            Telemetry::Dispatched {
                duration,
                objects: _,
                failures,
            } => {
                self.dispatch_duration.observe(duration.as_secs_f64());
                let labels = KindClass {
                    kind: "KollectTarget",
                    error_class: "terminal",
                };
                self.reconcile_errors.get_or_create(&labels).inc_by(failures);
            }
            Telemetry::Exported {
                sink_type,
                duration,
                bytes,
                written,
                deleted,
                refused,
                fault,
            } => {
                let labels = SinkType {
                    sink_type: sink_type.to_string(),
                };
                self.export_duration
                    .get_or_create(&labels)
                    .observe(duration.as_secs_f64());
                let counts = [("written", written), ("deleted", deleted), ("refused", refused)];
                self.exported(&sink_type, counts, bytes);
                if let Some(class) = fault {
                    self.sink_failed(class);
                }
            }
            Telemetry::Rows(rows) => {
                self.items.set(i64::try_from(rows).unwrap_or(i64::MAX));
            }
            Telemetry::Collected(series) => {
                self.collected.replace(series.into_iter().map(|(profile, gvk, rows)| {
                    let labels = Collected {
                        profile: profile.to_string(),
                        gvk: gvk.to_string(),
                    };
                    (labels, i64::try_from(rows).unwrap_or(i64::MAX))
                }));
            }
            Telemetry::Series(told) => {
                self.series.replace(series::totals(&told));
                self.labelled.replace(series::labelled(&told));
                for (labels, dropped) in series::dropped(&told) {
                    self.capped.get_or_create(&labels).inc_by(dropped);
                }
            }
            Telemetry::QueueDepth(batches) => {
                self.queue_depth.set(i64::try_from(batches).unwrap_or(i64::MAX));
            }
            Telemetry::Backpressure => {
                self.backpressure.inc();
            }
            Telemetry::StatusWritten { success } => self.reconciled("status", success),
            Telemetry::Reconciled { duration } => {
                self.reconciled("configuration", true);
                let labels = Controller {
                    controller: "configuration",
                };
                self.reconcile_duration
                    .get_or_create(&labels)
                    .observe(duration.as_secs_f64());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kollect_domain::ids::Gvk;

    use super::*;

    #[test]
    fn names_types_and_labels_are_those_that_dashboards_rely_on() {
        let metrics = OpenMetrics::new();
        metrics.record(Telemetry::Rows(7));
        metrics.record(Telemetry::Exported {
            sink_type: "postgres".into(),
            duration: Duration::from_millis(3),
            bytes: 100,
            written: 2,
            deleted: 1,
            refused: 0,
            fault: Some(ErrorClass::Unavailable),
        });
        metrics.record(Telemetry::Backpressure);
        let text = metrics.render().unwrap();
        for line in [
            "kollect_collect_items_total 7",
            "kollect_export_bytes_total{sink_type=\"postgres\"} 100",
            "kollect_export_rows_total{sink_type=\"postgres\",operation=\"written\"} 2",
            "kollect_sink_errors_total{reason=\"transient\"} 1",
            "kollect_sink_errors_total{reason=\"terminal\"} 0",
            "kollect_collect_dispatch_backpressure_total 1",
            "kollect_reconcile_errors_total{kind=\"KollectInventory\",error_class=\"transient\"} 1",
            "kollect_export_duration_seconds_bucket{le=\"0.005\",sink_type=\"postgres\"} 1",
        ] {
            assert!(text.contains(line), "{line} is missing in\n{text}");
        }
        assert!(text.contains("process_resident_memory_bytes "));
        assert!(text.ends_with("# EOF\n"));
    }
    #[test]
    fn a_profile_that_is_not_collected_any_more_has_no_series() {
        let metrics = OpenMetrics::new();
        let pods = Gvk::new("", "v1", "Pod");
        let web = ("web".into(), Gvk::new("apps", "v1", "Deployment"), 3);
        metrics.record(Telemetry::Collected(vec![("pods".into(), pods.clone(), 2), web]));
        metrics.record(Telemetry::Collected(vec![("pods".into(), pods, 5)]));
        let text = metrics.render().unwrap();
        let series: Vec<&str> = text
            .lines()
            .filter(|l| l.starts_with("kollect_collected_objects{"))
            .collect();
        assert_eq!(
            series,
            ["kollect_collected_objects{profile=\"pods\",gvk=\"/v1/Pod\"} 5"]
        );
    }

    #[test]
    fn sums_are_served_under_the_labels_of_the_profile_and_end_with_it() {
        let metrics = OpenMetrics::new();
        let labels = vec![
            ("app.io/tier".to_owned(), "web".to_owned()),
            ("zone".to_owned(), String::new()),
        ];
        let labelled = kollect_domain::metrics::Labelled {
            sums: vec![(labels, 1.5)],
            dropped: 2,
        };
        let told = kollect_domain::metrics::Series {
            totals: [("object_count".to_owned(), 3.0)].into(),
            labelled: [("cpu".to_owned(), labelled)].into(),
        };
        let deployments = Gvk::new("apps", "v1", "Deployment");
        metrics.record(Telemetry::Series(vec![("web".into(), deployments, told)]));
        let text = metrics.render().unwrap();
        let common = "profile=\"web\",gvk=\"apps/v1/Deployment\"";
        for line in [
            format!("kollect_custom_resource_series{{{common},series=\"object_count\"}} 3.0"),
            format!(
                "kollect_custom_resource_labeled_series{{{common},series=\"cpu\",app_io_tier=\"web\",zone=\"\"}} 1.5"
            ),
            format!("kollect_custom_resource_labeled_series_capped_total{{{common},series=\"cpu\"}} 2"),
        ] {
            assert!(text.contains(&line), "{line} is missing in\n{text}");
        }
        metrics.record(Telemetry::Series(vec![]));
        let text = metrics.render().unwrap();
        assert!(!text.contains("kollect_custom_resource_series{"), "{text}");
    }
}
