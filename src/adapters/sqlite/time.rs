//! Times as text that sorts by time: RFC 3339 in UTC with six digits after the second.

use jiff::Timestamp;

/// A time as it is stored; finer parts are cut off.
pub(super) fn text(time: Timestamp) -> String {
    format!("{time:.6}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_have_six_digits_after_the_second() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        assert_eq!(text(time("2026-12-01T10:00:00Z")), "2026-12-01T10:00:00.000000Z");
        assert_eq!(
            text(time("2026-12-01T11:00:00.1234567+01:00")),
            "2026-12-01T10:00:00.123456Z"
        );
    }

    proptest! {
        #[test]
        fn text_sorts_as_time_does(a in 0..4_000_000_000_000_000_i64, b in 0..4_000_000_000_000_000_i64) {
            let stored = |microseconds| text(Timestamp::from_microsecond(microseconds).unwrap());
            prop_assert_eq!(stored(a).cmp(&stored(b)), a.cmp(&b));
            prop_assert_eq!(stored(a).parse::<Timestamp>().unwrap().as_microsecond(), a);
        }
    }
}
