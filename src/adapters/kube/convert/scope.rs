//! `KollectScope` and `KollectClusterScope` to their definition.

use std::collections::BTreeSet;

use kollect_domain::config::Invalid;
use kollect_domain::config::scope::ScopeSpec;
use kollect_domain::ids::SinkFamily;

use super::target::gvk;
use super::{Configured, Problems};
use crate::kube::crd::{self, ScopeCeiling};

impl Configured for crd::KollectScope {
    type Spec = ScopeSpec;

    fn validated(&self) -> Result<ScopeSpec, Invalid> {
        scope(&self.spec.ceiling, &[])
    }

    fn stored_conditions(&self) -> &[crd::Condition] {
        &[]
    }
}

impl Configured for crd::KollectClusterScope {
    type Spec = ScopeSpec;

    fn validated(&self) -> Result<ScopeSpec, Invalid> {
        scope(&self.spec.ceiling, &self.spec.allowed_static_ref_namespaces)
    }

    fn stored_conditions(&self) -> &[crd::Condition] {
        &[]
    }
}

fn scope(ceiling: &ScopeCeiling, reference_namespaces: &[String]) -> Result<ScopeSpec, Invalid> {
    let mut problems = Problems::default();
    let families = [
        (SinkFamily::Snapshot, &ceiling.snapshot_sink_refs),
        (SinkFamily::Database, &ceiling.database_sink_refs),
        (SinkFamily::Event, &ceiling.event_sink_refs),
    ];
    let spec = ScopeSpec {
        allowed_kinds: ceiling.allowed_gvks.iter().map(gvk).collect(),
        allowed_namespaces: names(&ceiling.allowed_namespaces),
        denied_namespaces: names(&ceiling.denied_namespaces),
        allowed_sinks: families.map(|(family, sinks)| (family, names(sinks))).into(),
        allowed_reference_namespaces: names(reference_namespaces),
        min_export_interval: problems.interval("spec.minExportInterval", ceiling.min_export_interval.as_ref()),
    };
    problems.into_result(spec)
}

fn names(names: &[String]) -> BTreeSet<String> {
    names.iter().cloned().collect()
}
