//! Field masks: which parts of an object somebody reads.
//!
//! A mask is a tree of member names. Arrays are transparent: a mask for a list applies to each of its elements. What
//! the mask does not keep is skipped while the text is decoded and never becomes a value, which is what makes decoding
//! an object several times cheaper than building it whole.

mod decode;

use std::collections::BTreeMap;

use serde_json::Value;

/// Which parts of an object are kept.
///
/// **Shape**: the empty mask keeps nothing but the structure it is asked for (`{}`); [`Mask::all`] keeps everything.
/// Merging only ever keeps more.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mask {
    node: Node,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    /// Everything below.
    All,
    /// These members; scalars and lists of scalars are not kept.
    Members(BTreeMap<Box<str>, Node>),
}

impl Default for Node {
    fn default() -> Self {
        Self::Members(BTreeMap::new())
    }
}

impl Mask {
    /// The mask that keeps everything.
    pub fn all() -> Self {
        Self { node: Node::All }
    }

    /// Keeps what stands under a path of member names, and everything below it. An empty path keeps everything.
    pub fn keep<'a>(&mut self, path: impl IntoIterator<Item = &'a str>) {
        let mut node = &mut self.node;
        for name in path {
            let Node::Members(members) = node else {
                return;
            };
            node = members.entry(name.into()).or_default();
        }
        *node = Node::All;
    }

    /// Keeps what either mask keeps.
    pub fn merge(&mut self, other: &Self) {
        self.node.merge(&other.node);
    }

    /// The mask that keeps everything that any of the masks keeps.
    pub fn union<'a>(masks: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut union = Self::default();
        for mask in masks {
            union.merge(mask);
        }
        union
    }

    /// True when the mask keeps everything.
    pub fn is_all(&self) -> bool {
        self.node == Node::All
    }

    /// The paths that are kept, ascending, with dots between the names: for people.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.node.paths(&mut String::new(), &mut paths);
        paths
    }

    /// Removes what the mask does not keep from a value that was decoded whole. The result is what decoding under the
    /// mask gives.
    pub fn prune(&self, value: &mut Value) {
        self.node.prune(value);
    }
}

impl Node {
    fn merge(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::All, _) => {}
            (_, Self::All) => *self = Self::All,
            (Self::Members(own), Self::Members(others)) => {
                for (name, node) in others {
                    own.entry(name.clone()).or_default().merge(node);
                }
            }
        }
    }

    fn paths(&self, prefix: &mut String, paths: &mut Vec<String>) {
        match self {
            Self::All => paths.push(prefix.clone()),
            Self::Members(members) => {
                for (name, node) in members {
                    let length = prefix.len();
                    if length > 0 {
                        prefix.push('.');
                    }
                    prefix.push_str(name);
                    node.paths(prefix, paths);
                    prefix.truncate(length);
                }
            }
        }
    }

    fn prune(&self, value: &mut Value) {
        let Self::Members(members) = self else {
            return;
        };
        match value {
            Value::Object(object) => {
                object.retain(|name, member| match members.get(name.as_str()) {
                    Some(node) => {
                        node.prune(member);
                        true
                    }
                    None => false,
                });
            }
            Value::Array(elements) => elements.iter_mut().for_each(|element| self.prune(element)),
            // A scalar where members are read: whoever reads it must find the same thing as in the whole object.
            _ => {}
        }
    }
}
