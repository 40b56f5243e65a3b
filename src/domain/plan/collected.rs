//! The targets of each profile, and how many rows they give.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Decisions;
use crate::engine::Engine;
use crate::ids::{Gvk, NamespacedName, TargetKey};
use crate::profile::Profile;

/// A profile and the targets that use it.
#[derive(Debug, Clone)]
pub struct ProfileGroup {
    /// The profile's name, and `namespace/name` where profiles of one name and kind in several namespaces would
    /// otherwise be one.
    pub name: Arc<str>,
    /// The profile.
    pub profile: Arc<Profile>,
    /// Its targets, ascending.
    pub targets: Vec<TargetKey>,
}

impl Decisions {
    /// The profiles that are collected, ascending by name and kind.
    pub fn by_profile(&self) -> Vec<ProfileGroup> {
        let mut groups: BTreeMap<NamespacedName, ProfileGroup> = BTreeMap::new();
        for registration in self.registrations.values() {
            let target = &registration.target;
            let namespace = registration
                .spec
                .profile_namespace
                .as_ref()
                .unwrap_or(&target.namespace);
            let key = NamespacedName {
                namespace: namespace.clone(),
                name: registration.spec.profile.clone(),
            };
            let group = groups.entry(key).or_insert_with(|| ProfileGroup {
                name: registration.spec.profile.clone(),
                profile: registration.profile.clone(),
                targets: Vec::new(),
            });
            group.targets.push(target.clone());
        }
        let mut seen: BTreeSet<(Arc<str>, Gvk)> = BTreeSet::new();
        let clashes: BTreeSet<(Arc<str>, Gvk)> = groups
            .values()
            .map(|group| (group.name.clone(), group.profile.gvk().clone()))
            .filter(|shown| !seen.insert(shown.clone()))
            .collect();
        for (key, group) in &mut groups {
            if clashes.contains(&(group.name.clone(), group.profile.gvk().clone())) {
                group.name = key.to_string().into();
            }
        }
        let mut groups: Vec<ProfileGroup> = groups.into_values().collect();
        groups.sort_by(|a, b| (&a.name, a.profile.gvk()).cmp(&(&b.name, b.profile.gvk())));
        groups
    }

    /// Rows in memory by profile and kind, over all targets of the profile, ascending.
    pub fn collected(&self, engine: &Engine) -> Vec<(Arc<str>, Gvk, u64)> {
        let rows = |target: &TargetKey| engine.target(target).map_or(0, |report| report.rows);
        let counted = |group: ProfileGroup| {
            let collected = group.targets.iter().map(rows).sum();
            (group.name, group.profile.gvk().clone(), collected)
        };
        self.by_profile().into_iter().map(counted).collect()
    }
}
