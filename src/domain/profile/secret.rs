//! Profiles of core Secrets.

use crate::extract::attribute::AttributeSource;
use crate::extract::mask::Mask;

/// The annotation that allows a profile to extract the data of Secrets.
pub(super) const ANNOTATION: &str = "kollect.dev/allow-secret-extraction";

/// The annotation that allows a profile to export whole Secrets.
pub(super) const WHOLE_ANNOTATION: &str = "kollect.dev/allow-full-resource-export";

/// Whether an attribute reads what is secret in the data of a Secret, judged by what it really reads. Of a Helm release
/// that is the configuration; other fields of it describe the release.
pub(super) fn reads_data(source: &AttributeSource, mask: &Mask) -> bool {
    match source {
        AttributeSource::Release(field) => field.reads_config(),
        AttributeSource::Path(_) | AttributeSource::Expression(_) => {
            mask.reads_member("data") || mask.reads_member("stringData")
        }
    }
}
