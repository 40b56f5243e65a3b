//! kollect-adapters.
