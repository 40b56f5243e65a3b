//! What Kollect talks to: the Kubernetes API and the sinks, each behind its own feature.

#[cfg(feature = "kube")]
pub mod kube;
