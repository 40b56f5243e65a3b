//! Our own resources of one namespace, or of all.

use std::collections::BTreeMap;
use std::sync::Arc;

use kollect_domain::config::sink::{SinkSpec, StoredPreview};
use kollect_domain::config::{Configuration, Invalid, Namespace, PolicyArea, Resource};
use kollect_domain::ids::{NamespacedName, SinkFamily, SinkKey};
use kube::core::DeserializeGuard;

use super::table::{Definition, Table};
use crate::kube::convert::{self, Configured};
use crate::kube::crd;

/// Resources by their key.
pub(super) type Resources<K> = Table<NamespacedName, Resource<<K as Configured>::Spec>>;

/// What was read of one namespace, or of all.
#[derive(Default)]
pub(super) struct Part {
    pub(super) profiles: Resources<crd::KollectProfile>,
    pub(super) targets: Resources<crd::KollectTarget>,
    pub(super) inventories: Resources<crd::KollectInventory>,
    pub(super) database_sinks: Table<NamespacedName, DatabaseSink>,
    pub(super) scopes: Resources<crd::KollectScope>,
}

/// A sink and its preview.
#[derive(Debug)]
pub(super) struct DatabaseSink {
    pub(super) resource: Resource<SinkSpec>,
    pub(super) preview: StoredPreview,
}

/// As with conditions, a preview that was stored is no change; that one is asked for is.
impl Definition for DatabaseSink {
    fn is_same(&self, other: &Self) -> bool {
        self.resource.is_same(&other.resource) && self.preview.wanted == other.preview.wanted
    }
}

/// How far a part is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// It is being read.
    Waiting,
    /// It may not be read, so nothing is configured there. What is missing in it may exist, so none of it is used.
    Refused,
    /// It was read.
    Whole,
}

impl Part {
    /// How far the part is known. Scopes that may not be read are no reason to wait: they deny what they would govern.
    pub(super) fn known(&self) -> Known {
        let read = [
            (self.profiles.is_complete(), self.profiles.refused()),
            (self.targets.is_complete(), self.targets.refused()),
            (self.inventories.is_complete(), self.inventories.refused()),
            (self.database_sinks.is_complete(), self.database_sinks.refused()),
        ];
        if read.iter().any(|(_, refused)| refused.is_some()) {
            Known::Refused
        } else if read.iter().all(|(complete, _)| *complete) && is_settled(&self.scopes) {
            Known::Whole
        } else {
            Known::Waiting
        }
    }

    /// Adds all to a configuration; `namespace` is empty for the part that has all namespaces.
    pub(super) fn add_to(&self, configuration: &mut Configuration, namespace: &Arc<str>) {
        extend(&mut configuration.profiles, &self.profiles);
        extend(&mut configuration.targets, &self.targets);
        extend(&mut configuration.inventories, &self.inventories);
        extend(&mut configuration.scopes, &self.scopes);
        for (key, sink) in self.database_sinks.rows() {
            let key = SinkKey {
                family: SinkFamily::Database,
                object: key.clone(),
            };
            if sink.preview != StoredPreview::default() {
                configuration.previews.insert(key.clone(), sink.preview.clone());
            }
            configuration.sinks.insert(key, sink.resource.clone());
        }
        let area = if namespace.is_empty() {
            PolicyArea::AllNamespaces
        } else {
            PolicyArea::Namespace(namespace.clone())
        };
        let unread = unread(&self.scopes).map(|why| (area, why));
        configuration.unread_policy.extend(unread);
    }
}

/// Whether a kind was read, or may not be.
pub(super) fn is_settled<K: Ord, V: Definition>(table: &Table<K, V>) -> bool {
    table.is_complete() || table.refused().is_some()
}

/// Why policy is not known, if it is not.
pub(super) fn unread<K: Ord, V: Definition>(table: &Table<K, V>) -> Option<Invalid> {
    table.refused().map(Invalid::new)
}

/// Adds the rows of a part to those of others.
pub(super) fn extend<V: Clone + Definition>(all: &mut BTreeMap<NamespacedName, V>, table: &Table<NamespacedName, V>) {
    all.extend(table.rows().iter().map(|(key, row)| (key.clone(), row.clone())));
}

/// A status that somebody wrote is no change of the definition, so our own writes do not come back as work.
impl<S: PartialEq> Definition for Resource<S> {
    fn is_same(&self, other: &Self) -> bool {
        let Self {
            key,
            labels,
            created: _,
            uid,
            generation,
            deleting,
            finalizers,
            spec,
            conditions: _,
        } = self;
        *key == other.key
            && *labels == other.labels
            && *uid == other.uid
            && *generation == other.generation
            && *deleting == other.deleting
            && *finalizers == other.finalizers
            && *spec == other.spec
    }
}

impl Definition for Namespace {
    fn is_same(&self, other: &Self) -> bool {
        self == other
    }
}

/// An object of ours; one that does not decode is known by its metadata.
pub(super) fn guarded<K: Configured>(object: &DeserializeGuard<K>) -> (NamespacedName, Resource<K::Spec>) {
    match &object.0 {
        Ok(object) => (convert::key(object), convert::resource(object)),
        Err(invalid) => {
            let metadata = &invalid.metadata;
            let key = NamespacedName::new(
                metadata.namespace.as_deref().unwrap_or_default(),
                metadata.name.as_deref().unwrap_or_default(),
            );
            let resource = Resource {
                key: key.clone(),
                labels: metadata.labels.clone().unwrap_or_default(),
                created: metadata.creation_timestamp.as_ref().map(|at| at.0),
                uid: metadata.uid.as_deref().unwrap_or_default().into(),
                generation: metadata.generation.unwrap_or_default(),
                deleting: metadata.deletion_timestamp.is_some(),
                finalizers: metadata
                    .finalizers
                    .iter()
                    .flatten()
                    .map(|f| f.as_str().into())
                    .collect(),
                spec: Err(Invalid::new(format!("the object cannot be read: {}", invalid.error))),
                conditions: Vec::new(),
            };
            (key, resource)
        }
    }
}

/// A sink with what its status shows of a preview.
pub(super) fn database_sink(object: &DeserializeGuard<crd::KollectDatabaseSink>) -> (NamespacedName, DatabaseSink) {
    let (key, resource) = guarded(object);
    let preview = object.0.as_ref().map(convert::sink::preview).unwrap_or_default();
    (key, DatabaseSink { resource, preview })
}
