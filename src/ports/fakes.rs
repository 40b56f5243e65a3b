//! Stand-ins for the outside world: hand-written, scriptable, and held to the same contract as the real thing.

pub mod metrics;
pub mod query;
pub mod resources;
pub mod secrets;
pub mod sink;
pub mod source;
