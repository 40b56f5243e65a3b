//! Times of the estate: all of it happened in November 2026.

use std::fmt;

/// A time, in minutes since the month began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(u32);

const HOUR: u32 = 60;
const DAY: u32 = 24 * HOUR;

impl Moment {
    /// An hour of a day of the month, counted from 1.
    pub const fn on(day: u32, hour: u32) -> Self {
        Self((day - 1) * DAY + hour * HOUR)
    }

    /// Some minutes later.
    pub const fn after(self, minutes: u32) -> Self {
        Self(self.0 + minutes)
    }

    /// A number that grows with time, as versions of resources do.
    pub fn version(self) -> u32 {
        100_000 + 17 * self.0
    }
}

/// RFC 3339, as Kubernetes writes times.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (day, hour, minute) = (self.0 / DAY + 1, self.0 % DAY / HOUR, self.0 % HOUR);
        write!(f, "2026-11-{day:02}T{hour:02}:{minute:02}:00Z")
    }
}
