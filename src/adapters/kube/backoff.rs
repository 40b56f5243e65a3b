//! Waiting between attempts: exponential, jittered, capped.

use std::time::Duration;

/// Delays that double from `first` to `cap`.
///
/// **Shape**: each delay is drawn between half of the current step and the whole of it, so that watches that failed
/// together do not come back together.
#[derive(Debug, Clone)]
pub struct Backoff {
    first: Duration,
    cap: Duration,
    step: Duration,
}

impl Backoff {
    /// Delays from `first` to `cap`.
    pub fn new(first: Duration, cap: Duration) -> Self {
        Self {
            first,
            cap,
            step: first,
        }
    }

    /// The next delay.
    pub fn next_delay(&mut self) -> Duration {
        let delay = jittered(self.step / 2, self.step);
        self.step = self.step.saturating_mul(2).min(self.cap);
        delay
    }

    /// Begins again with the first delay: call it after a success.
    pub fn reset(&mut self) {
        self.step = self.first;
    }
}

/// A time between `from` and `to`, both included.
pub fn jittered(from: Duration, to: Duration) -> Duration {
    rand::random_range(from..=to.max(from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_cap_and_never_fall_below_half_of_their_step() {
        let mut backoff = Backoff::new(Duration::from_millis(250), Duration::from_secs(30));
        for step in [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000] {
            let step = Duration::from_millis(step);
            let delay = backoff.next_delay();
            assert!(delay >= step / 2 && delay <= step, "{delay:?} for {step:?}");
        }
    }

    #[test]
    fn a_success_begins_again_with_the_first_delay() {
        let mut backoff = Backoff::new(Duration::from_millis(250), Duration::from_secs(30));
        for _ in 0..10 {
            backoff.next_delay();
        }
        backoff.reset();
        assert!(backoff.next_delay() <= Duration::from_millis(250));
    }
}
