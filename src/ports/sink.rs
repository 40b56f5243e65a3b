//! Where an inventory's rows are delivered to.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::BoxStream;
use kollect_domain::config::sink::SinkSpec;
pub use kollect_domain::delivery::{Claim, Delivery, HeldRow, Purge, Receipt, SyncRecord};
use kollect_domain::ids::{InventoryKey, SinkKey};
use kollect_domain::status::preview::DestinationPreview;

use crate::error::PortError;

/// A sink, connected to one destination with one writer identity.
///
/// All methods may be called again after any error or cancellation: calls are idempotent. Every call ends within a
/// deadline of the adapter's own. An adapter connects when it is used, not when it is built.
///
/// An inventory without a namespace is a cluster inventory. [`kollect_domain::filing`] says under which namespace it is
/// filed, and with which identity it is claimed.
#[async_trait]
pub trait Sink: Debug + Send + Sync + 'static {
    /// Prepares the destination (creates or checks it) and claims the inventory for this writer.
    ///
    /// # Errors
    /// `Misconfigured` with reason `WriterConflict` when another writer holds the inventory, or with another reason
    /// when the destination cannot be used as it is; `Unavailable` or `Transient` otherwise.
    async fn claim(&self, inventory: &InventoryKey) -> Result<Claim, PortError>;

    /// Streams the rows that the sink holds for one target, in batches.
    ///
    /// The stream ends after its first error.
    fn resume(&self, inventory: &InventoryKey, target: &str) -> BoxStream<'static, Result<Vec<HeldRow>, PortError>>;

    /// Applies a change as one transaction.
    ///
    /// Writing a row that the sink already holds in this state changes nothing and is not counted as written.
    ///
    /// # Errors
    /// As [`Sink::claim`]. `Rejected` is never returned for single rows: those are reported in the receipt.
    async fn deliver(&self, inventory: &InventoryKey, delivery: &Delivery) -> Result<Receipt, PortError>;

    /// Records freshness and state for readers, and does the sink's own upkeep.
    ///
    /// # Errors
    /// As [`Sink::claim`].
    async fn record(&self, inventory: &InventoryKey, records: &[SyncRecord]) -> Result<(), PortError>;
}

/// Builds sinks.
pub trait SinkFactory: Debug + Send + Sync + 'static {
    /// A sink for one definition. Nothing is connected and no Secret is read before the sink is used.
    ///
    /// # Errors
    /// `Misconfigured` when the definition cannot work, or its type is not served by this build.
    fn build(&self, key: &SinkKey, spec: &Arc<SinkSpec>) -> Result<Arc<dyn Sink>, PortError>;

    /// What a sink of this definition would make of its destination. Pure: nothing is connected and no Secret is read,
    /// and what is shown is what [`Sink::claim`] does with an empty destination. Types that have nothing to show say so
    /// with the default.
    ///
    /// # Errors
    /// As [`SinkFactory::build`].
    fn preview(&self, key: &SinkKey, spec: &Arc<SinkSpec>) -> Result<DestinationPreview, PortError>;
}
