//! From our custom resources to the domain's configuration: each definition is validated here, once.
//!
//! A definition that cannot be used becomes [`Invalid`] with everything that is wrong with it; the object stays known.

use std::sync::Arc;

use kollect_domain::condition::{Condition, ConditionStatus};
use kollect_domain::config::{Invalid, Resource};
use kollect_domain::ids::NamespacedName;
use kube::ResourceExt;

use super::crd;

pub mod cluster_inventory;
pub mod cluster_target;
pub mod inventory;
pub mod profile;
pub mod scope;
pub mod sink;
pub mod target;

/// A custom resource that becomes a part of the configuration.
pub trait Configured: kube::Resource {
    /// The domain's definition.
    type Spec;

    /// Validates the definition.
    ///
    /// # Errors
    /// [`Invalid`] with every problem found.
    fn validated(&self) -> Result<Self::Spec, Invalid>;

    /// The conditions of the stored status.
    fn stored_conditions(&self) -> &[crd::Condition];
}

/// The resource as a part of the configuration.
pub fn resource<K: Configured>(object: &K) -> Resource<K::Spec> {
    let meta = object.meta();
    Resource {
        key: key(object),
        labels: object.labels().clone(),
        created: meta.creation_timestamp.as_ref().map(|at| at.0),
        uid: meta.uid.as_deref().unwrap_or_default().into(),
        generation: meta.generation.unwrap_or_default(),
        deleting: meta.deletion_timestamp.is_some(),
        finalizers: object.finalizers().iter().map(|f| f.as_str().into()).collect(),
        spec: object.validated().map(Arc::new),
        conditions: object.stored_conditions().iter().map(condition).collect(),
    }
}

/// Namespace and name of an object; the namespace of a cluster-scoped one is empty.
pub fn key<K: kube::Resource>(object: &K) -> NamespacedName {
    NamespacedName::new(
        object.meta().namespace.as_deref().unwrap_or_default(),
        object.meta().name.as_deref().unwrap_or_default(),
    )
}

fn condition(stored: &crd::Condition) -> Condition {
    Condition {
        kind: stored.type_.clone(),
        status: match stored.status.as_str() {
            "True" => ConditionStatus::True,
            "False" => ConditionStatus::False,
            _ => ConditionStatus::Unknown,
        },
        reason: stored.reason.clone(),
        message: stored.message.clone(),
        last_transition_time: stored.last_transition_time.0,
        observed_generation: stored.observed_generation.unwrap_or_default(),
    }
}

/// Collects what is wrong with a definition while it is read.
#[derive(Debug, Default)]
struct Problems(Vec<String>);

impl Problems {
    fn add(&mut self, problem: String) {
        self.0.push(problem);
    }

    /// An interval of 0 to 24 h; a bad one is a problem of the field.
    fn interval(&mut self, field: &str, text: Option<&crd::DurationText>) -> Option<std::time::Duration> {
        match text?.interval() {
            Ok(interval) => Some(interval),
            Err(error) => {
                self.add(format!("{field}: {error}"));
                None
            }
        }
    }

    fn into_result<T>(self, value: T) -> Result<T, Invalid> {
        if self.0.is_empty() {
            Ok(value)
        } else {
            Err(Invalid::new(self.0.join("; ")))
        }
    }
}
