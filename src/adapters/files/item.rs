//! One object of a document, decoded under the mask of its kind in one pass.
//!
//! The kind stands in the object itself. Where `apiVersion` and `kind` come first, as in everything that `kubectl`
//! prints, the rest is decoded under the mask at once; members before them are decoded whole and pruned afterwards.

use std::fmt;
use std::sync::Arc;

use kollect_domain::extract::mask::Mask;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

/// A kind that is asked for, and what to decode of its objects.
#[derive(Debug, Clone)]
pub(super) struct Interest {
    /// As objects spell it.
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) mask: Arc<Mask>,
}

/// One object.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) api_version: String,
    pub(super) kind: String,
    /// The number of its kind among those asked for, and the masked object; `None` when nobody asked for it.
    pub(super) found: Option<(usize, Value)>,
}

/// What to do about a member `items` of something that may be a list.
pub(super) trait Items<'de> {
    /// Takes the member's value.
    ///
    /// # Errors
    /// The deserializer's; or a refusal.
    fn take<A: MapAccess<'de>>(&mut self, list: &ListHead, members: &mut A) -> Result<(), A::Error>;
}

/// What is known of a list before its items.
#[derive(Debug, Default)]
pub(super) struct ListHead {
    pub(super) api_version: Option<String>,
    pub(super) kind: Option<String>,
}

/// Decodes one object, or hands the items of a list on.
pub(super) struct ItemSeed<'a, I> {
    pub(super) interests: &'a [Interest],
    pub(super) items: I,
    /// For items of a typed list, which name neither version nor kind.
    pub(super) inherited: Option<&'a (String, String)>,
}

/// What [`ItemSeed`] found.
#[derive(Debug)]
pub(super) enum Found {
    /// An object.
    Object(Item),
    /// A list, whose items were handed on.
    List,
    /// A value that is no object: an empty document, or something that does not belong here.
    Other(&'static str),
}

impl<'de, I: Items<'de>> DeserializeSeed<'de> for ItemSeed<'_, I> {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, I: Items<'de>> Visitor<'de> for ItemSeed<'_, I> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with apiVersion and kind")
    }

    fn visit_unit<E>(self) -> Result<Found, E> {
        Ok(Found::Other("nothing"))
    }

    fn visit_none<E>(self) -> Result<Found, E> {
        Ok(Found::Other("nothing"))
    }

    fn visit_str<E>(self, _: &str) -> Result<Found, E> {
        Ok(Found::Other("a text"))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Found, E> {
        Ok(Found::Other("a boolean"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Found, E> {
        Ok(Found::Other("a number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Found, E> {
        Ok(Found::Other("a number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Found, E> {
        Ok(Found::Other("a number"))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Found, A::Error> {
        let mut reading = Reading {
            interests: self.interests,
            ..Reading::default()
        };
        if let Some((api_version, kind)) = self.inherited {
            reading.head = ListHead {
                api_version: Some(api_version.clone()),
                kind: Some(kind.clone()),
            };
            reading.look_up();
        }
        while let Some(name) = members.next_key::<String>()? {
            if name == "items" && self.inherited.is_none() && reading.may_be_list() {
                self.items.take(&reading.head, &mut members)?;
                while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                return Ok(Found::List);
            }
            reading.member(name, &mut members)?;
        }
        reading.finish().map_err(A::Error::custom).map(Found::Object)
    }
}

/// An object whose members are being read.
#[derive(Default)]
struct Reading<'a> {
    interests: &'a [Interest],
    head: ListHead,
    asked_for: AskedFor,
    members: Map<String, Value>,
    /// True when members were read before the kind was known.
    early: bool,
}

/// Whether somebody asked for an object.
#[derive(Debug, Clone, Copy, Default)]
enum AskedFor {
    /// Its kind was not read yet.
    #[default]
    Unknown,
    /// Nobody did.
    Nobody,
    /// As the interest with this number.
    Interest(usize),
}

impl Reading<'_> {
    /// By convention the kinds of lists, and only those, end with `List`.
    fn may_be_list(&self) -> bool {
        self.head.kind.as_ref().is_none_or(|kind| kind.ends_with("List"))
    }

    fn member<'de, A: MapAccess<'de>>(&mut self, name: String, members: &mut A) -> Result<(), A::Error> {
        match name.as_str() {
            "apiVersion" => {
                self.head.api_version = members.next_value::<Text>()?.0;
                self.look_up();
            }
            "kind" => {
                self.head.kind = members.next_value::<Text>()?.0;
                self.look_up();
            }
            _ => match self.asked_for {
                AskedFor::Unknown => {
                    self.early = true;
                    let value = members.next_value()?;
                    self.members.insert(name, value);
                }
                AskedFor::Nobody => drop(members.next_value::<IgnoredAny>()?),
                AskedFor::Interest(index) => match self.interests[index].mask.member(&name) {
                    Some(seed) => {
                        let value = members.next_value_seed(seed)?;
                        self.members.insert(name, value);
                    }
                    None => drop(members.next_value::<IgnoredAny>()?),
                },
            },
        }
        Ok(())
    }

    fn look_up(&mut self) {
        if let (Some(api_version), Some(kind)) = (&self.head.api_version, &self.head.kind) {
            let is_this = |interest: &Interest| interest.kind == *kind && interest.api_version == *api_version;
            let number = self.interests.iter().position(is_this);
            self.asked_for = number.map_or(AskedFor::Nobody, AskedFor::Interest);
        }
    }

    fn finish(self) -> Result<Item, &'static str> {
        let Self {
            interests,
            head,
            asked_for,
            members,
            early,
        } = self;
        let (Some(api_version), Some(kind)) = (head.api_version, head.kind) else {
            return Err("it names no apiVersion and kind, so it is not a Kubernetes object");
        };
        let found = if let AskedFor::Interest(index) = asked_for {
            let mut value = Value::Object(members);
            if early {
                interests[index].mask.prune(&mut value);
            }
            value["apiVersion"] = Value::String(api_version.clone());
            value["kind"] = Value::String(kind.clone());
            Some((index, value))
        } else {
            None
        };
        Ok(Item {
            api_version,
            kind,
            found,
        })
    }
}

/// A text that is not empty; anything else is none.
struct Text(Option<String>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Value::deserialize(deserializer)? {
            Value::String(text) if !text.is_empty() => Some(text),
            _ => None,
        }))
    }
}

/// The kind and metadata of an object, for objects that cannot be decoded as they are.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Identified {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) metadata: Identity,
}

/// What tells an object from others of its kind.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Identity {
    pub(super) uid: String,
    pub(super) namespace: String,
    pub(super) name: String,
}

/// The value of an interest's members that were kept although nobody reads them is dropped with the object; this says
/// which metadata every object needs.
pub(super) fn widened(mask: &Mask) -> Mask {
    let mut widened = mask.clone();
    for path in [["metadata", "uid"], ["metadata", "namespace"], ["metadata", "name"]] {
        widened.keep(path);
    }
    widened
}

impl ListHead {
    /// Version and kind of the items of a typed list, such as `DeploymentList`; `None` for a list of anything.
    pub(super) fn item_kind(&self) -> Option<(String, String)> {
        let kind = self
            .kind
            .as_deref()?
            .strip_suffix("List")
            .filter(|kind| !kind.is_empty())?;
        Some((self.api_version.clone()?, kind.to_owned()))
    }
}
