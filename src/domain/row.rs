//! Rows: what Kollect keeps of an object.
//!
//! A row is one buffer of canonical JSON and its digest. Equal rows have equal payloads and equal digests, and the
//! digest of a row that was read back from a `jsonb` column is the digest of the row that was written.

mod digest;
mod fingerprint;
mod identity;

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use serde_json::{Map, Value};

pub use digest::RowDigest;
pub use fingerprint::{Fingerprint, fingerprint};
pub use identity::RowIdentity;

use crate::canonical::Encoder;
use identity::{FIELDS, MEMBERS};

/// The extracted attributes of one object for one target.
///
/// **Shape**: the payload is the exported item, a JSON object with the members `targetNamespace`, `targetName`,
/// `namespace`, `name`, `group` (absent for the core group), `version`, `kind`, `uid` and `attributes`, in this
/// order. Rows are immutable; share them as `Arc<Row>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    payload: Box<str>,
    digest: RowDigest,
    /// Length of each identity field inside the payload, in the order of `MEMBERS`.
    lengths: [u32; FIELDS],
    /// The identity, if one of its fields does not stand in the payload as it is because it was escaped.
    unescaped: Option<Box<[Box<str>; FIELDS]>>,
    replaced: u32,
}

impl Row {
    /// A row of the given identity and attributes.
    pub fn new(identity: &RowIdentity<'_>, attributes: &Map<String, Value>) -> Self {
        Self::encode(identity, attributes.iter().map(|(name, value)| (name.as_str(), value)))
    }

    /// A row from attributes in any order; of equal names the last wins.
    pub(crate) fn encode<'a>(
        identity: &RowIdentity<'_>,
        attributes: impl Iterator<Item = (&'a str, &'a Value)> + Clone,
    ) -> Self {
        let mut encoder = Encoder::with_capacity(512);
        let fields = identity.fields();
        let mut lengths = [0; FIELDS];
        let mut escaped = false;
        encoder.raw("{");
        for ((prefix, field), length) in MEMBERS.iter().zip(fields).zip(&mut lengths) {
            if prefix.omitted_when_empty && field.is_empty() {
                continue;
            }
            encoder.raw(prefix.text);
            let start = encoder.len();
            encoder.string(field);
            // Without the quotes.
            let written = encoder.len() - start - 2;
            escaped |= written != field.len();
            *length = u32::try_from(written).unwrap_or(u32::MAX);
            encoder.raw(",");
        }
        encoder.raw("\"attributes\":");
        encoder.members(attributes);
        encoder.raw("}");
        let (payload, replaced) = encoder.finish();
        Self {
            digest: RowDigest::of_canonical(&payload),
            payload: payload.into_boxed_str(),
            lengths,
            unescaped: escaped.then(|| Box::new(fields.map(|field| field.replace('\0', "\u{fffd}").into()))),
            replaced,
        }
    }

    /// The exported item as canonical JSON.
    pub fn payload(&self) -> &str {
        &self.payload
    }

    /// Digest of the payload.
    pub fn digest(&self) -> RowDigest {
        self.digest
    }

    /// How many characters were replaced because no database can hold them (NUL).
    pub fn replaced_characters(&self) -> u32 {
        self.replaced
    }

    /// Namespace of the target; of a cluster target the namespace of the object.
    pub fn target_namespace(&self) -> &str {
        self.field(0)
    }

    /// Name of the target.
    pub fn target_name(&self) -> &str {
        self.field(1)
    }

    /// Namespace of the object, empty for cluster-scoped ones.
    pub fn namespace(&self) -> &str {
        self.field(2)
    }

    /// Name of the object.
    pub fn name(&self) -> &str {
        self.field(3)
    }

    /// API group of the object, empty for the core group.
    pub fn group(&self) -> &str {
        self.field(4)
    }

    /// API version of the object.
    pub fn version(&self) -> &str {
        self.field(5)
    }

    /// Kind of the object.
    pub fn kind(&self) -> &str {
        self.field(6)
    }

    /// Kubernetes uid of the object.
    pub fn uid(&self) -> &str {
        self.field(7)
    }

    /// The `attributes` member as canonical JSON.
    pub fn attributes(&self) -> &str {
        let start = self.offset_of(FIELDS) + "\"attributes\":".len();
        self.payload
            .get(start..self.payload.len().saturating_sub(1))
            .unwrap_or_default()
    }

    /// The identity fields of the row.
    pub fn identity(&self) -> RowIdentity<'_> {
        RowIdentity {
            target_namespace: self.target_namespace(),
            target_name: self.target_name(),
            namespace: self.namespace(),
            name: self.name(),
            group: self.group(),
            version: self.version(),
            kind: self.kind(),
            uid: self.uid(),
        }
    }

    /// The canonical order of rows: bytewise by target namespace, target name, namespace, name, uid, group,
    /// version and kind.
    pub fn canonical_cmp(&self, other: &Self) -> Ordering {
        self.identity().canonical_cmp(&other.identity())
    }

    /// Bytes on the heap and in the structure, for memory accounting.
    pub fn size_bytes(&self) -> usize {
        let unescaped = self
            .unescaped
            .as_ref()
            .map_or(0, |fields| fields.iter().map(|field| field.len()).sum());
        size_of::<Self>() + self.payload.len() + unescaped
    }

    fn field(&self, index: usize) -> &str {
        if let Some(fields) = &self.unescaped {
            return &fields[index];
        }
        let length = self.lengths[index] as usize;
        if length == 0 {
            return "";
        }
        let start = self.offset_of(index) + MEMBERS[index].text.len() + 1;
        self.payload.get(start..start + length).unwrap_or_default()
    }

    /// Where the member at `index` starts in the payload.
    fn offset_of(&self, index: usize) -> usize {
        let members = MEMBERS.iter().zip(&self.lengths).take(index);
        1 + members
            .filter(|(member, length)| !member.omitted_when_empty || **length > 0)
            .map(|(member, length)| member.text.len() + *length as usize + "\"\",".len())
            .sum::<usize>()
    }
}
