//! The system's clock.

use std::time::Instant;

use jiff::Timestamp;
use kollect_domain::time::Now;
use kollect_ports::clock::Clock;

/// Wall clock and monotonic clock of the system.
#[derive(Debug, Clone)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Now {
        Now {
            wall: Timestamp::now(),
            monotonic: self.start.elapsed(),
        }
    }
}
