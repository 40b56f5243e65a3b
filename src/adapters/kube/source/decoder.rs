//! How one object's text becomes a value.

use std::fmt::Debug;
use std::sync::Arc;

use kollect_domain::extract::mask::Mask;
use serde::de::{DeserializeSeed, Deserializer};
use serde_json::Value;

/// Decodes one object, keeping only what somebody reads.
///
/// **Shape**: the result must keep `metadata.uid`, `metadata.namespace`, `metadata.name` and
/// `metadata.resourceVersion` whatever else it drops.
pub(super) trait ObjectDecoder: Clone + Debug + Send + Sync + 'static {
    /// Decodes the object that `deserializer` holds, in one pass.
    fn decode<'de, D: Deserializer<'de>>(&self, deserializer: D) -> Result<Value, D::Error>;
}

/// What the source itself reads of every object.
const IDENTITY: [[&str; 2]; 4] = [
    ["metadata", "uid"],
    ["metadata", "namespace"],
    ["metadata", "name"],
    ["metadata", "resourceVersion"],
];

/// Decodes under a field mask, widened to the object's identity.
#[derive(Debug, Clone)]
pub(super) struct Masked(Arc<Mask>);

impl Masked {
    /// A decoder that keeps what `mask` keeps.
    pub(super) fn new(mask: &Mask) -> Self {
        let mut widened = mask.clone();
        for path in IDENTITY {
            widened.keep(path);
        }
        Self(Arc::new(widened))
    }
}

impl ObjectDecoder for Masked {
    fn decode<'de, D: Deserializer<'de>>(&self, deserializer: D) -> Result<Value, D::Error> {
        self.0.deserialize(deserializer)
    }
}

/// An [`ObjectDecoder`] where serde wants a seed.
#[derive(Debug)]
pub(super) struct Fields<'a, D>(pub(super) &'a D);

impl<'de, O: ObjectDecoder> DeserializeSeed<'de> for Fields<'_, O> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.0.decode(deserializer)
    }
}

/// Keeps every member: what tests compare with.
#[cfg(test)]
#[derive(Debug, Clone, Copy)]
pub(super) struct Everything;

#[cfg(test)]
impl ObjectDecoder for Everything {
    fn decode<'de, D: Deserializer<'de>>(&self, deserializer: D) -> Result<Value, D::Error> {
        serde::Deserialize::deserialize(deserializer)
    }
}
