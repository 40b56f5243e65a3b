//! kollect-domain.
