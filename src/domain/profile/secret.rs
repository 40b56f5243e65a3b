//! Profiles of core Secrets.

use crate::extract::mask::Mask;

/// The annotation that allows a profile to extract the data of Secrets.
pub(super) const ANNOTATION: &str = "kollect.dev/allow-secret-extraction";

/// The annotation that allows a profile to export whole Secrets.
pub(super) const WHOLE_ANNOTATION: &str = "kollect.dev/allow-full-resource-export";

/// Whether an attribute reads the data of a Secret, judged by what it really reads.
pub(super) fn reads_data(mask: &Mask) -> bool {
    mask.reads_member("data") || mask.reads_member("stringData")
}
