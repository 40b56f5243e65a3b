//! Profiles of core Secrets.

use crate::extract::mask::Mask;

/// The annotation that allows a profile to extract the data of Secrets.
pub(super) const ANNOTATION: &str = "kollect.dev/allow-secret-extraction";

/// Whether an attribute reads the data of a Secret, judged by what it really reads.
pub(super) fn reads_data(mask: &Mask) -> bool {
    mask.reads_member("data") || mask.reads_member("stringData")
}
