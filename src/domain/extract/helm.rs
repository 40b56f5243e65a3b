//! Fields of Helm releases: `helm:release.` and a dotted path into what Helm stores.
//!
//! **Source**: Helm 3, storage driver: `data.release` of a Secret or ConfigMap is the release as JSON, gzipped and in
//! base64; the API encodes a Secret's data once more.

mod decode;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use serde_json::Value;
use thiserror::Error;

use super::mask::Mask;

pub use decode::Undecodable;

/// Short names for fields.
const ALIASES: [(&str, &str); 7] = [
    ("releaseName", "name"),
    ("chartName", "chart.metadata.name"),
    ("chartVersion", "chart.metadata.version"),
    ("appVersion", "chart.metadata.appVersion"),
    ("revision", "version"),
    ("status", "info.status"),
    ("lastDeployed", "info.last_deployed"),
];

/// What can hold credentials anywhere in its text. Whatever contains one of these loses it.
const DENIED: [&str; 6] = [
    "manifest",
    "hooks",
    "chart.templates",
    "chart.files",
    "chart.values",
    "chart.raw",
];

/// A field of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseField {
    path: Vec<String>,
}

/// Why a text is not a field of a release.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FieldError {
    /// Something else than `helm:release.`, or nothing after it.
    #[error("write `helm:release.` and a field of the release, for example `helm:release.chartVersion`")]
    NoField,
    /// A field that is never extracted.
    #[error(
        "`{0}` of a release can hold credentials and is not available; select other fields, for example \
         `helm:release.chartVersion`"
    )]
    Denied(&'static str),
}

/// Why a field has no value for an object.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReleaseFault {
    /// The object holds no release.
    #[error(transparent)]
    Undecodable(#[from] Undecodable),
    /// Something on the way to the field is not a map.
    #[error("`{0}` of the release is not a map; select the field itself")]
    NotAMap(String),
}

impl ReleaseField {
    /// Parses what follows `helm:`.
    ///
    /// # Errors
    /// What to write instead.
    pub fn parse(text: &str) -> Result<Self, FieldError> {
        let field = text.strip_prefix("release.").map(str::trim).unwrap_or_default();
        if field.is_empty() {
            return Err(FieldError::NoField);
        }
        let alias = ALIASES.iter().find(|(alias, _)| *alias == field);
        let path = alias.map_or(field, |(_, path)| path);
        let contains = |denied: &&str| {
            path.strip_prefix(*denied)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if let Some(denied) = DENIED.into_iter().find(|denied| contains(denied)) {
            return Err(FieldError::Denied(denied));
        }
        Ok(Self {
            path: path.split('.').map(str::to_owned).collect(),
        })
    }

    /// Whether the field is part of the values that a user gave, which often hold credentials.
    pub fn reads_config(&self) -> bool {
        self.path.first().is_some_and(|first| first == "config")
    }

    /// The part of an object that holds the release.
    pub fn mask() -> Mask {
        let mut mask = Mask::default();
        mask.keep(["data", "release"]);
        mask
    }

    /// Adds the part of a release that the field reads.
    pub(crate) fn add_to(&self, release: &mut Mask) {
        release.keep(self.path.iter().map(String::as_str));
    }

    /// The value; `None` where it, or something on the way to it, is missing or null.
    ///
    /// # Errors
    /// [`ReleaseFault`]; it quotes nothing of the release.
    pub fn value<'r>(&self, release: &'r Release<'_>) -> Result<Option<&'r Value>, ReleaseFault> {
        let mut value = release.content()?;
        for (depth, name) in self.path.iter().enumerate() {
            value = match value {
                Value::Object(members) => match members.get(name) {
                    Some(member) => member,
                    None => return Ok(None),
                },
                Value::Null => return Ok(None),
                _ => return Err(ReleaseFault::NotAMap(self.path[..depth].join("."))),
            };
        }
        Ok(Some(value))
    }
}

/// The release in an object, decoded when it is first asked for and then kept.
#[derive(Debug)]
pub struct Release<'o> {
    object: &'o Value,
    /// What is read of the release.
    mask: &'o Mask,
    content: OnceCell<Result<Value, Undecodable>>,
}

impl<'o> Release<'o> {
    /// The release in an object, as far as a mask keeps it.
    pub fn new(object: &'o Value, mask: &'o Mask) -> Self {
        Self {
            object,
            mask,
            content: OnceCell::new(),
        }
    }

    fn content(&self) -> Result<&Value, Undecodable> {
        let content = self.content.get_or_init(|| {
            let mut content = decode::decode(&self.object["data"]["release"], self.mask)?;
            for denied in DENIED {
                super::pointer::remove(&format!("/{}", denied.replace('.', "/")), &mut content);
            }
            Ok(content)
        });
        content.as_ref().map_err(Clone::clone)
    }
}
