//! `KollectProfile` to its definition.

use kollect_domain::config::Invalid;
use kollect_domain::config::profile::{AttributeSpec, ProfileSpec};
use kube::ResourceExt as _;

use super::Configured;
use super::target::gvk;
use crate::kube::crd;

/// Annotation that allows the data of Secrets to be extracted.
const ALLOW_SECRET_EXTRACTION: &str = "kollect.dev/allow-secret-extraction";

impl Configured for crd::KollectProfile {
    type Spec = ProfileSpec;

    fn validated(&self) -> Result<ProfileSpec, Invalid> {
        let crd::KollectProfileSpec {
            target_gvk,
            attributes,
            export,
            metrics: _,
        } = &self.spec;
        let export = export.as_ref();
        Ok(ProfileSpec {
            gvk: gvk(target_gvk),
            attributes: attributes.iter().map(attribute).collect(),
            whole_objects: export.is_some_and(|export| export.mode == crd::ExportMode::Resource),
            scrub_keys: export
                .and_then(|export| export.prune.as_ref())
                .map(|prune| prune.scrub_keys.clone())
                .unwrap_or_default(),
            allow_secret_extraction: self
                .annotations()
                .get(ALLOW_SECRET_EXTRACTION)
                .is_some_and(|value| value == "true"),
        })
    }

    fn stored_conditions(&self) -> &[crd::Condition] {
        self.status.as_ref().map_or(&[], |status| &status.conditions)
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
