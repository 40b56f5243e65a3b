//! Objects that a source cannot use: counted, and logged in samples.

/// A count of skipped objects of one stream.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    count: u64,
}

impl Skipped {
    /// Notes one object; every power of two is logged, so a flood costs a handful of lines.
    pub(super) fn note(&mut self, target: &dyn std::fmt::Display, name: &str, why: &dyn std::fmt::Display) {
        self.count += 1;
        if self.count.is_power_of_two() {
            tracing::warn!(
                source.target = %target,
                object.name = name,
                skipped.count = self.count,
                "an object cannot be collected and is skipped: {why}"
            );
        }
    }
}
