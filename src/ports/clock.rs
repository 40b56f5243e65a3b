//! The time.

use std::fmt::Debug;

use kollect_domain::time::Now;

/// The clock.
pub trait Clock: Debug + Send + Sync + 'static {
    /// Wall clock and monotonic clock, read together. The monotonic part never runs backwards.
    fn now(&self) -> Now;
}
