//! Why an expression is refused or has no value.

use ::cel::{ExecutionError, ParseErrors};
use thiserror::Error;

/// Why a text is not an acceptable expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CelError {
    /// Nothing to evaluate.
    #[error("the expression is empty; write for example `cel:object.metadata.name`")]
    Empty,
    /// Longer than [`MAX_SOURCE_BYTES`](super::MAX_SOURCE_BYTES).
    #[error("the expression is longer than 4096 bytes; split it into several attributes")]
    TooLong,
    /// Not CEL.
    #[error("not a CEL expression, at line {line}, column {column}: {message}")]
    Syntax {
        /// What the parser says.
        message: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
    },
    /// Too deep to evaluate on an ordinary stack.
    #[error("the expression is nested more than 50 levels deep; split it into several attributes")]
    TooDeep,
    /// Loops in loops.
    #[error("the expression nests more than {0} loops (`map`, `filter`, `all`, `exists`); simplify it")]
    TooManyLoops(usize),
    /// A variable that does not exist.
    #[error("`{0}` is unknown; the only variable is `object`")]
    UnknownVariable(String),
    /// A function that does not exist.
    #[error("the function `{0}` is unknown or does not take these arguments")]
    UnknownFunction(String),
    /// A message literal.
    #[error("`{0}{{...}}` is not available; build a map with `{{'key': value}}`")]
    MessageLiteral(String),
    /// A regular expression in the text that is none, or is too large.
    #[error("`{0}` is not a usable regular expression; `matches` takes RE2 syntax")]
    Pattern(String),
    /// The expression could not be parsed at all.
    #[error("the expression cannot be parsed; simplify it")]
    Unavailable,
}

impl CelError {
    pub(super) fn from_parser(errors: &ParseErrors) -> Self {
        let Some(first) = errors.errors.first() else {
            return Self::Unavailable;
        };
        let position = |number: isize| usize::try_from(number).unwrap_or(1).max(1);
        Self::Syntax {
            message: first.msg.lines().next().unwrap_or_default().to_owned(),
            line: position(first.pos.0),
            column: position(first.pos.1),
        }
    }
}

/// Why an expression has no value for an object.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CelFault {
    /// A member that the object lacks.
    #[error("the object has no `{0}`; guard the expression with `has(...)`")]
    NoSuchKey(String),
    /// A key that the expression computed is not in the map.
    #[error("a computed key is not in the map; guard the expression with `key in map`")]
    NoSuchComputedKey,
    /// Operands of types an operator or function does not take.
    #[error("{0}; convert or guard the operands")]
    Types(String),
    /// A position outside the list.
    #[error("an index is outside its list; guard the expression with `size(...)`")]
    OutOfBounds,
    /// Division or remainder by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// An integer beyond 64 bits, or a time out of range.
    #[error("a number or time is out of range")]
    OutOfRange,
    /// A function refused its arguments.
    #[error("the function `{0}` does not accept its arguments for this object")]
    Function(String),
    /// Another failure of the evaluation.
    #[error("the expression cannot be evaluated for this object")]
    Evaluation,
    /// Not a number, or infinite.
    #[error("the result is not a finite number")]
    NotFinite,
    /// A result that JSON cannot hold.
    #[error("the result contains a `{0}`, which has no JSON form")]
    NoJsonForm(String),
    /// Two keys of a map that have the same text.
    #[error("two keys of the resulting map have the same text")]
    EqualKeys,
    /// A result that is too large.
    #[error("the result is larger than 8 MiB; select less")]
    TooLarge,
    /// The budget of steps is spent.
    #[error("the expression takes too many steps for this object; simplify it")]
    TooExpensive,
    /// A fault of the evaluator, not of the expression.
    #[error("the expression evaluator failed; please report this expression")]
    Internal,
}

impl CelFault {
    /// The library's error without the values it quotes. Keys are quoted only if the expression itself names them.
    pub(super) fn from_execution(error: &ExecutionError, source: &str) -> Self {
        match error {
            ExecutionError::NoSuchKey(key) if source.contains(key.as_str()) => Self::NoSuchKey(key.to_string()),
            ExecutionError::NoSuchKey(_) => Self::NoSuchComputedKey,
            ExecutionError::NoSuchOverload(overload) => Self::Types(overload.to_string()),
            ExecutionError::UnexpectedType { got, want } => {
                Self::Types(format!("found `{got}` where `{want}` is needed"))
            }
            ExecutionError::UnsupportedBinaryOperator(operator, left, right) => Self::Types(format!(
                "`{operator}` does not take `{}` and `{}`",
                type_name(left),
                type_name(right)
            )),
            ExecutionError::IndexOutOfBounds(_) => Self::OutOfBounds,
            ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => Self::DivisionByZero,
            ExecutionError::Overflow(..) => Self::OutOfRange,
            ExecutionError::FunctionError { function, .. } => Self::Function(function.clone()),
            _ => Self::Evaluation,
        }
    }
}

fn type_name(value: &::cel::Value) -> String {
    value.type_of().to_string()
}
