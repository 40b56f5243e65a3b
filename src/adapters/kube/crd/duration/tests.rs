use proptest::prelude::*;
use rstest::rstest;

use super::*;

fn nanoseconds(text: &str) -> Result<u128, DurationError> {
    DurationText::new(text).parse().map(|duration| duration.as_nanos())
}

#[rstest]
#[case("0", 0)]
#[case("-0", 0)]
#[case("+0s", 0)]
#[case("90s", 90_000_000_000)]
#[case("1h0m0s", 3_600_000_000_000)]
#[case("1.5h", 5_400_000_000_000)]
#[case(".5s", 500_000_000)]
#[case("1.s", 1_000_000_000)]
#[case("300ms", 300_000_000)]
#[case("7us", 7_000)]
#[case("7\u{b5}s", 7_000)]
#[case("7\u{3bc}s", 7_000)]
#[case("0.0000000005s", 0)]
#[case("9223372036854775807ns", 9_223_372_036_854_775_807)]
fn a_duration_of_the_grammar_means_its_sum(#[case] text: &str, #[case] expected: u128) {
    assert_eq!(nanoseconds(text), Ok(expected));
}

#[rstest]
#[case("")]
#[case("-")]
#[case("1d")]
#[case("1w")]
#[case("1H")]
#[case("30")]
#[case("1e3s")]
#[case("1h 2m")]
#[case(".s")]
#[case("00")]
#[case("--1s")]
#[case("1é")]
fn text_outside_of_the_grammar_is_malformed(#[case] text: &str) {
    assert_eq!(
        nanoseconds(text),
        Err(DurationError::Malformed { text: text.to_owned() })
    );
}

#[test]
fn less_than_zero_and_more_than_a_signed_number_of_nanoseconds_are_refused() {
    assert!(matches!(nanoseconds("-1ns"), Err(DurationError::Negative { .. })));
    assert!(matches!(
        nanoseconds("9223372036854775808ns"),
        Err(DurationError::TooLong { .. })
    ));
    assert!(matches!(
        nanoseconds(&format!("{}h", "9".repeat(60))),
        Err(DurationError::TooLong { .. })
    ));
}

#[test]
fn an_interval_ends_at_24_hours_inclusive() {
    assert_eq!(DurationText::new("24h").interval(), Ok(MAX_INTERVAL));
    assert!(matches!(
        DurationText::new("24h0m0.000000001s").interval(),
        Err(DurationError::TooLong { limit: "24h", .. })
    ));
}

#[rstest]
#[case("0", "0s")]
#[case("1h", "1h0m0s")]
#[case("90s", "1m30s")]
#[case("1500ms", "1.5s")]
#[case("1500us", "1.5ms")]
#[case("1500ns", "1.5µs")]
#[case("15ns", "15ns")]
#[case("24h", "24h0m0s")]
#[case("1h0.25s", "1h0m0.25s")]
fn the_canonical_text_keeps_trailing_zero_groups(#[case] written: &str, #[case] canonical: &str) {
    let duration = DurationText::new(written).parse().unwrap();
    assert_eq!(DurationText::from(duration).as_str(), canonical);
}

proptest! {
    #[test]
    fn canonical_text_means_the_same_duration(nanoseconds in 0..=i64::MAX.unsigned_abs()) {
        let duration = Duration::from_nanos(nanoseconds);
        prop_assert_eq!(DurationText::from(duration).parse(), Ok(duration));
    }

    #[test]
    fn no_text_panics(text in "\\PC*") {
        let _ = DurationText::new(text).parse();
    }
}
