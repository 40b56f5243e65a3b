//! Secrets in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use kollect_domain::condition::reason;
use kollect_domain::config::sink::SecretRef;
use kollect_domain::ids::NamespacedName;

use crate::error::{ErrorClass, PortError};
use crate::secrets::{SecretData, SecretReader};

/// Secrets by namespace and name; every read sees the latest.
#[derive(Debug, Default)]
pub struct FakeSecrets {
    secrets: Mutex<BTreeMap<NamespacedName, SecretData>>,
}

impl FakeSecrets {
    /// Creates or replaces a Secret.
    pub fn set(&self, name: &NamespacedName, data: &[(&str, &[u8])]) {
        let data = data
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.to_vec()))
            .collect();
        let mut secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        secrets.insert(name.clone(), SecretData::new(data));
    }
}

#[async_trait]
impl SecretReader for FakeSecrets {
    async fn read(&self, reference: &SecretRef) -> Result<SecretData, PortError> {
        let secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        secrets.get(&reference.object).cloned().ok_or_else(|| {
            let message = format!("Secret {} does not exist", reference.object);
            PortError::new(ErrorClass::Misconfigured, reason::SECRET_RESOLVE_FAILED, message)
        })
    }
}
