//! A JSON object as a CEL map.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use ::cel::ExecutionError;
use ::cel::common::traits::{self, Container, Indexer, Iterable, Sizer, Zeroer};
use ::cel::common::types::{CelInt, CelList, CelMap, CelMapKey, CelString, MAP_TYPE, Type};
use ::cel::common::value::{Builtin, BuiltinRef, CowVal, Val};
use serde_json::{Map, Value};

use super::super::meter::Meter;
use super::super::result::Probe;
use super::{size, value};

/// The type of bound maps; its address tells them from maps that an expression built.
pub(super) static TYPE: Type = MAP_TYPE;

/// A JSON object as a CEL map; iterates over its keys in their order.
pub(super) struct Members<'v> {
    json: &'v Value,
    entries: &'v Map<String, Value>,
    meter: &'v Meter,
    shallow: OnceLock<CelMap<'v>>,
    keys: OnceLock<CelList<'v>>,
}

impl<'v> Members<'v> {
    pub(super) fn new(json: &'v Value, entries: &'v Map<String, Value>, meter: &'v Meter) -> Self {
        Self {
            json,
            entries,
            meter,
            shallow: OnceLock::new(),
            keys: OnceLock::new(),
        }
    }

    fn shallow(&self) -> &CelMap<'v> {
        self.shallow.get_or_init(|| {
            let entries = self.entries.iter().map(|(key, member)| {
                let key = CelMapKey::String(CelString::from(key.as_str()));
                (key, value(member, self.meter))
            });
            CelMap::from(entries.collect::<HashMap<_, _>>())
        })
    }

    fn into_shallow(self) -> CelMap<'v> {
        self.shallow();
        self.shallow.into_inner().unwrap_or_default()
    }

    fn keys(&self) -> &CelList<'v> {
        self.keys.get_or_init(|| {
            let keys = self.entries.keys().map(|key| {
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
        write!(f, "Members({})", self.entries.len())
    }
}

impl Val for Members<'_> {
    fn get_type(&self) -> &Type {
        &TYPE
    }

    fn cel_type() -> &'static Type {
        &TYPE
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
        self.meter.spend(self.entries.len() as u64 + 1) && self.shallow().equals(other)
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
            Some(key) => Ok(self.entries.contains_key(key.inner())),
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
        size(self.entries.len())
    }
}

impl Zeroer for Members<'_> {
    fn is_zero_value(&self) -> bool {
        self.entries.is_empty()
    }
}
