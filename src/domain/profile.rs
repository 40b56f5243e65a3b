//! Profiles: which kind to read and what to extract, ready for use.
//!
//! Validation parses every path and compiles every expression once; extraction after that cannot fail for a reason
//! that lies in the profile alone.

mod export;
mod metrics;
mod secret;
mod validate;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::Value;
use thiserror::Error;

use crate::config::Invalid;
pub use crate::config::export::{Export, Include, ObjectExport, PruneSpec};
pub use crate::config::profile::{AttributeSpec, MetricSpec, ProfileSpec};
use crate::extract::attribute::{AttributeFault, AttributeSource};
use crate::extract::cel::{Binding, Meter};
use crate::extract::embed::Embedding;
use crate::extract::helm::Release;
use crate::extract::mask::Mask;
use crate::ids::{Gvk, TargetKey};
use crate::redact::{self, Redaction, Sensitivity};
use crate::row::{Row, RowIdentity};
use crate::selection::namespaces::workload_namespace;

/// A validated profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    gvk: Gvk,
    /// Sorted by name.
    attributes: Vec<Attribute>,
    embedded: Option<Embedded>,
    redaction: Redaction,
    /// Whether the data of the objects must be replaced before anything is extracted.
    guards_secret_data: bool,
    mask: Mask,
    /// The part of a Helm release that extraction reads.
    release_mask: Mask,
    metrics: Vec<MetricSpec>,
    warnings: Vec<String>,
}

/// One attribute of a profile.
#[derive(Debug, Clone, PartialEq)]
struct Attribute {
    name: String,
    source: AttributeSource,
    optional: bool,
    as_list: bool,
    sensitivity: Sensitivity,
}

/// The object in its row.
#[derive(Debug, Clone, PartialEq)]
struct Embedded {
    key: String,
    embedding: Embedding,
}

/// Why an object has no row.
///
/// **Shape**: names the attribute and quotes no value of the object.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExtractionError {
    /// The object lacks what every object has.
    #[error("the object has no metadata.{0}")]
    Identity(&'static str),
    /// A required attribute has no value because of a failure.
    #[error("attribute `{name}`: {fault}")]
    Attribute {
        /// Name of the attribute.
        name: String,
        /// What failed.
        fault: AttributeFault,
    },
}

impl Profile {
    /// Validates a profile. `scrub_keys` are the operator's additional keys to redact.
    ///
    /// # Errors
    /// Every problem at once, each with field, value and remedy.
    pub fn validate(spec: &ProfileSpec, scrub_keys: &[String]) -> Result<Self, Invalid> {
        validate::validate(spec, scrub_keys)
    }

    /// The kind to read.
    pub fn gvk(&self) -> &Gvk {
        &self.gvk
    }

    /// The part of an object that extraction reads, identity and labels included.
    pub fn mask(&self) -> &Mask {
        &self.mask
    }

    /// Which sums over attributes are wanted; none = those of all numeric attributes.
    pub fn metrics(&self) -> &[MetricSpec] {
        &self.metrics
    }

