//! The syntax tree of a path.

use serde_json::Value;

/// One step from a list of nodes to the next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Segment {
    /// Every node itself and everything below it, parents first.
    Descend,
    /// Children of every node, selector by selector.
    Children(Vec<Selector>),
}

/// Which children of a node to take.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Selector {
    /// The member of that name.
    Name(String),
    /// The member of that name, or what the path selects where there is no such member.
    NameOrPath(String, Vec<Segment>),
    /// All members or elements.
    Wildcard,
    /// The element at that position, from the end if negative.
    Index(i64),
    /// A range of elements.
    Slice(Slice),
    /// The children for which the expression holds.
    Filter(Box<Expression>),
}

/// A range of elements as RFC 9535 defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) start: Option<i64>,
    pub(crate) end: Option<i64>,
    pub(crate) step: i64,
}

/// A condition on a child.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expression {
    Or(Vec<Expression>),
    And(Vec<Expression>),
    Not(Box<Expression>),
    /// Holds if the operand has a value at all.
    Exists(Operand),
    Compare(Operand, Comparison, Operand),
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operand {
    Literal(Value),
    /// A path from the child under test.
    Current(Vec<Segment>),
    /// A path from the whole object.
    Root(Vec<Segment>),
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}
