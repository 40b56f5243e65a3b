//! Under which namespace sinks file an inventory, and as whose.
//!
//! Consumers find cluster inventories under the namespace `cluster`. An inventory of a namespace of that name could
//! have the same name; each would delete the other's rows. Therefore they have writers with different identities, and
//! whoever comes second is refused.

use std::sync::Arc;

use crate::ids::InventoryKey;

/// The namespace of cluster inventories in sinks.
const CLUSTER: &str = "cluster";

/// What the identity of a cluster's writer ends with where it writes cluster inventories.
const SUFFIX: &str = "/cluster-inventories";

/// The namespace under which an inventory is filed.
pub fn namespace(inventory: &InventoryKey) -> &str {
    if inventory.is_cluster_scoped() {
        CLUSTER
    } else {
        &inventory.namespace
    }
}

/// The identity of the cluster that rows come from, as a writer of its inventories.
#[derive(Debug, Clone)]
pub struct Writer {
    namespaced: Arc<str>,
    cluster: Arc<str>,
}

impl Writer {
    /// The writer of a cluster's inventories.
    pub fn new(identity: &str) -> Self {
        Self {
            namespaced: identity.into(),
            cluster: format!("{identity}{SUFFIX}").into(),
        }
    }

    /// The identity under which an inventory is written.
    pub fn of(&self, inventory: &InventoryKey) -> &Arc<str> {
        if inventory.is_cluster_scoped() {
            &self.cluster
        } else {
            &self.namespaced
        }
    }
}

/// Why an inventory is refused that has another writer, and what to do: the words after "is written by".
///
/// `remedy` is what helps if the other one is another cluster.
pub fn conflict(holder: &str, writer: &str, remedy: &str) -> String {
    let cluster = |identity: &str| identity.strip_suffix(SUFFIX).unwrap_or(identity).to_owned();
    let (other, remedy) = if cluster(holder) == cluster(writer) {
        let remedy = "a KollectClusterInventory and a KollectInventory in the namespace \"cluster\" have the same name \
                      and destination: rename one of them";
        ("another kind of inventory", remedy)
    } else {
        ("another cluster", remedy)
    };
    format!(
        "{other} (identity {holder}, this is {writer}); {remedy}, or, if the other one is gone for good, remove its \
         claim, which is the row of the sync table with an empty target_name"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_inventory_is_filed_under_cluster_by_a_writer_of_its_own() {
        let (fleet, team) = (InventoryKey::new("", "apps"), InventoryKey::new("cluster", "apps"));
        assert_eq!((namespace(&fleet), namespace(&team)), ("cluster", "cluster"));
        let writer = Writer::new("uid-1");
        assert_eq!(
            &**writer.of(&team),
            "uid-1",
            "what older versions claimed stays claimed"
        );
        assert_ne!(writer.of(&fleet), writer.of(&team));
    }

    #[test]
    fn a_conflict_says_what_to_change() {
        let writer = Writer::new("uid-1");
        let fleet = writer.of(&InventoryKey::new("", "apps"));
        assert!(conflict("uid-1", fleet, "move").contains("rename one of them"));
        assert!(conflict("uid-2", fleet, "move").starts_with("another cluster (identity uid-2, this is uid-1"));
        assert!(conflict("uid-2", fleet, "move").contains("; move, or"));
    }
}
