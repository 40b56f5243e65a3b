//! When a binding may talk to its sink: leading edge at once, then minimum spacing; single flight; trailing edge
//! always; backoff after failures.
//!
//! There is no quiet period: endless change cannot postpone a delivery. The state machine knows no clock; times are
//! monotonic readings.

use std::time::Duration;

use crate::fault::ErrorClass;

/// First pause after a failure.
const BACKOFF_BASE: Duration = Duration::from_millis(250);
/// Longest pause after a passing fault: a sink that is back is noticed within this time.
const BACKOFF_LIMIT: Duration = Duration::from_secs(15);
/// Pause after a fault that only a change of the definition or the Secret heals. Secrets are not watched, so they are
/// tried again from time to time.
const TERMINAL_PAUSE: Duration = Duration::from_secs(30);

/// The cadence of one binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cadence {
    spacing: Duration,
    busy: bool,
    not_before: Duration,
    failures: u32,
}

impl Cadence {
    /// A cadence with a minimum spacing between two deliveries of changes; zero = none.
    pub fn new(spacing: Duration) -> Self {
        Self {
            spacing,
            busy: false,
            not_before: Duration::ZERO,
            failures: 0,
        }
    }

    /// Changes the spacing from the next delivery on.
    pub fn set_spacing(&mut self, spacing: Duration) {
        self.spacing = spacing;
    }

    /// Whether an operation may start now.
    pub fn ready(&self, now: Duration) -> bool {
        !self.busy && now >= self.not_before
    }

    /// When an operation may start, if none is in flight.
    pub fn next(&self) -> Option<Duration> {
        (!self.busy).then_some(self.not_before)
    }

    /// True while an operation is in flight.
    pub fn is_busy(&self) -> bool {
        self.busy
    }

    /// An operation starts.
    pub fn started(&mut self) {
        self.busy = true;
    }

    /// The operation succeeded; `spaced` if the next one must keep the minimum spacing.
    pub fn succeeded(&mut self, now: Duration, spaced: bool) {
        self.busy = false;
        self.failures = 0;
        self.not_before = if spaced { now + self.spacing } else { now };
    }

    /// The operation failed. `salt` spreads the retries of different bindings.
    pub fn failed(&mut self, now: Duration, class: ErrorClass, salt: u64) {
        self.busy = false;
        self.failures = self.failures.saturating_add(1);
        let pause = match class {
            ErrorClass::Throttled { after } => after.max(BACKOFF_BASE),
            class if class.is_terminal() => TERMINAL_PAUSE,
            _ => BACKOFF_BASE
                .saturating_mul(1 << (self.failures - 1).min(10))
                .min(BACKOFF_LIMIT),
        };
        self.not_before = now + jittered(pause, salt.wrapping_add(u64::from(self.failures)));
    }

    /// Failures since the last success.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Forgets failures and spacing: the next operation may start at once (a definition changed).
    pub fn hurry(&mut self) {
        self.failures = 0;
        self.not_before = Duration::ZERO;
    }
}

/// `pause` less up to a quarter of it. The domain has no source of chance; mixing a salt spreads callers just as well.
fn jittered(pause: Duration, salt: u64) -> Duration {
    let mixed = (salt ^ (salt >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    let share = u32::try_from(mixed % 256).unwrap_or(0);
    pause.saturating_sub(pause / 4 * share / 256)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_first_change_goes_out_at_once_and_the_next_after_the_spacing() {
        let mut cadence = Cadence::new(5 * SECOND);
        assert!(cadence.ready(Duration::ZERO));
        cadence.started();
        assert!(!cadence.ready(100 * SECOND), "single flight");
        cadence.succeeded(10 * SECOND, true);
        assert!(!cadence.ready(14 * SECOND));
        assert!(cadence.ready(15 * SECOND));
        assert_eq!(cadence.next(), Some(15 * SECOND));
    }

    #[test]
    fn passing_faults_back_off_up_to_the_limit_and_a_success_resets() {
        let mut cadence = Cadence::new(Duration::ZERO);
        let mut pauses = Vec::new();
        for _ in 0..40 {
            cadence.started();
            cadence.failed(SECOND, ErrorClass::Unavailable, 7);
            pauses.push(cadence.next().unwrap().checked_sub(SECOND).unwrap());
        }
        assert!(pauses[0] <= BACKOFF_BASE && pauses[0] >= BACKOFF_BASE * 3 / 4);
        assert!(pauses.iter().all(|pause| *pause <= BACKOFF_LIMIT));
        assert!(pauses[39] >= BACKOFF_LIMIT * 3 / 4);
        cadence.started();
        cadence.succeeded(SECOND, false);
        assert!(cadence.ready(SECOND));
    }

    #[test]
    fn a_throttling_peer_is_obeyed_and_a_terminal_fault_is_tried_rarely() {
        let mut cadence = Cadence::new(Duration::ZERO);
        cadence.failed(Duration::ZERO, ErrorClass::Throttled { after: 40 * SECOND }, 1);
        assert!(cadence.next().unwrap() >= 30 * SECOND);
        cadence.failed(Duration::ZERO, ErrorClass::Misconfigured, 1);
        assert!(cadence.next().unwrap() >= TERMINAL_PAUSE * 3 / 4);
        cadence.hurry();
        assert!(cadence.ready(Duration::ZERO));
    }

    proptest! {
        /// Under endless churn a delivery starts within spacing plus the time of one operation.
        #[test]
        fn endless_change_never_starves_a_delivery(
            spacing_ms in 0_u64..10_000,
            steps in proptest::collection::vec((1_u64..400, 0_u64..50), 1..200),
        ) {
            let spacing = Duration::from_millis(spacing_ms);
            let mut cadence = Cadence::new(spacing);
            let mut now = Duration::ZERO;
            let mut waiting_since = None;
            for (gap, work) in steps {
                now += Duration::from_millis(gap);
                let since = *waiting_since.get_or_insert(now);
                if cadence.ready(now) {
                    prop_assert!(now.saturating_sub(since) <= spacing + Duration::from_millis(400));
                    cadence.started();
                    now += Duration::from_millis(work);
                    cadence.succeeded(now, true);
                    waiting_since = None;
                }
            }
        }
    }
}
