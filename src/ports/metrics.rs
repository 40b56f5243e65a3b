//! What happened, as typed events; the adapter turns each into metrics, so that names and labels live in one place.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use kollect_domain::fault::ErrorClass;
use kollect_domain::ids::Gvk;
use kollect_domain::metrics::Series;

/// Something that happened, or a level that was measured. Reported per batch, never per object.
#[derive(Debug, Clone)]
pub enum Telemetry {
    /// A batch of objects was selected and extracted.
    Dispatched {
        /// How long it took.
        duration: Duration,
        /// Objects in the batch.
        objects: u64,
        /// Extractions that failed.
        failures: u64,
    },
    /// A sink operation ended.
    Exported {
        /// `spec.type` of the sink.
        sink_type: Arc<str>,
        /// How long it took.
        duration: Duration,
        /// Payload bytes that the sink acknowledged.
        bytes: u64,
        /// Rows that the sink inserted or changed.
        written: u64,
        /// Rows that the sink removed.
        deleted: u64,
        /// Rows that the sink refused.
        refused: u64,
        /// Why it failed, if it did.
        fault: Option<ErrorClass>,
    },
    /// Rows in memory.
    Rows(u64),
    /// Rows in memory by profile and kind; replaces what was said before.
    Collected(Vec<(Arc<str>, Gvk, u64)>),
    /// Sums over the attributes of rows by profile and kind; replaces what was said before.
    Series(Vec<(Arc<str>, Gvk, Series)>),
    /// Length of the queue into the engine.
    QueueDepth(usize),
    /// The queue into the engine was full and a watch had to wait.
    Backpressure,
    /// A status write ended.
    StatusWritten {
        /// Whether it worked.
        success: bool,
    },
    /// The configuration was planned anew.
    Reconciled {
        /// How long it took.
        duration: Duration,
    },
}

/// Takes telemetry.
pub trait Metrics: Debug + Send + Sync + 'static {
    /// Takes one event; cheap and never blocking.
    fn record(&self, event: Telemetry);
}
