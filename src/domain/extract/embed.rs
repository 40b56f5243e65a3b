//! The object that is embedded in a row (`export.mode: Resource`).

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::attribute::AttributeFault;
use super::mask::Mask;
use super::prune::Prune;
use crate::config::export::Include;
use crate::ids::Gvk;
use crate::redact::{self, Redaction, Sensitivity};

/// How to embed objects of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    pub(crate) gvk: Gvk,
    pub(crate) include: Include,
    pub(crate) prune: Prune,
}

impl Embedding {
    /// The part of an object that is embedded, before anything is removed from it.
    pub fn mask(&self) -> Mask {
        let mut mask = Mask::default();
        let Some(sections) = sections(self.include) else {
            return Mask::all();
        };
        for section in ["apiVersion", "kind"].iter().chain(sections) {
            mask.keep([*section]);
        }
        mask
    }

    /// The embedded object: parts of a copy, less what is pruned, without secrets. The values of a core Secret's data
    /// are markers, whatever may be extracted into attributes. `apiVersion` and `kind` are set where a list left them
    /// out.
    ///
    /// # Errors
    /// [`AttributeFault::Prune`].
    pub fn of(&self, object: &Value, redaction: &Redaction) -> Result<Value, AttributeFault> {
        let guarded = if self.gvk.is_core_secret() {
            Cow::Owned(redact::without_secret_data(object))
        } else {
            Cow::Borrowed(object)
        };
        let mut embedded = self.included(&guarded);
        self.prune.apply(&mut embedded)?;
        let embedded = redaction.apply(Cow::Owned(embedded), Sensitivity::None);
        Ok(embedded.into_owned())
    }

    fn included(&self, object: &Value) -> Value {
        let sections = sections(self.include);
        let is_included = |name: &str| {
            name == "apiVersion" || name == "kind" || sections.is_none_or(|sections| sections.contains(&name))
        };
        let members = object.as_object().into_iter().flatten();
        let mut included: Map<String, Value> = members
            .filter(|(name, _)| is_included(name))
            .map(|(name, member)| (name.clone(), member.clone()))
            .collect();
        for (name, value) in [
            ("apiVersion", self.gvk.api_version()),
            ("kind", self.gvk.kind.to_string()),
        ] {
            included.entry(name).or_insert(Value::String(value));
        }
        Value::Object(included)
    }
}

/// The sections that are kept besides `apiVersion` and `kind`; `None` for all.
fn sections(include: Include) -> Option<&'static [&'static str]> {
    match include {
        Include::MetadataOnly => Some(&["metadata"]),
        Include::SpecOnly => Some(&["spec"]),
        Include::StatusOnly => Some(&["status"]),
        Include::SpecAndStatus => Some(&["spec", "status"]),
        Include::All => None,
    }
}
