//! The functions and types expressions can use.

use std::sync::{Arc, OnceLock};

use ::cel::Env;
use ::cel::common::ast::operators;
use ::cel::common::functions::Function;
use ::cel::common::types::DYN_TYPE;

use super::meter;

/// Building the standard library costs as much as thousands of evaluations, so there is one for all.
static SHARED: OnceLock<Option<Arc<Env>>> = OnceLock::new();

/// The environment of all expressions; `None` if the library refuses our declarations.
pub(super) fn shared() -> Option<Arc<Env>> {
    SHARED.get_or_init(build).clone()
}

fn build() -> Option<Arc<Env>> {
    let declarations: [(&str, usize, Function); 3] = [
        (meter::VISIT, 3, meter::visit),
        (meter::RANGE, 2, meter::range),
        (meter::ADD, 2, meter::add),
    ];
    let mut environment = Env::stdlib();
    for (name, arity, function) in declarations {
        environment
            .add_overload(name, name, (0..arity).map(|_| DYN_TYPE).collect(), function)
            .ok()?;
    }
    Some(Arc::new(environment))
}

/// Functions that expressions may call, operators included.
pub(super) const FUNCTIONS: [&str; 53] = [
    operators::CONDITIONAL,
    operators::LOGICAL_AND,
    operators::LOGICAL_OR,
    operators::LOGICAL_NOT,
    operators::SUBSTRACT,
    operators::ADD,
    operators::MULTIPLY,
    operators::DIVIDE,
    operators::MODULO,
    operators::EQUALS,
    operators::NOT_EQUALS,
    operators::GREATER_EQUALS,
    operators::LESS_EQUALS,
    operators::GREATER,
    operators::LESS,
    operators::NEGATE,
    operators::INDEX,
    operators::OPT_INDEX,
    operators::OPT_SELECT,
    operators::NOT_STRICTLY_FALSE,
    operators::IN,
    "size",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "bool",
    "bytes",
    "double",
    "duration",
    "dyn",
    "int",
    "string",
    "timestamp",
    "type",
    "uint",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getFullYear",
    "getHours",
    "getMilliseconds",
    "getMinutes",
    "getMonth",
    "getSeconds",
    "value",
    "hasValue",
    "or",
    "orValue",
    "optional.of",
    "optional.none",
    "optional.ofNonZeroValue",
];

/// Names of types, which expressions may compare `type(x)` with.
pub(super) const TYPES: [&str; 11] = [
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "optional_type",
    "string",
    "type",
    "uint",
];

/// Qualified names of types.
pub(super) const QUALIFIED_TYPES: [&str; 2] = ["google.protobuf.Duration", "google.protobuf.Timestamp"];
