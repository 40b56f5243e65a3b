//! The pure core of Kollect: selection, extraction, aggregation and cadence, with no I/O and no clock.
//!
//! # Glossary
//!
//! * **Object**: what the Kubernetes API serves. Kollect never keeps one.
//! * **Profile**: which kind to read and which attributes to extract from it.
//! * **Target**: which objects of a profile's kind to collect.
//! * **Row**: the extracted attributes of one object for one target, as canonical JSON with a digest.
//! * **Inventory**: all rows of the targets of one namespace; a cluster inventory shows a **view** of the rows of
//!   cluster targets.
//! * **Sink**: where an inventory is exported to; inventory and sink together are a **binding**.
//! * **Watch scope**: the part of the cluster one list covers; completeness is known per target and watch scope.
//! * **Registration**: one version of a target's definition, numbered by an **epoch**.
//!
//! # Data flow
//!
//! ```text
//! object --(selection, extraction)--> row event --apply--> engine --effects--> deliveries, statuses
//!                                                            ^                     |
//!                                                            +---- outcomes -------+
//! ```

pub mod aggregate;
pub mod cadence;
pub mod canonical;
pub mod ceiling;
pub mod condition;
pub mod config;
pub mod delivery;
pub mod engine;
pub mod envelope;
pub mod extract;
pub mod fault;
pub mod filing;
pub mod ids;
pub mod metrics;
pub mod plan;
pub mod profile;
pub mod query;
pub mod redact;
pub mod row;
pub mod selection;
pub mod status;
pub mod time;
