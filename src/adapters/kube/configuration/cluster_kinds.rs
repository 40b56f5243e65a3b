//! Our own cluster-scoped resources.

use kollect_domain::config::{Configuration, PolicyArea};

use super::part::{Resources, extend, is_settled, unread};
use crate::kube::crd;

/// What was read of the cluster kinds.
#[derive(Default)]
pub(super) struct ClusterKinds {
    pub(super) targets: Resources<crd::KollectClusterTarget>,
    pub(super) inventories: Resources<crd::KollectClusterInventory>,
    pub(super) scopes: Resources<crd::KollectClusterScope>,
}

impl ClusterKinds {
    /// Whether each was read, or may not be read where that says enough: scopes that may not be read deny everything,
    /// so nothing else has to be waited for.
    pub(super) fn is_settled(&self) -> bool {
        self.targets.is_complete() && self.inventories.is_complete() && is_settled(&self.scopes)
    }

    /// Adds all to a configuration.
    pub(super) fn add_to(&self, configuration: &mut Configuration) {
        extend(&mut configuration.targets, &self.targets);
        extend(&mut configuration.inventories, &self.inventories);
        extend(&mut configuration.scopes, &self.scopes);
        let unread = unread(&self.scopes).map(|why| (PolicyArea::ClusterKinds, why));
        configuration.unread_policy.extend(unread);
    }
}
