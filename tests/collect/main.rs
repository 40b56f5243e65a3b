//! `collect`, `ui` and `demo` end to end: the real program, and where they are needed a real control plane, a real
//! PostgreSQL and a real browser.
//!
//! Tests run at the same time; each has a folder, a namespace and a database of its own.
#![expect(clippy::unwrap_used, clippy::panic, reason = "all of it is a test, helpers included")]

mod again;
mod cluster;
mod database;
mod demo;
mod exit_codes;
mod full_disk;
mod interrupts;
mod kills;
#[cfg(target_os = "linux")]
mod large;
mod manifests;
mod outputs;
mod pages;
mod preview;
mod program;
mod same_rows;
mod server;
mod writers;
