//! Digests of rows.

use std::fmt;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::identity::MEMBERS;
use crate::canonical::Encoder;

const ATTRIBUTES: &str = "attributes";

/// Sixteen bytes that stand for the payload of a row.
///
/// **Shape**: the first half of the SHA-256 of the canonical payload; rows are equal exactly if their digests are,
/// as far as a 128-bit digest can tell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowDigest([u8; 16]);

impl RowDigest {
    /// The digest of a payload that is canonical already.
    pub(super) fn of_canonical(payload: &str) -> Self {
        let full: [u8; 32] = Sha256::digest(payload.as_bytes()).into();
        let mut half = [0; 16];
        half.copy_from_slice(&full[..16]);
        Self(half)
    }

    /// The digest of a payload read back from a sink, in whatever order and number form it stands there.
    ///
    /// # Errors
    /// The JSON error, if the text is not JSON.
    pub fn of_payload(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text).map(|payload| Self::of_value(&payload))
    }

    /// The digest of a payload read back from a sink as a value.
    pub fn of_value(payload: &Value) -> Self {
        let mut encoder = Encoder::with_capacity(512);
        match payload {
            Value::Object(members) => encode_item(&mut encoder, members),
            other => encoder.value(other),
        }
        Self::of_canonical(&encoder.finish().0)
    }

    /// The digest's bytes.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// A digest from stored bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

/// Members of a row in the order of the payload; members that no row has follow, sorted, so that they count.
fn encode_item(encoder: &mut Encoder, members: &Map<String, Value>) {
    encoder.raw("{");
    let mut first = true;
    let mut write = |name: &str, value: &Value| {
        if !first {
            encoder.raw(",");
        }
        first = false;
        encoder.string(name);
        encoder.raw(":");
        encoder.value(value);
    };
    let known = MEMBERS
        .iter()
        .map(|member| member.name)
        .chain(std::iter::once(ATTRIBUTES));
    for name in known.clone() {
        if let Some(value) = members.get(name) {
            write(name, value);
        }
    }
    for (name, value) in members {
        if known.clone().all(|known| known != name) {
            write(name, value);
        }
    }
    encoder.raw("}");
}

impl fmt::Display for RowDigest {
    /// Lower-case hexadecimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RowDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
