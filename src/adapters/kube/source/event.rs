//! Decoding one event of a watch.
//!
//! The API server writes `type` before `object`, which nothing promises. In that order one pass is enough; in the other
//! order an object still needs one pass, and only errors and bookmarks are read twice.
//!
//! **Source**: Kubernetes API concepts, "Efficient detection of changes" and "Watch bookmarks".

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::decoder::{Fields, ObjectDecoder};
use super::object::{Meta, Metadata};
use crate::kube::client::{Refusal, Status};

/// One event of a watch.
#[derive(Debug)]
pub(super) enum WatchEvent {
    /// The object exists in this state.
    Seen(Value),
    /// The object was deleted or no longer matches the selector; this was its last state.
    Gone(Value),
    /// Nothing changed up to this version.
    Bookmark {
        /// The version.
        resource_version: String,
    },
    /// The watch cannot go on.
    Failed(Refusal),
    /// A change of an object that is well-formed JSON and cannot be decoded.
    Undecodable {
        /// What is known of the object.
        meta: Meta,
        /// True when the change is that it was deleted or no longer matches.
        gone: bool,
        /// Why.
        error: serde_json::Error,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum EventType {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
}

/// Decodes one line.
///
/// # Errors
/// The line is not an event: the stream is broken.
pub(super) fn decode_event<D: ObjectDecoder>(decoder: &D, line: &[u8]) -> Result<WatchEvent, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let event = EventSeed(decoder)
        .deserialize(&mut deserializer)
        .and_then(|event| deserializer.end().map(|()| event));
    match event {
        Ok((EventType::Added | EventType::Modified, Some(value))) => Ok(WatchEvent::Seen(value)),
        Ok((EventType::Deleted, Some(value))) => Ok(WatchEvent::Gone(value)),
        Ok((EventType::Bookmark, _)) => {
            let event: Envelope<Metadata> = serde_json::from_slice(line)?;
            Ok(WatchEvent::Bookmark {
                resource_version: event.object.metadata.resource_version,
            })
        }
        Ok((EventType::Error, _)) => {
            let event: Envelope<Status> = serde_json::from_slice(line)?;
            Ok(WatchEvent::Failed(event.object.into()))
        }
        Ok((_, None)) => Err(serde::de::Error::missing_field("object")),
        // Reading only the metadata needs no recursion and checks no other values.
        Err(error) => match serde_json::from_slice::<Identified>(line) {
            Ok(event) => Ok(WatchEvent::Undecodable {
                meta: event.object.metadata,
                gone: event.r#type == EventType::Deleted,
                error,
            }),
            Err(_) => Err(error),
        },
    }
}

/// The version of the object in an event, read on its own: for decoders that drop it.
pub(super) fn resource_version_of(line: &[u8]) -> Option<String> {
    let event: Envelope<Metadata> = serde_json::from_slice(line).ok()?;
    Some(event.object.metadata.resource_version)
}

#[derive(Debug, Deserialize)]
struct Envelope<T> {
    object: T,
}

#[derive(Debug, Deserialize)]
struct Identified {
    r#type: EventType,
    object: Metadata,
}

#[derive(Debug, Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Member {
    Type,
    Object,
    #[serde(other)]
    Other,
}

#[derive(Debug)]
struct EventSeed<'a, D>(&'a D);

impl<'de, O: ObjectDecoder> DeserializeSeed<'de> for EventSeed<'_, O> {
    type Value = (EventType, Option<Value>);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, O: ObjectDecoder> Visitor<'de> for EventSeed<'_, O> {
    type Value = (EventType, Option<Value>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event of a watch")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut event_type = None;
        let mut object = None;
        while let Some(member) = map.next_key::<Member>()? {
            match member {
                Member::Type => event_type = Some(map.next_value()?),
                Member::Object => object = Some(map.next_value_seed(Fields(self.0))?),
                Member::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let event_type = event_type.ok_or_else(|| serde::de::Error::missing_field("type"))?;
        Ok((event_type, object))
    }
}

#[cfg(test)]
mod tests;
