//! One attribute: where its value comes from and what becomes of it.

use std::borrow::Cow;

use serde_json::Value;
use thiserror::Error;

use super::cel::{Binding, CelError, CelFault, Program};
use super::helm::{FieldError, Release, ReleaseFault, ReleaseField};
use super::jsonpath::{JsonPath, JsonPathError, Nodes, TooExpensive};
use super::mask::Mask;
use super::size::{MAX_VALUE_BYTES, subtract_size};

/// Where the value of an attribute comes from.
///
/// **Source**: `cel:` starts a CEL expression, `helm:release.` a field of a Helm release, everything else is a JSONPath.
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeSource {
    /// A JSONPath.
    Path(JsonPath),
    /// A CEL expression over `object`.
    Expression(Box<Program>),
    /// A field of a Helm release.
    Release(ReleaseField),
}

/// Why a text is not the source of an attribute.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A CEL expression without its prefix.
    #[error("an expression over `object` needs the prefix `cel:`; write `cel:{0}`")]
    MissingPrefix(String),
    /// Not a field of a Helm release.
    #[error(transparent)]
    Release(#[from] FieldError),
    /// Not a path.
    #[error(transparent)]
    Path(#[from] JsonPathError),
    /// Not an expression.
    #[error(transparent)]
    Expression(#[from] CelError),
}

/// Why an attribute has no value for an object.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AttributeFault {
    /// The path visits too much.
    #[error(transparent)]
    Path(#[from] TooExpensive),
    /// The expression cannot be evaluated.
    #[error(transparent)]
    Expression(#[from] CelFault),
    /// The field of a Helm release cannot be read.
    #[error(transparent)]
    Release(#[from] ReleaseFault),
    /// Something that is to be removed cannot be.
    #[error("{field}: {fault}")]
    Prune {
        /// The field of the profile that asks for the removal.
        field: String,
        /// What failed.
        fault: Box<AttributeFault>,
    },
    /// The value of an expression says nothing that could be removed.
    #[error("the expression must give a JSON pointer such as `/spec/replicas`, a JSONPath, a list of these, or null")]
    NoPlace,
    /// The value is too large.
    #[error("the value is larger than 8 MiB; select less")]
    TooLarge,
}

impl AttributeSource {
    /// Parses the `path` of an attribute.
    ///
    /// # Errors
    /// What is wrong and what to write instead.
    pub fn parse(text: &str) -> Result<Self, SourceError> {
        let text = text.trim();
        if let Some(source) = text.strip_prefix("cel:") {
            let program = Program::compile(source)?;
            return Ok(Self::Expression(Box::new(program)));
        }
        if let Some(field) = text.strip_prefix("helm:") {
            return Ok(Self::Release(ReleaseField::parse(field)?));
        }
        if text.starts_with("object.") || text.starts_with("object[") {
            return Err(SourceError::MissingPrefix(text.to_owned()));
        }
        Ok(Self::Path(JsonPath::parse(text)?))
    }

    /// The part of an object that the source reads.
    pub fn mask(&self) -> Mask {
        match self {
            Self::Path(path) => path.mask(),
            Self::Expression(program) => program.mask(),
            Self::Release(_) => ReleaseField::mask(),
        }
    }

    /// What may surprise the author, one sentence each.
    pub fn notices(&self) -> Vec<String> {
        match self {
            Self::Path(path) => path.notices().iter().map(ToString::to_string).collect(),
            Self::Expression(_) | Self::Release(_) => Vec::new(),
        }
    }

    /// The value for an object; `None` if there is none, and for null.
    ///
    /// `binding` holds the same object, `release` what Helm stored in it. With `as_list` a single value becomes a list of one and an existing list
    /// without a fitting element the empty list.
    ///
    /// # Errors
    /// Why there is no value; the text quotes no value of the object.
    pub fn evaluate<'a>(
        &'a self,
        object: &'a Value,
        release: &'a Release<'_>,
        binding: Option<&Binding<'_>>,
        as_list: bool,
    ) -> Result<Option<Cow<'a, Value>>, AttributeFault> {
        let value = match self {
            Self::Path(path) => shape(&path.select(object)?, as_list)?,
            Self::Expression(program) => match binding {
                Some(binding) => program.evaluate_bound(binding)?,
                None => Some(program.evaluate(object)?),
            }
            .map(Cow::Owned),
            Self::Release(field) => field.value(release)?.map(Cow::Borrowed),
        };
        Ok(value.filter(|value| !value.is_null()).map(|value| match value {
            value if as_list && !value.is_array() => Cow::Owned(Value::Array(vec![value.into_owned()])),
            value => value,
        }))
    }
}

/// Nothing, the one node, or all nodes.
fn shape<'a>(nodes: &Nodes<'a>, as_list: bool) -> Result<Option<Cow<'a, Value>>, AttributeFault> {
    Ok(match nodes.values() {
        [] if as_list && nodes.exhausted_list() => Some(Cow::Owned(Value::Array(Vec::new()))),
        [] => None,
        [only] => Some(Cow::Borrowed(only)),
        several => {
            several
                .iter()
                .try_fold(MAX_VALUE_BYTES, |left, node| subtract_size(node, left))
                .ok_or(AttributeFault::TooLarge)?;
            Some(Cow::Owned(several.iter().map(|node| (*node).clone()).collect()))
        }
    })
}
