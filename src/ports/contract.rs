//! What every implementation of a port must do, as suites that fakes and real adapters both run.

pub mod query;
pub mod sink;
