//! Leaving a server out, loudly.

use std::io::Write as _;

const VARIABLE: &str = "KOLLECT_TEST_SKIP";

/// Whether the tests that need `server` are to run.
///
/// They always are, unless `KOLLECT_TEST_SKIP` (a comma-separated list) names the server. Then a
/// line on the error stream says which test was skipped; it is written past the test harness, so
/// it shows even for tests that pass. A server that is merely not installed is never skipped: its
/// start fails and says how to install it.
///
/// ```no_run
/// if !kollect_testbed::required("postgres") {
///     return;
/// }
/// ```
pub fn required(server: &str) -> bool {
    let skipped = std::env::var(VARIABLE).is_ok_and(|list| names(&list, server));
    if skipped {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a test");
        let line = format!("SKIPPED {test}: {VARIABLE} leaves out {server}\n");
        // A closed error stream is no reason to fail a test that was to be skipped anyway.
        drop(std::io::stderr().write_all(line.as_bytes()));
    }
    !skipped
}

fn names(list: &str, server: &str) -> bool {
    list.split(',').any(|name| name.trim() == server)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_in_the_list_are_left_out() {
        assert!(names("control-plane, postgres", "postgres"));
        assert!(!names("postgresql", "postgres"));
        assert!(!names("", "postgres"));
    }
}
