//! `KollectInventory` to its definition.

use kollect_domain::config::gather::Gather;
use kollect_domain::config::{DeletionPolicy, Invalid, InventorySpec, SinkRef};
use kollect_domain::ids::SinkFamily;

use super::{Configured, Problems};
use crate::kube::crd;
use crate::kube::crd::sink_ref::{self, InventorySinkRef, SinkRefLists, SinkRefs};

impl Configured for crd::KollectInventory {
    type Spec = InventorySpec;

    fn validated(&self) -> Result<InventorySpec, Invalid> {
        let spec = &self.spec;
        let mut problems = Problems::default();
        let sinks = sinks(spec.sink_refs(), None, &mut problems);
        let export_min_interval = problems.interval("spec.exportMinInterval", Some(&spec.export_min_interval));
        problems.into_result(InventorySpec {
            sinks,
            export_min_interval,
            suspend: spec.suspend,
            deletion_policy: policy(spec.deletion_policy),
            gather: Gather::default(),
        })
    }

    fn stored_conditions(&self) -> &[crd::Condition] {
        self.status.as_ref().map_or(&[], |status| &status.conditions)
    }
}

/// The sinks of an inventory. `default_namespace` is where a reference of a cluster inventory leads that names no
/// namespace.
pub(super) fn sinks(lists: SinkRefLists<'_>, default_namespace: Option<&str>, problems: &mut Problems) -> Vec<SinkRef> {
    let refs = sink_ref::check(lists, default_namespace).unwrap_or_else(|found| {
        for problem in found {
            problems.add(problem.to_string());
        }
        SinkRefs {
            snapshot: Vec::new(),
            database: Vec::new(),
            event: Vec::new(),
        }
    });
    let SinkRefs {
        snapshot,
        database,
        event,
    } = refs;
    let families = [
        (SinkFamily::Snapshot, snapshot),
        (SinkFamily::Database, database),
        (SinkFamily::Event, event),
    ];
    families
        .into_iter()
        .flat_map(|(family, refs)| refs.into_iter().map(move |reference| (family, reference)))
        .map(|(family, reference)| sink(family, reference, default_namespace, problems))
        .collect()
}

fn sink(
    family: SinkFamily,
    reference: &InventorySinkRef,
    default_namespace: Option<&str>,
    problems: &mut Problems,
) -> SinkRef {
    let named = reference
        .namespace
        .as_deref()
        .map(str::trim)
        .filter(|named| !named.is_empty());
    let field = |member: &str| format!("{} sink {}: {member}", family.id(), reference.name);
    SinkRef {
        family,
        name: reference.name.trim().into(),
        namespace: default_namespace.map(|default| named.unwrap_or(default).into()),
        export_min_interval: problems.interval(&field("exportMinInterval"), reference.export_min_interval.as_ref()),
        min_change_interval: problems.interval(&field("minChangeInterval"), reference.min_change_interval.as_ref()),
        deletion_policy: policy(reference.deletion_policy),
    }
}

pub(super) fn policy(stored: Option<sink_ref::DeletionPolicy>) -> DeletionPolicy {
    match stored {
        None => DeletionPolicy::FamilyDefault,
        Some(sink_ref::DeletionPolicy::Purge) => DeletionPolicy::Purge,
        Some(sink_ref::DeletionPolicy::Retain) => DeletionPolicy::Retain,
    }
}
