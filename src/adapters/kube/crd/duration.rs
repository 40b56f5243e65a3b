//! Durations as users write them.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::schema::Rule;

/// Text for the pattern and for the rule. Both micro signs (U+00B5 and U+03BC) are part of the grammar.
macro_rules! grammar {
    () => {
        "^[+-]?(0|(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"
    };
}

/// Pattern of every duration.
pub(super) const PATTERN: &str = grammar!();

/// Longest text of a duration; the longest useful one has about 30 characters.
pub(super) const MAX_LENGTH: u32 = 64;

/// Longest interval that may be asked for.
pub const MAX_INTERVAL: Duration = Duration::from_hours(24);

/// Rule of every interval field.
///
/// `duration()` fails on text outside of the grammar and on more than 292 years. A rule that fails, unlike one that is
/// false, blocks every write of an object that was stored before the rule existed, even of its status. So the rule ends
/// before that, at the grammar and at numbers that are too long to be within a day.
pub(super) const INTERVAL: &[Rule] = &[Rule::invalid(
    concat!(
        "self.matches('",
        grammar!(),
        "') && !self.matches('(^|[^0-9.])([0-9]{6,}[0-9.]*h|[0-9]{8,}[0-9.]*m([^s]|$)|[0-9]{10,}[0-9.]*s|",
        "[0-9]{13,}[0-9.]*ms|[0-9]{16,}[0-9.]*(us|µs|μs|ns))') && ",
        "duration(self) >= duration('0s') && duration(self) <= duration('24h')",
    ),
    "must be between 0s and 24h",
)];

/// Rule of every retention field.
pub(super) const RETENTION: &[Rule] = &[Rule::invalid(
    "duration(self) > duration('0s')",
    "must be longer than 0s",
)];

/// The text of a duration, kept as it was written.
///
/// It is parsed where it is used, so an object that holds an impossible duration can still be read, shown and repaired.
///
/// **Shape**: a sign, then decimal numbers with a unit (`ns`, `us`, `µs`, `ms`, `s`, `m`, `h`), such as `90s` or
/// `1h30m`; `0` needs no unit.
/// **Source**: the duration grammar of the Go standard library, which Kubernetes manifests use throughout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DurationText(String);

impl DurationText {
    /// A text as a user writes it.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The length of time that the text means.
    ///
    /// # Errors
    /// [`DurationError::Malformed`] for text outside of the grammar, [`DurationError::Negative`] for less than zero,
    /// [`DurationError::TooLong`] above about 292 years.
    pub fn parse(&self) -> Result<Duration, DurationError> {
        parse(&self.0)
    }

    /// The interval that the text means: at most [`MAX_INTERVAL`].
    ///
    /// # Errors
    /// As [`DurationText::parse`], and [`DurationError::TooLong`] above 24 hours.
    pub fn interval(&self) -> Result<Duration, DurationError> {
        let interval = self.parse()?;
        if interval > MAX_INTERVAL {
            return Err(DurationError::TooLong {
                text: self.0.clone(),
                limit: "24h",
            });
        }
        Ok(interval)
    }
}

impl From<Duration> for DurationText {
    fn from(duration: Duration) -> Self {
        Self(canonical(duration))
    }
}

impl fmt::Display for DurationText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for DurationText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "maxLength": MAX_LENGTH,
            "pattern": PATTERN,
        })
    }
}

/// Why a text is no usable duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// The text is outside of the grammar.
    #[error(
        "{text:?} is not a duration: write numbers with a unit out of ns, us, ms, s, m and h, such as 90s or 1h30m"
    )]
    Malformed {
        /// What was written.
        text: String,
    },
    /// The duration is less than zero.
    #[error("{text:?} is less than zero")]
    Negative {
        /// What was written.
        text: String,
    },
    /// The duration is longer than allowed.
    #[error("{text:?} is longer than {limit}")]
    TooLong {
        /// What was written.
        text: String,
        /// The longest duration allowed here.
        limit: &'static str,
    },
}

/// Units and their nanoseconds; a longer suffix comes before one that it ends with.
const UNITS: [(&str, u128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("h", 3_600 * 1_000_000_000),
];

fn parse(text: &str) -> Result<Duration, DurationError> {
    let malformed = || DurationError::Malformed { text: text.to_owned() };
    let (negative, magnitude) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let mut rest = magnitude;
    let mut nanoseconds: u128 = 0;
    if magnitude.is_empty() {
        return Err(malformed());
    }
    if magnitude != "0" {
        while !rest.is_empty() {
            let (group, remainder) = leading_group(rest).ok_or_else(malformed)?;
            nanoseconds = nanoseconds.saturating_add(group);
            rest = remainder;
        }
    }
    let nanoseconds = i64::try_from(nanoseconds).map_err(|_| DurationError::TooLong {
        text: text.to_owned(),
        limit: "2562047h",
    })?;
    if negative && nanoseconds > 0 {
        return Err(DurationError::Negative { text: text.to_owned() });
    }
    Ok(Duration::from_nanos(nanoseconds.unsigned_abs()))
}

/// One number with its unit, in nanoseconds, and what follows it. Absurdly large numbers saturate.
fn leading_group(text: &str) -> Option<(u128, &str)> {
    let (whole, text) = leading_digits(text);
    let (fraction, text) = match text.strip_prefix('.') {
        Some(after) => leading_digits(after),
        None => ("", text),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (unit, rest) = UNITS
        .iter()
        .find_map(|(suffix, unit)| text.strip_prefix(suffix).map(|rest| (*unit, rest)))?;
    let whole = digits_value(whole).saturating_mul(unit);
    // Digits behind the eighteenth are below a nanosecond, even of an hour.
    let fraction = &fraction[..fraction.len().min(18)];
    let scale = fraction.bytes().fold(1_u128, |scale, _| scale * 10);
    let part = digits_value(fraction) * unit / scale;
    Some((whole.saturating_add(part), rest))
}

fn leading_digits(text: &str) -> (&str, &str) {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at(end)
}

fn digits_value(digits: &str) -> u128 {
    digits.bytes().fold(0_u128, |value, digit| {
        value.saturating_mul(10).saturating_add(u128::from(digit - b'0'))
    })
}

/// The canonical text: hours, minutes and seconds from the first that is not zero, or the largest fitting unit below.
fn canonical(duration: Duration) -> String {
    let nanoseconds = duration.as_nanos();
    match nanoseconds {
        0 => "0s".to_owned(),
        1..1_000 => format!("{nanoseconds}ns"),
        1_000..1_000_000 => decimal(nanoseconds, 1_000, 3) + "µs",
        1_000_000..1_000_000_000 => decimal(nanoseconds, 1_000_000, 6) + "ms",
        _ => {
            let (minutes, nanoseconds) = (nanoseconds / 60_000_000_000, nanoseconds % 60_000_000_000);
            let (hours, minutes) = (minutes / 60, minutes % 60);
            let seconds = decimal(nanoseconds, 1_000_000_000, 9);
            match (hours, minutes) {
                (0, 0) => format!("{seconds}s"),
                (0, _) => format!("{minutes}m{seconds}s"),
                _ => format!("{hours}h{minutes}m{seconds}s"),
            }
        }
    }
}

/// `value / unit` with as many of `places` decimals as are not zero.
fn decimal(value: u128, unit: u128, places: usize) -> String {
    let text = format!("{}.{:0places$}", value / unit, value % unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
