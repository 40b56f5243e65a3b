//! JSON values as CEL values, by reference.
//!
//! A list or map becomes a CEL list or map level by level, when an expression first looks inside. The library
//! recognises its own lists and maps through hooks it hides from its documentation, which is why its version is
//! pinned and the conformance tests exist.

use std::fmt;
use std::sync::OnceLock;

use ::cel::ExecutionError;
use ::cel::common::traits::{self, Adder, Container, Indexer, Iterable, Sizer, Zeroer};
use ::cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt, LIST_TYPE, MAP_TYPE, Type,
};
use ::cel::common::value::{Builtin, BuiltinRef, CowVal, Val};
use serde_json::{Map, Number, Value};

use super::meter::Meter;
use super::result::Probe;

static LIST: Type = LIST_TYPE;
static MAP: Type = MAP_TYPE;

/// A JSON value as a CEL value that borrows it.
pub(super) fn value<'v>(json: &'v Value, meter: &'v Meter) -> Box<dyn Val + 'v> {
    match json {
        Value::Null => Box::new(CelNull),
        Value::Bool(flag) => Box::new(CelBool::from(*flag)),
        Value::Number(number) => self::number(number),
        Value::String(text) => Box::new(CelString::from(text.as_str())),
        Value::Array(items) => Box::new(List {
            json,
            items,
            meter,
            shallow: OnceLock::new(),
        }),
        Value::Object(members) => Box::new(Members {
            json,
            members,
            meter,
            shallow: OnceLock::new(),
            keys: OnceLock::new(),
        }),
    }
}

/// Whether a value is a list or map of the object rather than one that the expression built.
pub(super) fn is_bound(value: &dyn Val) -> bool {
    let own = value.get_type();
    std::ptr::eq(own, &LIST) || std::ptr::eq(own, &MAP)
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

/// A JSON array as a CEL list.
struct List<'v> {
    json: &'v Value,
    items: &'v [Value],
    meter: &'v Meter,
    shallow: OnceLock<CelList<'v>>,
}

impl<'v> List<'v> {
    fn shallow(&self) -> &CelList<'v> {
        self.shallow.get_or_init(|| {
            let items: Vec<_> = self.items.iter().map(|item| value(item, self.meter)).collect();
            CelList::from(items)
        })
    }

    fn into_shallow(self) -> CelList<'v> {
        self.shallow();
        self.shallow.into_inner().unwrap_or_default()
    }
}

/// The content stays out of debug output: it may be secret.
impl fmt::Debug for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "List({})", self.items.len())
    }
}

impl Val for List<'_> {
    fn get_type(&self) -> &Type {
        &LIST
    }

    fn cel_type() -> &'static Type {
        &LIST
    }

    fn as_adder<'b, 'w>(&'b self) -> Option<&'b (dyn Adder + 'w)>
    where
        Self: 'w,
    {
        Some(self)
    }

    fn as_container(&self) -> Option<&dyn Container> {
        Some(self)
    }

    fn as_indexer<'b, 'w>(&'b self) -> Option<&'b (dyn Indexer + 'w)>
    where
        Self: 'w,
    {
        Some(self)
    }

    fn into_indexer<'w>(self: Box<Self>) -> Option<Box<dyn Indexer + 'w>>
    where
        Self: 'w,
    {
        Some(self)
    }

    fn as_iterable<'b, 'w>(&'b self) -> Option<&'b (dyn Iterable + 'w)>
    where
        Self: 'w,
    {
        Some(self)
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        Some(self)
    }

    fn as_zeroer(&self) -> Option<&dyn Zeroer> {
        Some(self)
    }

    fn equals(&self, other: &dyn Val) -> bool {
        if let Some(probe) = other.downcast_ref::<Probe>() {
            return probe.fill(self.json);
        }
        self.meter.spend(self.items.len() as u64 + 1) && self.shallow().equals(other)
    }

    fn clone_as_boxed<'w>(&self) -> Box<dyn Val + 'w>
    where
        Self: 'w,
    {
        value(self.json, self.meter)
    }

    fn as_builtin<'b, 'w>(&'b self) -> BuiltinRef<'b, 'w>
    where
        Self: 'w,
    {
        BuiltinRef::List(self.shallow())
    }

    fn into_builtin<'w>(self: Box<Self>) -> Option<Builtin<'w>>
    where
        Self: 'w,
    {
        Some(Builtin::List(self.into_shallow()))
    }
}

impl Adder for List<'_> {
    fn add<'b, 'w>(&'b self, rhs: &(dyn Val + 'w)) -> Result<CowVal<'b, 'w>, ExecutionError>
    where
        Self: 'w,
    {
        self.shallow().add(rhs)
    }
}

impl Container for List<'_> {
    fn contains(&self, value: &dyn Val) -> Result<bool, ExecutionError> {
        self.meter.require(self.items.len() as u64 + 1)?;
        self.shallow().contains(value)
    }
}

impl Indexer for List<'_> {
    fn get<'b, 'w>(&'b self, index: &dyn Val) -> Result<CowVal<'b, 'w>, ExecutionError>
    where
        Self: 'w,
    {
        self.shallow().get(index)
    }

    fn steal<'w>(self: Box<Self>, index: &dyn Val) -> Result<Box<dyn Val + 'w>, ExecutionError>
    where
        Self: 'w,
    {
        Box::new(self.into_shallow()).steal(index)
    }
}

impl Iterable for List<'_> {
    fn iter<'b, 'w>(&'b self) -> Box<dyn traits::Iterator<'b, 'w> + 'b>
    where
        Self: 'w,
    {
        self.shallow().iter()
    }
}

impl Sizer for List<'_> {
    fn size(&self) -> CelInt {
        size(self.items.len())
    }
}

impl Zeroer for List<'_> {
    fn is_zero_value(&self) -> bool {
        self.items.is_empty()
    }
}

fn size(length: usize) -> CelInt {
    CelInt::from(i64::try_from(length).unwrap_or(i64::MAX))
}

/// A JSON object as a CEL map; iterates over its keys in their order.
struct Members<'v> {
    json: &'v Value,
    members: &'v Map<String, Value>,
    meter: &'v Meter,
    shallow: OnceLock<CelMap<'v>>,
    keys: OnceLock<CelList<'v>>,
}

