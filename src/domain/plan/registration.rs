//! One version of a target's definition, ready to judge objects.

use std::sync::Arc;

use serde_json::Value;

use crate::aggregate::rows::Outcome;
use crate::ceiling::Ceiling;
use crate::config::target::TargetSpec;
use crate::ids::{Epoch, TargetKey};
use crate::profile::Profile;
use crate::selection::Selection;
use crate::selection::namespaces::Namespaces;

/// A registered target.
#[derive(Debug)]
pub struct Registration {
    /// The target.
    pub target: TargetKey,
    /// Number of this registration.
    pub epoch: Epoch,
    /// Its definition.
    pub spec: Arc<TargetSpec>,
    /// What policy allows it.
    pub ceiling: Arc<Ceiling>,
    /// Its profile.
    pub profile: Arc<Profile>,
    /// Which objects it selects.
    pub selection: Selection,
}

impl Registration {
    /// Whether this registration is for exactly this definition.
    pub fn is_for(&self, spec: &TargetSpec, profile: &Arc<Profile>, ceiling: &Ceiling) -> bool {
        *self.spec == *spec && Arc::ptr_eq(&self.profile, profile) && *self.ceiling == *ceiling
    }

    /// What the target makes of an object.
    pub fn judge(&self, object: &Value, namespaces: &Namespaces) -> Outcome {
        match self.selection.matches(object, namespaces) {
            Ok(true) => {}
            Ok(false) => return Outcome::NoMatch,
            Err(fault) => return Outcome::Unjudged(fault),
        }
        match self.profile.extract(object, &self.target) {
            Ok(row) => Outcome::Row(Arc::new(row)),
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }
}
