//! `KollectInventory` to its definition.

use kollect_domain::config::{DeletionPolicy, Invalid, InventorySpec, SinkRef};
use kollect_domain::ids::SinkFamily;

use super::{Configured, Problems};
use crate::kube::crd;
use crate::kube::crd::sink_ref::{self, InventorySinkRef, SinkRefs};

impl Configured for crd::KollectInventory {
    type Spec = InventorySpec;

    fn validated(&self) -> Result<InventorySpec, Invalid> {
        let spec = &self.spec;
        let mut problems = Problems::default();
        let refs = sink_ref::check(spec.sink_refs(), None).unwrap_or_else(|found| {
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
        let sinks = families
            .into_iter()
            .flat_map(|(family, refs)| refs.into_iter().map(move |reference| (family, reference)))
            .map(|(family, reference)| sink(family, reference, &mut problems))
            .collect();
        let export_min_interval = problems.interval("spec.exportMinInterval", Some(&spec.export_min_interval));
        problems.into_result(InventorySpec {
            sinks,
            export_min_interval,
            suspend: spec.suspend,
            deletion_policy: policy(spec.deletion_policy),
        })
    }

    fn stored_conditions(&self) -> &[crd::Condition] {
        self.status.as_ref().map_or(&[], |status| &status.conditions)
    }
}

fn sink(family: SinkFamily, reference: &InventorySinkRef, problems: &mut Problems) -> SinkRef {
    let field = |member: &str| format!("{} sink {}: {member}", family.id(), reference.name);
    SinkRef {
        family,
        name: reference.name.trim().into(),
        export_min_interval: problems.interval(&field("exportMinInterval"), reference.export_min_interval.as_ref()),
        min_change_interval: problems.interval(&field("minChangeInterval"), reference.min_change_interval.as_ref()),
        deletion_policy: policy(reference.deletion_policy),
    }
}

fn policy(stored: Option<sink_ref::DeletionPolicy>) -> DeletionPolicy {
    match stored {
        None => DeletionPolicy::FamilyDefault,
        Some(sink_ref::DeletionPolicy::Purge) => DeletionPolicy::Purge,
        Some(sink_ref::DeletionPolicy::Retain) => DeletionPolicy::Retain,
    }
}
