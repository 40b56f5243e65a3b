//! Secrets, fetched by reference when they are used.

use std::collections::BTreeMap;
use std::fmt;

use async_trait::async_trait;
use kollect_domain::config::sink::SecretRef;

use crate::error::PortError;

/// The data of one Secret. `Debug` shows key names only.
#[derive(Clone, Default)]
pub struct SecretData(BTreeMap<String, Vec<u8>>);

impl SecretData {
    /// Data by key.
    pub fn new(data: BTreeMap<String, Vec<u8>>) -> Self {
        Self(data)
    }

    /// The value of one key, verbatim.
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        self.0.get(key).map(Vec::as_slice)
    }

    /// The first of `keys` whose value is UTF-8 and not blank, trimmed.
    pub fn first_text(&self, keys: &[&str]) -> Option<&str> {
        keys.iter()
            .filter_map(|key| std::str::from_utf8(self.get(key)?).ok())
            .map(str::trim)
            .find(|text| !text.is_empty())
    }

    /// True when the Secret has no data at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for SecretData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Reads Secrets.
#[async_trait]
pub trait SecretReader: fmt::Debug + Send + Sync + 'static {
    /// Fetches one Secret; nothing is cached, so a rotated Secret is seen at the next use.
    ///
    /// # Errors
    /// `Misconfigured`/`SecretResolveFailed` when it does not exist or may not be read, `Misconfigured`/
    /// `SecretRefDenied` when the reference is not allowed, `Unavailable` when the API server does not answer.
    async fn read(&self, reference: &SecretRef) -> Result<SecretData, PortError>;
}
