//! kollect-ports.
