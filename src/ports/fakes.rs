//! Stand-ins for the outside world: hand-written, scriptable, and held to the same contract as the real thing.

pub mod secrets;
pub mod sink;
