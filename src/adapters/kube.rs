//! The Kubernetes API.

pub mod crd;
