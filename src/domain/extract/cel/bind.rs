//! JSON values as CEL values, by reference.
//!
//! A list or map becomes a CEL list or map level by level, when an expression first looks inside. The library
//! recognises its own lists and maps through hooks it hides from its documentation, which is why its version is
//! pinned and the conformance tests exist.

mod list;
mod map;

use ::cel::common::types::{CelBool, CelDouble, CelInt, CelNull, CelString, CelUInt};
use ::cel::common::value::Val;
use serde_json::{Number, Value};

use super::meter::Meter;

/// A JSON value as a CEL value that borrows it.
pub(super) fn value<'v>(json: &'v Value, meter: &'v Meter) -> Box<dyn Val + 'v> {
    match json {
        Value::Null => Box::new(CelNull),
        Value::Bool(flag) => Box::new(CelBool::from(*flag)),
        Value::Number(number) => self::number(number),
        Value::String(text) => Box::new(CelString::from(text.as_str())),
        Value::Array(items) => Box::new(list::List::new(json, items, meter)),
        Value::Object(entries) => Box::new(map::Members::new(json, entries, meter)),
    }
}

/// Whether a value is a list or map of the object rather than one that the expression built.
pub(super) fn is_bound(value: &dyn Val) -> bool {
    let own = value.get_type();
    std::ptr::eq(own, &raw const list::TYPE) || std::ptr::eq(own, &raw const map::TYPE)
}

fn number<'v>(number: &Number) -> Box<dyn Val + 'v> {
    if let Some(signed) = number.as_i64() {
        Box::new(CelInt::from(signed))
    } else if let Some(unsigned) = number.as_u64() {
        Box::new(CelUInt::from(unsigned))
    } else {
        // Without arbitrary precision every number is one of the three.
        Box::new(CelDouble::from(number.as_f64().unwrap_or(f64::NAN)))
    }
}

fn size(length: usize) -> CelInt {
    CelInt::from(i64::try_from(length).unwrap_or(i64::MAX))
}
