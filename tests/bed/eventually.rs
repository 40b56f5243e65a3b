//! Waiting for a condition instead of sleeping.

use std::thread;
use std::time::{Duration, Instant};

use crate::Error;

const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Asks `probe` again and again until it gives a value, and fails once `deadline` has passed.
///
/// The pauses between two questions grow from 5 ms to 200 ms. The probe is asked at least once,
/// and once more when the deadline has passed, so a slow machine does not fail a condition that
/// is true.
///
/// # Errors
/// [`Error::Deadline`] with `what` when the condition is still not true at the deadline.
pub fn eventually<T>(deadline: Duration, what: &str, mut probe: impl FnMut() -> Option<T>) -> Result<T, Error> {
    let started = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        let last = started.elapsed() >= deadline;
        if let Some(value) = probe() {
            return Ok(value);
        }
        if last {
            return Err(Error::Deadline {
                what: what.to_owned(),
                deadline,
            });
        }
        thread::sleep(pause.min(deadline.saturating_sub(started.elapsed())));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_that_comes_true_gives_its_value() {
        let mut asked = 0;
        let value = eventually(Duration::from_secs(5), "third time", || {
            asked += 1;
            (asked == 3).then_some("yes")
        });
        assert_eq!(value.unwrap(), "yes");
    }

    #[test]
    fn a_condition_that_stays_false_names_itself_in_the_error() {
        let result = eventually(Duration::from_millis(20), "pigs fly", || None::<()>);
        let message = result.unwrap_err().to_string();
        assert_eq!(message, "after 20ms still not true: pigs fly");
    }

    #[test]
    fn a_condition_is_asked_even_when_the_deadline_is_zero() {
        assert!(eventually(Duration::ZERO, "now", || Some(())).is_ok());
    }
}
