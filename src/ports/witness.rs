//! Somebody who looks on while objects are judged, such as a preview.

use std::fmt::Debug;
use std::sync::Arc;

use kollect_domain::aggregate::rows::Outcome;
use kollect_domain::plan::registration::Registration;

use crate::source::ObjectEvent;

/// Looks on while objects are judged.
pub trait Witness: Debug + Send + Sync + 'static {
    /// Sees what a target makes of a batch of objects; cheap, since collection waits for it.
    ///
    /// **Shape**: outcomes by uid, one for each object in the same order. An object is seen again when it changed and
    /// when it is listed anew.
    fn judged(&self, target: &Registration, objects: &[ObjectEvent], outcomes: &[(Arc<str>, Outcome)]);
}
