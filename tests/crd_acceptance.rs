//! What a real API server makes of the custom resources.
#![expect(clippy::unwrap_used, clippy::panic, reason = "all of it is a test, helpers included")]

#[path = "crd_acceptance/api.rs"]
mod api;
#[path = "crd_acceptance/columns.rs"]
mod columns;
#[path = "crd_acceptance/defaults.rs"]
mod defaults;
#[path = "crd_acceptance/ratchet.rs"]
mod ratchet;
#[path = "crd_acceptance/round_trip.rs"]
mod round_trip;
#[path = "crd_acceptance/samples.rs"]
mod samples;
#[path = "crd_acceptance/sink_refs.rs"]
mod sink_refs;
#[path = "crd_acceptance/statuses.rs"]
mod statuses;
#[path = "crd_acceptance/vectors.rs"]
mod vectors;
