//! The rules of the code's structure that no compiler checks: who depends on whom, and how files are laid out.
//!
//! Each rule is a function that returns violations. It is called twice: on input that breaks it, and on this repository.
#![expect(clippy::unwrap_used, reason = "all of it is a test, the readers of sources included")]

#[path = "architecture/dependencies.rs"]
mod dependencies;
#[path = "architecture/layout.rs"]
mod layout;
#[path = "architecture/manifests.rs"]
mod manifests;
#[path = "architecture/modules.rs"]
mod modules;
#[path = "architecture/siblings.rs"]
mod siblings;
#[path = "architecture/tasks.rs"]
mod tasks;
#[path = "architecture/workspace.rs"]
mod workspace;

/// A broken rule: what, where and how to mend it, for one line of a test's output.
type Violation = String;

/// Fails with one line for each violation.
fn assert_none(violations: &[Violation]) {
    assert!(
        violations.is_empty(),
        "{} violation(s):\n{}",
        violations.len(),
        violations.join("\n")
    );
}

/// Fails unless there is exactly one violation, with all of these parts.
fn assert_one(violations: &[Violation], parts: &[&str]) {
    assert_eq!(violations.len(), 1, "{violations:?}");
    for part in parts {
        assert!(violations[0].contains(part), "{part:?} is missing in {violations:?}");
    }
}
