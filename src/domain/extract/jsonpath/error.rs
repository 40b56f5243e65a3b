//! Why a text is not a path.

use thiserror::Error;

/// A syntax error in a path.
///
/// **Units**: the position counts characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{problem} (at character {position})")]
pub struct JsonPathError {
    position: usize,
    problem: Problem,
}

impl JsonPathError {
    pub(super) fn new(offset: usize, problem: Problem) -> Self {
        Self {
            position: offset + 1,
            problem,
        }
    }

    /// Where the error was noticed, in characters from 1.
    pub fn position(&self) -> usize {
        self.position
    }

    /// What is wrong.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

/// What is wrong with a path, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Nothing to evaluate.
    #[error("the path is empty; write for example `$.metadata.name`")]
    Empty,
    /// Longer than [`MAX_PATH_BYTES`](super::MAX_PATH_BYTES).
    #[error("the path is longer than 4096 bytes; shorten it or split it into several attributes")]
    TooLong,
    /// A character that no step starts with.
    #[error("unexpected `{0}`; a step starts with `.`, `..` or `[`")]
    Unexpected(char),
    /// The text ended inside a construct.
    #[error("missing `{0}`")]
    Missing(&'static str),
    /// Something else than the expected token.
    #[error("expected {expected}, found `{found}`")]
    Expected {
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: char,
    },
    /// A quoted text without its closing quote.
    #[error("the quote is never closed")]
    OpenQuote,
    /// A word in brackets without quotes.
    #[error("`[{0}]` is neither a number nor a quoted name; write `['{0}']`")]
    UnquotedName(String),
    /// An index or slice bound beyond 64 bits.
    #[error("`{0}` is too large for an index")]
    IndexTooLarge(String),
    /// Two descents in a row.
    #[error("`..` cannot follow `..`; write it once")]
    RepeatedDescent,
    /// An operator this dialect does not have.
    #[error(
        "`{0}` is not an operator of path filters; use == != < <= > >= && || !, or write the attribute with `cel:`"
    )]
    UnknownOperator(String),
    /// A word that is no operand.
    #[error("`{0}` is not a value; write a path such as `@.{0}` or a quoted text such as '{0}'")]
    UnknownWord(String),
    /// A function call in a filter.
    #[error("`{0}(...)` is not available in path filters; write the attribute with `cel:`")]
    Function(String),
    /// Filters or templates nested too deeply.
    #[error("the path is nested more than 16 levels deep; simplify it or write the attribute with `cel:`")]
    TooDeep,
    /// A `{range}` without its `{end}`.
    #[error("`{{range}}` is never closed; add `{{end}}`")]
    OpenRange,
    /// An `{end}` without its `{range}`.
    #[error("`{{end}}` without `{{range}}`")]
    StrayEnd,
}
