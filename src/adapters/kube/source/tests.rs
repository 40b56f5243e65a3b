//! Sources against a scripted peer (faults that a real server cannot be made to show) and against a real API server.

mod cluster;
mod faults;
mod peer;
