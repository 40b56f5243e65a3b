//! kollect-app.
