//! The Kubernetes API.

pub mod backoff;
pub mod client;
pub mod configuration;
pub mod convert;
pub mod crd;
pub mod discovery;
pub mod identity;
pub mod namespaces;
pub mod resources;
pub mod secrets;
pub mod source;
