//! Field masks: the part of an object that somebody reads.
//!
//! A mask is computed from paths and expressions and applied while an object is decoded, so the rest of the object is
//! skipped without being built. Where an expression is dynamic (a computed key, a whole object, `..`), the mask keeps
//! the subtree. Extracting from a masked object gives the same row as extracting from the whole one.

mod cel;
mod decode;
mod jsonpath;
mod paths;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::de::{DeserializeSeed, Deserializer};
use serde_json::Value;

/// What to keep of an object.
///
/// **Shape**: a tree of member names; scalars on the way to a kept member are kept, lists are empty unless something
/// below them is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mask {
    root: Node,
}

/// What to keep of one value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Node {
    /// Everything, whatever the rest says.
    all: bool,
    /// Members of an object by name. Each includes what `any_member` keeps.
    members: BTreeMap<String, Node>,
    /// Members of an object that have no entry of their own.
    any_member: Option<Box<Node>>,
    /// Elements of a list.
    items: Option<Box<Node>>,
}

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Member(String),
    AnyMember,
    Items,
}

/// Where a value stands in the object.
type Place = Vec<Step>;

/// More places than this at once are not worth following: the mask keeps everything below them instead.
const MAX_PLACES: usize = 64;

impl Mask {
    /// The mask that keeps the whole object.
    pub fn all() -> Self {
        Self {
            root: Node {
                all: true,
                ..Node::default()
            },
        }
    }

    /// Keeps the member at a path of names, and everything below it. An empty path keeps the whole object.
    pub fn keep<'a>(&mut self, path: impl IntoIterator<Item = &'a str>) {
        let place: Place = path.into_iter().map(|name| Step::Member(name.to_owned())).collect();
        self.keep_place(&place);
        self.root.seal();
    }

    /// Keeps what either mask keeps.
    pub fn merge(&mut self, other: &Self) {
        self.root.merge(&other.root);
        self.root.seal();
    }

    /// Whether the mask keeps everything.
    pub fn is_all(&self) -> bool {
        self.root.all
    }

    /// Whether the mask keeps nothing but metadata, so that watching metadata suffices.
    pub fn keeps_only_metadata(&self) -> bool {
        let metadata = ["apiVersion", "kind", "metadata"];
        let named = |name: &String| metadata.contains(&name.as_str());
        !self.root.all && self.root.any_member.is_none() && self.root.members.keys().all(named)
    }

    /// Whether the mask keeps anything of a member of the object, or that there is one.
    pub fn reads_member(&self, name: &str) -> bool {
        self.root.all || self.root.member(name).is_some()
    }

    /// Decodes one member of the object, for those who read the object's members themselves; `None` when nothing of it
    /// is kept.
    pub fn member(&self, name: &str) -> Option<MemberSeed<'_>> {
        if self.root.all {
            return Some(MemberSeed(&self.root));
        }
        self.root.member(name).map(MemberSeed)
    }

    /// Removes what the mask does not keep from an object that was decoded whole.
    pub fn prune(&self, object: &mut Value) {
        self.root.prune(object);
    }

    /// Keeps the value at a place and everything below it.
    fn keep_place(&mut self, place: &[Step]) {
        self.root.at(place).all = true;
    }

    /// Keeps that there is a value at a place and of what type it is.
    fn keep_presence(&mut self, place: &[Step]) {
        self.root.at(place);
    }

    /// Keeps how many elements or members the value at a place has, and the names of the members.
    fn keep_size(&mut self, place: &[Step]) {
        let node = self.root.at(place);
        node.items.get_or_insert_default();
        node.any_member.get_or_insert_default();
    }
}

/// Decodes an object and skips what the mask does not keep.
///
/// **Shape**: equal to the whole object after [`Mask::prune`]; of repeated members the last counts.
///
/// **Errors**: the deserializer's, for what is kept; what is skipped only has to be well formed.
impl<'de> DeserializeSeed<'de> for &Mask {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        decode::NodeSeed(&self.root).deserialize(deserializer)
    }
}

/// Decodes one member of an object under a mask.
#[derive(Debug)]
pub struct MemberSeed<'m>(&'m Node);

impl<'de> DeserializeSeed<'de> for MemberSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        decode::NodeSeed(self.0).deserialize(deserializer)
    }
}

impl Node {
    fn at(&mut self, place: &[Step]) -> &mut Self {
        place.iter().fold(self, |node, step| match step {
            Step::Member(name) => node.members.entry(name.clone()).or_default(),
            Step::AnyMember => node.any_member.get_or_insert_default(),
            Step::Items => node.items.get_or_insert_default(),
        })
    }

    /// What to keep of a member of this name.
    fn member(&self, name: &str) -> Option<&Self> {
        self.members.get(name).or(self.any_member.as_deref())
    }

    fn merge(&mut self, other: &Self) {
        let Self {
            all,
            members,
            any_member,
            items,
        } = other;
        self.all |= all;
        for (name, member) in members {
            self.members.entry(name.clone()).or_default().merge(member);
        }
        if let Some(any) = any_member {
            self.any_member.get_or_insert_default().merge(any);
        }
        if let Some(items) = items {
            self.items.get_or_insert_default().merge(items);
        }
    }

    /// Makes entries for single members include what is kept of any member.
    fn seal(&mut self) {
        if self.all {
            *self = Self {
                all: true,
                ..Self::default()
            };
            return;
        }
        for member in self.members.values_mut() {
            if let Some(any) = &self.any_member {
                member.merge(any);
            }
            member.seal();
        }
        if let Some(any) = &mut self.any_member {
            any.seal();
        }
        if let Some(items) = &mut self.items {
            items.seal();
        }
    }

    fn prune(&self, value: &mut Value) {
        match value {
            _ if self.all => {}
            Value::Array(elements) => match &self.items {
                Some(items) => elements.iter_mut().for_each(|element| items.prune(element)),
                None => elements.clear(),
            },
            Value::Object(members) => members.retain(|name, member| {
                let node = self.member(name);
                if let Some(node) = node {
                    node.prune(member);
                }
                node.is_some()
            }),
            // Whoever looks for members in a scalar must find the same scalar as in the whole object.
            _ => {}
        }
    }
}

/// A place one step further.
fn step(place: &[Step], step: Step) -> Place {
    let mut place = place.to_vec();
    place.push(step);
    place
}