impl<'v> Members<'v> {
    fn shallow(&self) -> &CelMap<'v> {
        self.shallow.get_or_init(|| {
            let entries = self.members.iter().map(|(key, member)| {
                let key = CelMapKey::String(CelString::from(key.as_str()));
                (key, value(member, self.meter))
            });
            CelMap::from(entries.collect::<std::collections::HashMap<_, _>>())
        })
    }

    fn into_shallow(self) -> CelMap<'v> {
        self.shallow();
        self.shallow.into_inner().unwrap_or_default()
    }

    fn keys(&self) -> &CelList<'v> {
        self.keys.get_or_init(|| {
            let keys = self.members.keys().map(|key| {
                let key: Box<dyn Val + 'v> = Box::new(CelString::from(key.as_str()));
                key
            });
            CelList::from(keys.collect::<Vec<_>>())
        })
    }
}

/// The content stays out of debug output: it may be secret.
impl fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Members({})", self.members.len())
    }
}

impl Val for Members<'_> {
    fn get_type(&self) -> &Type {
        &MAP
    }

    fn cel_type() -> &'static Type {
        &MAP
    }

    fn as_container(&self) -> Option<&dyn Container> {
        Some(self)
    }

    fn as_indexer<'b, 'w>(&'b self) -> Option<&'b (dyn Indexer + 'w)>
    where
        Self: 'w,
    {
        Some(self)
    }

    fn into_indexer<'w>(self: Box<Self>) -> Option<Box<dyn Indexer + 'w>>
    where
        Self: 'w,
    {
        Some(self)
    }

    fn as_iterable<'b, 'w>(&'b self) -> Option<&'b (dyn Iterable + 'w)>
    where
        Self: 'w,
    {
        Some(self)
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        Some(self)
    }

    fn as_zeroer(&self) -> Option<&dyn Zeroer> {
        Some(self)
    }

    fn equals(&self, other: &dyn Val) -> bool {
        if let Some(probe) = other.downcast_ref::<Probe>() {
            return probe.fill(self.json);
        }
        self.meter.spend(self.members.len() as u64 + 1) && self.shallow().equals(other)
    }

    fn clone_as_boxed<'w>(&self) -> Box<dyn Val + 'w>
    where
        Self: 'w,
    {
        value(self.json, self.meter)
    }

    fn as_builtin<'b, 'w>(&'b self) -> BuiltinRef<'b, 'w>
    where
        Self: 'w,
    {
        BuiltinRef::Map(self.shallow())
    }

    fn into_builtin<'w>(self: Box<Self>) -> Option<Builtin<'w>>
    where
        Self: 'w,
    {
        Some(Builtin::Map(self.into_shallow()))
    }
}

impl Container for Members<'_> {
    fn contains(&self, key: &dyn Val) -> Result<bool, ExecutionError> {
        match key.downcast_ref::<CelString>() {
            Some(key) => Ok(self.members.contains_key(key.inner())),
            None => self.shallow().contains(key),
        }
    }
}

impl Indexer for Members<'_> {
    fn get<'b, 'w>(&'b self, key: &dyn Val) -> Result<CowVal<'b, 'w>, ExecutionError>
    where
        Self: 'w,
    {
        self.shallow().get(key)
    }

    fn steal<'w>(self: Box<Self>, key: &dyn Val) -> Result<Box<dyn Val + 'w>, ExecutionError>
    where
        Self: 'w,
    {
        Box::new(self.into_shallow()).steal(key)
    }
}

impl Iterable for Members<'_> {
    fn iter<'b, 'w>(&'b self) -> Box<dyn traits::Iterator<'b, 'w> + 'b>
    where
        Self: 'w,
    {
        self.keys().iter()
    }
}

impl Sizer for Members<'_> {
    fn size(&self) -> CelInt {
        size(self.members.len())
    }
}

impl Zeroer for Members<'_> {
    fn is_zero_value(&self) -> bool {
        self.members.is_empty()
    }
}
