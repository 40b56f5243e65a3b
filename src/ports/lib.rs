//! The ports of Kollect: what the application asks of the outside world.
//!
//! * [`ObjectSource`](source::ObjectSource): objects of one kind, as they are listed and watched.
//! * [`Sink`](sink::Sink): somewhere an inventory's rows are delivered to.
//! * [`SinkFactory`](sink::SinkFactory): a validated sink definition to a [`Sink`](sink::Sink).
//! * [`SecretReader`](secrets::SecretReader): Secrets, by reference.
//! * [`ConfigurationSource`](resources::ConfigurationSource): our own resources, as one configuration.
//! * [`ResourceWriter`](resources::ResourceWriter): their statuses and finalizers.
//! * [`InventoryReader`](query::InventoryReader), [`HealthReader`](query::HealthReader): what a database sink holds.
//! * [`Clock`](clock::Clock): the time.
//! * [`Metrics`](metrics::Metrics): what happened, as typed events.
//! * [`Witness`](witness::Witness): somebody who looks on while objects are judged.
//!
//! Ports that are stored are object safe; none of their methods is called per object.

pub mod clock;
#[cfg(feature = "fakes")]
pub mod contract;
pub mod error;
#[cfg(feature = "fakes")]
pub mod fakes;
pub mod metrics;
pub mod query;
pub mod resources;
pub mod secrets;
pub mod sink;
pub mod source;
pub mod witness;
