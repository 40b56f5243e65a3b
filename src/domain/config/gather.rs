//! What a cluster inventory gathers, as written.

use std::sync::Arc;

use super::target::LabelSelector;

/// Which rows of which cluster targets a `KollectClusterInventory` shows.
///
/// **Shape**: the default gathers everything, as an inventory of a namespace does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gather {
    /// Names of targets; empty = `target_selector` decides.
    pub targets: Vec<Arc<str>>,
    /// Targets by their labels; absent = all.
    pub target_selector: Option<LabelSelector>,
    /// Namespaces by their labels; absent = all.
    pub namespace_selector: Option<LabelSelector>,
    /// Namespaces by name, in addition restricted by the selector; empty = all that it selects.
    pub namespaces: Vec<String>,
    /// Whether an object that several targets collect is shown once.
    pub dedupe: bool,
}
