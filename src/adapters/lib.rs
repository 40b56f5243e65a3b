//! What Kollect talks to: the Kubernetes API and the sinks, each behind its own feature.

#[cfg(feature = "runtime")]
pub mod admin;
#[cfg(feature = "runtime")]
pub mod clock;
#[cfg(feature = "postgres")]
pub mod endpoint;
#[cfg(feature = "files")]
pub mod files;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod filing;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod freshness;
#[cfg(any(feature = "kube", feature = "files"))]
mod json_text;
#[cfg(feature = "kube")]
pub mod kube;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod listing;
#[cfg(feature = "runtime")]
pub mod metrics;
#[cfg(feature = "files")]
pub mod output;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod sinks;
#[cfg(feature = "sqlite")]
pub mod sqlite;
