//! JSONPath in every spelling that users of `kubectl` know.
//!
//! A path is parsed once and then evaluated against objects without allocating more than its result list. The
//! semantics are those of RFC 9535, extended by what Kubernetes users write:
//!
//! * templates: `{.a.b}`, also with blanks and with `{range .items[*]}{.name}{end}`;
//! * relaxed spellings: `.a.b`, `a.b`, `$['a']`, `["a"]`;
//! * escaped dots: `.labels.app\.kubernetes\.io/name`;
//! * single-quoted names that may be paths: `['a.b']` is the key `a.b` where there is one, else `.a.b`;
//! * filters in parentheses: `[?(@.type=="Ready")]`.
//!
//! Two deliberate differences from RFC 9535: an ordering or `!=` comparison with a missing value or between values
//! of different types does not match, and comparing several nodes matches if any of them does.
//!
//! **Source**: RFC 9535; Kubernetes documentation, "JSONPath Support".

mod ast;
mod compare;
mod cursor;
mod error;
mod eval;
mod filter;
mod remove;
mod segments;
mod template;

#[cfg(test)]
mod tests;

use serde_json::Value;

pub(crate) use ast::{Expression, Operand, Segment, Selector};
pub use error::{JsonPathError, Problem};
pub use eval::{Nodes, TooExpensive};
pub use template::Notice;

use template::Template;

/// Longest accepted path. The longest in circulation has a few hundred bytes.
pub const MAX_PATH_BYTES: usize = 4096;

/// A parsed path.
///
/// **Shape**: selects nodes of an object in document order; members of objects count as ordered by the bytes of
/// their names.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonPath {
    template: Template,
    notices: Vec<Notice>,
}

impl JsonPath {
    /// Parses a path in any of the accepted spellings.
    ///
    /// # Errors
    /// What is wrong, where, and what to write instead.
    pub fn parse(text: &str) -> Result<Self, JsonPathError> {
        if text.len() > MAX_PATH_BYTES {
            return Err(JsonPathError::new(MAX_PATH_BYTES, Problem::TooLong));
        }
        let (template, notices) = template::parse(text)?;
        Ok(Self { template, notices })
    }

    /// The nodes that the path selects.
    ///
    /// # Errors
    /// [`TooExpensive`] if the path visits too many nodes of this object.
    pub fn select<'a>(&'a self, object: &'a Value) -> Result<Nodes<'a>, TooExpensive> {
        match &self.template {
            Template::Constant(value) => Ok(Nodes::constant(value)),
            Template::Path(segments) => eval::select(segments, object),
        }
    }

    /// Spellings that are accepted but may not mean what their author thinks.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// The steps of the path; none for a constant.
    pub(crate) fn segments(&self) -> Option<&[Segment]> {
        match &self.template {
            Template::Constant(_) => None,
            Template::Path(segments) => Some(segments),
        }
    }
}
