//! `KollectProfile` to its definition.

use kollect_domain::config::Invalid;
use kollect_domain::config::export::{Export, Include, ObjectExport, PruneSpec};
use kollect_domain::config::profile::{AttributeSpec, MetricSpec, ProfileSpec};
use kube::ResourceExt as _;

use super::Configured;
use super::target::gvk;
use crate::kube::crd;

/// Annotation that allows the data of Secrets to be extracted.
const ALLOW_SECRET_EXTRACTION: &str = "kollect.dev/allow-secret-extraction";

/// Annotation that allows whole Secrets to be exported.
const ALLOW_WHOLE_SECRETS: &str = "kollect.dev/allow-full-resource-export";

impl Configured for crd::KollectProfile {
    type Spec = ProfileSpec;

    fn validated(&self) -> Result<ProfileSpec, Invalid> {
        let crd::KollectProfileSpec {
            target_gvk,
            attributes,
            export,
            metrics,
        } = &self.spec;
        let export = export.as_ref();
        Ok(ProfileSpec {
            gvk: gvk(target_gvk),
            attributes: attributes.iter().map(attribute).collect(),
            export: export.map(self::export),
            metrics: metrics.iter().map(metric).collect(),
            scrub_keys: export
                .and_then(|export| export.prune.as_ref())
                .map(|prune| prune.scrub_keys.clone())
                .unwrap_or_default(),
            allow_secret_extraction: allows(self, ALLOW_SECRET_EXTRACTION),
            allow_whole_secrets: allows(self, ALLOW_WHOLE_SECRETS),
        })
    }

    fn stored_conditions(&self) -> &[crd::Condition] {
        self.status.as_ref().map_or(&[], |status| &status.conditions)
    }
}

fn allows(profile: &crd::KollectProfile, annotation: &str) -> bool {
    profile
        .annotations()
        .get(annotation)
        .is_some_and(|value| value == "true")
}

fn export(stored: &crd::ObjectExport) -> Export {
    match stored.mode {
        crd::ExportMode::Attributes => Export::Attributes,
        crd::ExportMode::Resource => Export::Resource(ObjectExport {
            key: stored.as_.clone(),
            include: include(stored.include),
            keep_identity: stored.dedupe_identity == Some(false),
            prune: stored.prune.as_ref().map(prune).unwrap_or_default(),
        }),
    }
}

fn include(stored: crd::ExportInclude) -> Include {
    match stored {
        crd::ExportInclude::MetadataOnly => Include::MetadataOnly,
        crd::ExportInclude::SpecOnly => Include::SpecOnly,
        crd::ExportInclude::StatusOnly => Include::StatusOnly,
        crd::ExportInclude::SpecAndStatus => Include::SpecAndStatus,
        crd::ExportInclude::All => Include::All,
    }
}

fn prune(stored: &crd::ExportPrune) -> PruneSpec {
    PruneSpec {
        keep_noise: stored.defaults == Some(false),
        pointers: stored.json_pointers.clone(),
        paths: stored.json_paths.clone(),
        expressions: stored.cel.clone(),
    }
}

fn metric(stored: &crd::ProfileMetric) -> MetricSpec {
    MetricSpec {
        name: stored.name.clone(),
        path: stored.path.clone(),
        labels: stored.labels.clone(),
    }
}

fn attribute(stored: &crd::Attribute) -> AttributeSpec {
    AttributeSpec {
        name: stored.name.clone(),
        path: stored.path.clone(),
        type_hint: stored.type_.clone(),
        optional: stored.optional,
    }
}
