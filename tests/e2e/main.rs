//! The operator end to end: a real control plane, a real PostgreSQL, the real program.
//!
//! Every test ends with the table equal to the cluster, row for row. An operator watches the whole cluster, so tests
//! take turns; each has a namespace and a database of its own.
#![expect(clippy::unwrap_used, clippy::panic, reason = "all of it is a test, helpers included")]

mod access;
mod bad_input;
mod changes;
mod cluster_kinds;
mod custom_kinds;
mod edits;
mod kills;
mod objects;
mod operator;
mod outages;
mod previews;
mod rights;
mod stopping;
mod table;
mod tenancy;
mod world;
mod writers;
