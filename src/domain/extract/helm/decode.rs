//! From the stored text to the release.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::MultiGzDecoder;
use serde::de::DeserializeSeed;
use serde_json::Value;
use thiserror::Error;

use crate::extract::mask::Mask;

/// Largest release that is decoded. Helm refuses releases whose compressed form is above 1 MiB.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// Largest factor of decompression; texts reach ten to twenty, made-up data a thousand.
const MAX_RATIO: usize = 200;

/// Small releases may exceed the factor.
const ALWAYS_BYTES: usize = 1024 * 1024;

const GZIP: [u8; 3] = [0x1f, 0x8b, 0x08];

/// Why an object holds no release that can be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Undecodable {
    /// There is no `data.release`.
    #[error(
        "the object has no `data.release`; select the objects that Helm stores, for example with the label \
         `owner: helm`, or make the attribute optional"
    )]
    Missing,
    /// The text is not base64.
    #[error("`data.release` is not in base64; only what Helm stores can be read")]
    Base64,
    /// The content is damaged.
    #[error("`data.release` cannot be decompressed; only what Helm stores can be read")]
    Gzip,
    /// The content is larger than any release.
    #[error("the release is larger than 32 MiB, or than {MAX_RATIO} times its compressed form")]
    TooLarge,
    /// The content is no JSON object, or nested too deeply.
    #[error("`data.release` is not a release in JSON nested at most 127 levels; only what Helm stores can be read")]
    Json,
}

/// Decodes the part of a release that a mask keeps.
pub(super) fn decode(stored: &Value, mask: &Mask) -> Result<Value, Undecodable> {
    let text = match stored {
        Value::Null => return Err(Undecodable::Missing),
        Value::String(text) => text,
        _ => return Err(Undecodable::Base64),
    };
    let once = base64(text.as_bytes()).ok_or(Undecodable::Base64)?;
    let bytes = base64(&once).unwrap_or(once);
    let json = if bytes.len() > GZIP.len() && bytes.starts_with(&GZIP) {
        decompressed(&bytes)?
    } else {
        bytes
    };
    let mut deserializer = serde_json::Deserializer::from_slice(&json);
    let release = mask.deserialize(&mut deserializer).map_err(|_| Undecodable::Json)?;
    deserializer.end().map_err(|_| Undecodable::Json)?;
    if release.is_object() {
        Ok(release)
    } else {
        Err(Undecodable::Json)
    }
}

/// Lines may be broken.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let is_break = |byte: &u8| matches!(byte, b'\r' | b'\n');
    if text.iter().any(is_break) {
        let joined: Vec<u8> = text.iter().copied().filter(|byte| !is_break(byte)).collect();
        STANDARD.decode(joined).ok()
    } else {
        STANDARD.decode(text).ok()
    }
}

fn decompressed(bytes: &[u8]) -> Result<Vec<u8>, Undecodable> {
    let limit = bytes.len().saturating_mul(MAX_RATIO).clamp(ALWAYS_BYTES, MAX_BYTES);
    let mut json = Vec::new();
    // One byte more tells what is too large from what just fits.
    let more_than_limit = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    MultiGzDecoder::new(bytes)
        .take(more_than_limit)
        .read_to_end(&mut json)
        .map_err(|_| Undecodable::Gzip)?;
    if json.len() > limit {
        return Err(Undecodable::TooLarge);
    }
    Ok(json)
}
