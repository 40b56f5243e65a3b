//! Decodes a value under a mask in one pass.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::Node;

/// Decodes one value and keeps what the node says.
pub(super) struct NodeSeed<'m>(pub(super) &'m Node);

impl<'de> DeserializeSeed<'de> for NodeSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.0.all {
            Value::deserialize(deserializer)
        } else {
            deserializer.deserialize_any(NodeVisitor(self.0))
        }
    }
}

struct NodeVisitor<'m>(&'m Node);

impl<'de> Visitor<'de> for NodeVisitor<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        NodeSeed(self.0).deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut kept = Vec::new();
        match &self.0.items {
            Some(items) => {
                while let Some(element) = elements.next_element_seed(NodeSeed(items))? {
                    kept.push(element);
                }
            }
            None => while elements.next_element::<IgnoredAny>()?.is_some() {},
        }
        Ok(Value::Array(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        while let Some(member) = members.next_key_seed(NameSeed(self.0))? {
            match member {
                Some((name, node)) => {
                    let value = members.next_value_seed(NodeSeed(node))?;
                    kept.insert(name, value);
                }
                None => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Value::Object(kept))
    }
}

/// Decodes a member's name, and allocates only for those that are kept.
struct NameSeed<'m>(&'m Node);

impl<'de, 'm> DeserializeSeed<'de> for NameSeed<'m> {
    type Value = Option<(String, &'m Node)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'m> Visitor<'_> for NameSeed<'m> {
    type Value = Option<(String, &'m Node)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.member(name).map(|node| (name.to_owned(), node)))
    }
}
