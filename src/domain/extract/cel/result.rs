//! From the result of an expression to plain JSON.

use std::any::Any;
use std::sync::{Mutex, PoisonError};

use ::cel::common::types::{
    CelBool, CelBytes, CelDouble, CelDuration, CelInt, CelList, CelMap, CelMapKey, CelOptional, CelString,
    CelTimestamp, CelType, CelUInt, Kind, OPTIONAL_TYPE, Type,
};
use ::cel::common::value::{FromVal, StaticVal, Val};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Map, Number, Value};

use super::bind;
use super::error::CelFault;
use crate::extract::size::{MAX_VALUE_BYTES, subtract_size};

/// The JSON value of a result; `None` for an absent optional.
pub(super) fn to_json(result: &dyn Val) -> Result<Option<Value>, CelFault> {
    let mut conversion = Conversion {
        bytes_left: MAX_VALUE_BYTES,
    };
    match result.downcast_ref::<CelOptional>() {
        Some(optional) => optional.option().map(|value| conversion.value(value)).transpose(),
        None => conversion.value(result).map(Some),
    }
}

struct Conversion {
    bytes_left: usize,
}

impl Conversion {
    fn spend(&mut self, bytes: usize) -> Result<(), CelFault> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or(CelFault::TooLarge)?;
        Ok(())
    }

    fn value(&mut self, value: &dyn Val) -> Result<Value, CelFault> {
        if bind::is_bound(value) {
            return self.bound(value);
        }
        self.spend(size_of::<Value>())?;
        match value.get_type().kind() {
            Kind::NullType => Ok(Value::Null),
            Kind::Boolean => Ok(Value::Bool(*known::<CelBool>(value)?.inner())),
            Kind::Int => Ok(Value::from(*known::<CelInt>(value)?.inner())),
            Kind::UInt => Ok(Value::from(*known::<CelUInt>(value)?.inner())),
            Kind::Double => double(*known::<CelDouble>(value)?.inner()),
            Kind::String => self.text(known::<CelString>(value)?.inner()),
            Kind::Bytes => {
                let bytes = known::<CelBytes>(value)?.inner();
                self.spend(bytes.len())?;
                Ok(Value::String(STANDARD.encode(bytes)))
            }
            Kind::Timestamp => timestamp(known(value)?),
            Kind::Duration => duration(known(value)?),
            Kind::Type => self.text(known::<CelType>(value)?.name()),
            Kind::List => {
                let items = known::<CelList>(value)?.inner().iter();
                items.map(|item| self.value(item.as_ref())).collect()
            }
            Kind::Map => self.map(known::<CelMap>(value)?),
            Kind::Opaque => match known::<CelOptional>(value)?.option() {
                Some(value) => self.value(value),
                None => Ok(Value::Null),
            },
            _ => Err(no_json_form(value)),
        }
    }

    fn text(&mut self, text: &str) -> Result<Value, CelFault> {
        self.spend(text.len())?;
        Ok(Value::String(text.to_owned()))
    }

    fn map(&mut self, map: &CelMap<'_>) -> Result<Value, CelFault> {
        let mut members = Map::new();
        for (key, value) in map.inner() {
            let key = match key {
                CelMapKey::Bool(key) => key.inner().to_string(),
                CelMapKey::Int(key) => key.inner().to_string(),
                CelMapKey::UInt(key) => key.inner().to_string(),
                CelMapKey::String(key) => key.inner().to_owned(),
            };
            self.spend(key.len())?;
            let value = self.value(value.as_ref())?;
            if members.insert(key, value).is_some() {
                return Err(CelFault::EqualKeys);
            }
        }
        Ok(Value::Object(members))
    }

    /// A list or map of the object is copied as it is, without going through CEL values.
    fn bound(&mut self, value: &dyn Val) -> Result<Value, CelFault> {
        let probe = Probe::new(self.bytes_left);
        if !value.equals(&probe) {
            return Err(CelFault::TooLarge);
        }
        let (json, bytes) = probe.into_content().ok_or(CelFault::Internal)?;
        self.spend(bytes)?;
        Ok(json)
    }
}

fn known<'b, 'v, T: FromVal<'b, 'v>>(value: &'b (dyn Val + 'v)) -> Result<&'b T, CelFault> {
    value.downcast_ref::<T>().ok_or_else(|| no_json_form(value))
}

fn no_json_form(value: &dyn Val) -> CelFault {
    CelFault::NoJsonForm(value.get_type().name().to_owned())
}

fn double(number: f64) -> Result<Value, CelFault> {
    Number::from_f64(number).map(Value::Number).ok_or(CelFault::NotFinite)
}

fn timestamp(timestamp: &CelTimestamp) -> Result<Value, CelFault> {
    let time = timestamp.inner();
    let nanoseconds = i32::try_from(time.timestamp_subsec_nanos()).map_err(|_| CelFault::OutOfRange)?;
    Timestamp::new(time.timestamp(), nanoseconds)
        .map(|time| Value::String(time.to_string()))
        .map_err(|_| CelFault::OutOfRange)
}

fn duration(duration: &CelDuration) -> Result<Value, CelFault> {
    let nanoseconds = duration.inner().num_nanoseconds();
    nanoseconds.map(Value::from).ok_or(CelFault::OutOfRange)
}

/// Asks a bound value for its JSON: comparing one with a probe fills the probe.
///
/// The library offers no other way to recover a type of ours that borrows.
#[derive(Debug)]
pub(super) struct Probe {
    limit: usize,
    content: Mutex<Option<(Value, usize)>>,
}

impl Probe {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            content: Mutex::new(None),
        }
    }

    /// Copies the value; false if it is larger than the limit.
    pub(super) fn fill(&self, json: &Value) -> bool {
        let Some(left) = subtract_size(json, self.limit) else {
            return false;
        };
        let mut content = self.content.lock().unwrap_or_else(PoisonError::into_inner);
        *content = Some((json.clone(), self.limit - left));
        true
    }

    fn into_content(self) -> Option<(Value, usize)> {
        self.content.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Val for Probe {
    fn get_type(&self) -> &Type {
        Self::cel_type()
    }

    fn cel_type() -> &'static Type {
        // Never seen by an expression; any type will do.
        static TYPE: Type = OPTIONAL_TYPE;
        &TYPE
    }

    fn clone_as_boxed<'w>(&self) -> Box<dyn Val + 'w>
    where
        Self: 'w,
    {
        Box::new(Self::new(self.limit))
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Probe {}
