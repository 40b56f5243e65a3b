//! Lines for the person who waits; the table alone goes to standard output.

use std::io::Write as _;

/// Says what happens now.
pub fn say(text: &str) {
    // A closed error stream is no reason to stop a measurement.
    drop(writeln!(std::io::stderr(), "kollect-bench: {text}"));
}
