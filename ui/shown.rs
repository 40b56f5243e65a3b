//! Times and numbers as people read them; in JSON they are what they are.

use std::fmt;

use jiff::Timestamp;
use serde::Serialize;

/// A moment, shown in UTC to the second: `2026-12-01 15:04:05Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Moment(pub Timestamp);

impl Moment {
    /// The moment as the `datetime` of a `<time>`.
    pub fn machine(&self) -> impl fmt::Display + use<> {
        self.0.strftime("%Y-%m-%dT%H:%M:%SZ")
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.strftime("%Y-%m-%d %H:%M:%SZ"))
    }
}

/// A number, shown with a comma for every thousand: `12,345`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Count(pub u64);

impl Count {
    /// A number with what it counts: `1 row`, `12,345 rows`.
    pub fn of(self, one: &str, many: &str) -> String {
        format!("{self} {}", if self.0 == 1 { one } else { many })
    }
}

impl From<usize> for Count {
    fn from(count: usize) -> Self {
        Self(u64::try_from(count).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_comma_for_every_thousand() {
        let shown = [0, 999, 1000, 12_345, 1_234_567].map(|number| Count(number).to_string());
        assert_eq!(shown, ["0", "999", "1,000", "12,345", "1,234,567"]);
        assert_eq!(Count(1).of("row", "rows"), "1 row");
        assert_eq!(Count(0).of("row", "rows"), "0 rows");
    }

    #[test]
    fn moments_are_shown_to_the_second_and_kept_whole_in_json() {
        let moment = Moment("2026-12-01T15:04:05.678Z".parse().unwrap());
        assert_eq!(moment.to_string(), "2026-12-01 15:04:05Z");
        assert_eq!(moment.machine().to_string(), "2026-12-01T15:04:05Z");
        assert_eq!(serde_json::to_string(&moment).unwrap(), "\"2026-12-01T15:04:05.678Z\"");
    }
}