    /// What may surprise the author, each with the attribute's name.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Names of the attributes, ascending.
    pub fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().map(|attribute| attribute.name.as_str())
    }

    /// The row of an object for a target.
    ///
    /// A row names the namespace of its target, or of a cluster target that of the object, `default` if it has none.
    /// A missing value is null, or left out if the attribute is optional. The result depends on nothing but the
    /// arguments, and only on the part of the object that [`Self::mask`] keeps.
    ///
    /// # Errors
    /// A failure of a required attribute, and objects without name or uid.
    pub fn extract(&self, object: &Value, target: &TargetKey) -> Result<Row, ExtractionError> {
        let identity = self.identity(object, target)?;
        let guarded = self.guard(object);
        let meter = Meter::default();
        let binding = self.bind(&guarded, &meter)?;
        let release = Release::new(object, &self.release_mask);
        let mut values: Vec<(&str, Cow<'_, Value>)> = Vec::with_capacity(self.attributes.len() + 1);
        for attribute in &self.attributes {
            match attribute
                .source
                .evaluate(&guarded, &release, binding.as_ref(), attribute.as_list)
            {
                Ok(Some(value)) => {
                    let value = self.redaction.apply(value, attribute.sensitivity);
                    values.push((&attribute.name, value));
                }
                Ok(None) if !attribute.optional => values.push((&attribute.name, Cow::Owned(Value::Null))),
                Err(fault) if !attribute.optional => return Err(attribute.failed(fault)),
                Ok(None) | Err(_) => {}
            }
        }
        if let Some(Embedded { key, embedding }) = &self.embedded {
            let embedded = embedding
                .of(object, &self.redaction)
                .map_err(|fault| failed(key, fault))?;
            values.push((key, Cow::Owned(embedded)));
        }
        let attributes = values.iter().map(|(name, value)| (*name, value.as_ref()));
        Ok(Row::encode(&identity, attributes))
    }

    /// Everything that fails of an object, optional attributes included, in the order of the attributes' names and the
    /// embedded object last; for those who look for faults. [`Self::extract`] fails with the first that is not optional.
    pub fn faults(&self, object: &Value) -> Vec<ExtractionError> {
        let guarded = self.guard(object);
        let meter = Meter::default();
        let binding = match self.bind(&guarded, &meter) {
            Ok(binding) => binding,
            Err(fault) => return vec![fault],
        };
        let release = Release::new(object, &self.release_mask);
        let failing = self.attributes.iter().filter_map(|attribute| {
            let value = attribute
                .source
                .evaluate(&guarded, &release, binding.as_ref(), attribute.as_list);
            value.err().map(|fault| attribute.failed(fault))
        });
        let embedded = self.embedded.as_ref().and_then(|Embedded { key, embedding }| {
            let embedded = embedding.of(object, &self.redaction);
            embedded.err().map(|fault| failed(key, fault))
        });
        failing.chain(embedded).collect()
    }

    fn identity<'a>(&'a self, object: &'a Value, target: &'a TargetKey) -> Result<RowIdentity<'a>, ExtractionError> {
        let metadata = &object["metadata"];
        let namespace = metadata["namespace"].as_str().unwrap_or_default();
        let required = |field| metadata[field].as_str().ok_or(ExtractionError::Identity(field));
        Ok(RowIdentity {
            target_namespace: if target.is_cluster_scoped() {
                workload_namespace(namespace)
            } else {
                &target.namespace
            },
            target_name: &target.name,
            namespace,
            name: required("name")?,
            group: &self.gvk.group,
            version: &self.gvk.version,
            kind: &self.gvk.kind,
            uid: required("uid")?,
        })
    }

    fn guard<'a>(&self, object: &'a Value) -> Cow<'a, Value> {
        if self.guards_secret_data {
            Cow::Owned(redact::without_secret_data(object))
        } else {
            Cow::Borrowed(object)
        }
    }

    /// Binds the object once for all expressions; not at all if there is none.
    fn bind<'v>(&self, object: &'v Value, meter: &'v Meter) -> Result<Option<Binding<'v>>, ExtractionError> {
        let is_expression = |attribute: &&Attribute| matches!(attribute.source, AttributeSource::Expression(_));
        let Some(first) = self.attributes.iter().find(is_expression) else {
            return Ok(None);
        };
        Binding::new(object, meter)
            .map(Some)
            .map_err(|fault| first.failed(fault.into()))
    }
}

impl Attribute {
    fn failed(&self, fault: AttributeFault) -> ExtractionError {
        failed(&self.name, fault)
    }
}

fn failed(name: &str, fault: AttributeFault) -> ExtractionError {
    ExtractionError::Attribute {
        name: name.to_owned(),
        fault,
    }
}
