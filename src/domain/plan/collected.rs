//! How many rows each profile gives.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Decisions;
use crate::engine::Engine;
use crate::ids::{Gvk, NamespacedName};

impl Decisions {
    /// Rows in memory by profile and kind, over all targets of the profile, ascending.
    ///
    /// **Shape**: a profile goes by its name, and by `namespace/name` where profiles of one name and kind in several
    /// namespaces would otherwise be one.
    pub fn collected(&self, engine: &Engine) -> Vec<(Arc<str>, Gvk, u64)> {
        let mut rows: BTreeMap<(NamespacedName, Gvk), u64> = BTreeMap::new();
        for registration in self.registrations.values() {
            let target = &registration.target;
            let namespace = registration
                .spec
                .profile_namespace
                .as_ref()
                .unwrap_or(&target.namespace);
            let profile = NamespacedName {
                namespace: namespace.clone(),
                name: registration.spec.profile.clone(),
            };
            let collected = engine.target(target).map_or(0, |report| report.rows);
            *rows.entry((profile, registration.profile.gvk().clone())).or_default() += collected;
        }
        let mut seen: BTreeSet<(&Arc<str>, &Gvk)> = BTreeSet::new();
        let clashes: BTreeSet<(&Arc<str>, &Gvk)> = rows
            .keys()
            .map(|(profile, gvk)| (&profile.name, gvk))
            .filter(|shown| !seen.insert(*shown))
            .collect();
        let mut named: Vec<(Arc<str>, Gvk, u64)> = rows
            .iter()
            .map(|((profile, gvk), rows)| {
                let name = if clashes.contains(&(&profile.name, gvk)) {
                    profile.to_string().into()
                } else {
                    profile.name.clone()
                };
                (name, gvk.clone(), *rows)
            })
            .collect();
        named.sort();
        named
    }
}
