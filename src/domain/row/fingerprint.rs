//! The checksum of a list of rows.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::Row;

/// SHA-256 over the canonical JSON array of rows, fed row by row.
///
/// **Shape**: feed rows in canonical order ([`Row::canonical_cmp`]); the result is lower-case hexadecimal.
#[derive(Debug, Clone)]
pub struct Fingerprint {
    hash: Sha256,
    empty: bool,
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self {
            hash: Sha256::new_with_prefix(b"["),
            empty: true,
        }
    }
}

impl Fingerprint {
    /// Adds the next row.
    pub fn add(&mut self, row: &Row) {
        if !self.empty {
            self.hash.update(b",");
        }
        self.empty = false;
        self.hash.update(row.payload().as_bytes());
    }

    /// The checksum of the rows added so far.
    pub fn finish(mut self) -> String {
        self.hash.update(b"]");
        let bytes: [u8; 32] = self.hash.finalize().into();
        bytes.iter().fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a `String` cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

/// The checksum of rows that are in canonical order.
pub fn fingerprint<'a>(rows: impl IntoIterator<Item = &'a Row>) -> String {
    let mut fingerprint = Fingerprint::default();
    rows.into_iter().for_each(|row| fingerprint.add(row));
    fingerprint.finish()
}
