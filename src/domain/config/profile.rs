//! Profiles: which kind to read and what to extract, as written.

use super::export::Export;
use crate::ids::Gvk;

/// A `KollectProfile`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileSpec {
    /// Kind to read.
    pub gvk: Gvk,
    /// What to extract, in order.
    pub attributes: Vec<AttributeSpec>,
    /// What rows carry; `None` when the profile does not say, which is the attributes.
    pub export: Option<Export>,
    /// Series to compute from attributes; none stands for a sum of each numeric attribute.
    pub metrics: Vec<MetricSpec>,
    /// Keys to redact besides the built-in and the operator's own.
    pub scrub_keys: Vec<String>,
    /// True when the data of Secrets may be extracted (annotation `kollect.dev/allow-secret-extraction`).
    pub allow_secret_extraction: bool,
    /// True when whole Secrets may be exported (annotation `kollect.dev/allow-full-resource-export`).
    pub allow_whole_secrets: bool,
}

impl ProfileSpec {
    /// A profile of a kind that extracts nothing.
    pub fn of(gvk: Gvk) -> Self {
        Self {
            gvk,
            attributes: Vec::new(),
            export: None,
            scrub_keys: Vec::new(),
            allow_secret_extraction: false,
            allow_whole_secrets: false,
            metrics: Vec::new(),
        }
    }
}

/// One attribute to extract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeSpec {
    /// Key in the row.
    pub name: String,
    /// JSONPath, or CEL after `cel:`.
    pub path: String,
    /// Type hint; only `list` has an effect.
    pub type_hint: String,
    /// Whether a missing value or a failure leaves the key out instead of failing the object.
    pub optional: bool,
}

/// One series that is computed from attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricSpec {
    /// Name of the series.
    pub name: String,
    /// Attribute to sum.
    pub path: String,
    /// Attributes by which sums are told apart.
    pub labels: Vec<String>,
}
