//! A JSON array as a CEL list.

use std::fmt;
use std::sync::OnceLock;

use ::cel::ExecutionError;
use ::cel::common::traits::{self, Adder, Container, Indexer, Iterable, Sizer, Zeroer};
use ::cel::common::types::{CelInt, CelList, LIST_TYPE, Type};
use ::cel::common::value::{Builtin, BuiltinRef, CowVal, Val};
use serde_json::Value;

use super::super::meter::Meter;
use super::super::result::Probe;
use super::{size, value};

/// The type of bound lists; its address tells them from lists that an expression built.
pub(super) static TYPE: Type = LIST_TYPE;

/// A JSON array as a CEL list.
pub(super) struct List<'v> {
    json: &'v Value,
    items: &'v [Value],
    meter: &'v Meter,
    shallow: OnceLock<CelList<'v>>,
}

impl<'v> List<'v> {
    pub(super) fn new(json: &'v Value, items: &'v [Value], meter: &'v Meter) -> Self {
        Self {
            json,
            items,
            meter,
            shallow: OnceLock::new(),
        }
    }

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
        &TYPE
    }

    fn cel_type() -> &'static Type {
        &TYPE
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
