//! Scopes: what policy allows the targets and inventories of a namespace, or those of the cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::ids::{Gvk, SinkFamily};

/// A `KollectScope` or a `KollectClusterScope`. An empty list restricts nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScopeSpec {
    /// Kinds that may be collected; letter case does not matter.
    pub allowed_kinds: Vec<Gvk>,
    /// Namespaces that may be collected from.
    pub allowed_namespaces: BTreeSet<String>,
    /// Namespaces that must not be collected from, whatever is allowed.
    pub denied_namespaces: BTreeSet<String>,
    /// Names of the sinks that may be exported to, by family; a family that is missing is not restricted.
    pub allowed_sinks: BTreeMap<SinkFamily, BTreeSet<String>>,
    /// Namespaces from which cluster kinds may use profiles and sinks.
    pub allowed_reference_namespaces: BTreeSet<String>,
    /// Least interval between exports of an unchanged inventory.
    pub min_export_interval: Option<Duration>,
}
