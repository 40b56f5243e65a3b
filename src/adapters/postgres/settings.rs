//! What a connection needs to know, read from Secrets at the moment it is opened.

use std::sync::Arc;

use kollect_domain::condition::reason;
use kollect_domain::config::sink::{SecretRef, Tls};
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::secrets::{SecretData, SecretReader};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::dsn::Dsn;
use super::tls::{self, ClientIdentity, TlsMaterial, TlsPlan};

/// Keys of the database Secret; the first that is not blank counts.
const DSN_KEYS: [&str; 4] = ["dsn", "url", "connectionString", "DATABASE_URL"];
/// Keys of a Secret with certificates to trust.
const CA_KEYS: [&str; 4] = ["tls.crt", "ca.crt", "ca.pem", "ca-bundle.crt"];

/// Everything that is needed to connect, secrets included: never shown, never kept longer than the connection.
pub(super) struct Settings {
    pub(super) dsn: Dsn,
    pub(super) plan: TlsPlan,
    pub(super) tls: Option<MakeRustlsConnect>,
}

impl Settings {
    /// Reads the Secrets of a destination and understands them.
    ///
    /// # Errors
    /// As [`SecretReader::read`]; `Misconfigured` when a Secret lacks the key or its content cannot be used.
    pub(super) async fn read(
        secrets: &Arc<dyn SecretReader>,
        database: &SecretRef,
        tls: &Tls,
    ) -> Result<Self, PortError> {
        let data = secrets.read(database).await?;
        let text = data
            .first_text(&DSN_KEYS)
            .ok_or_else(|| missing_key(database, &data, &DSN_KEYS))?;
        let dsn = Dsn::parse(text).map_err(|error| {
            let message = format!("postgres connect: Secret {}: {error}", database.object);
            PortError::new(ErrorClass::Misconfigured, reason::INVALID_SINK, message)
        })?;
        let material = read_material(secrets, tls).await?;
        let plan = TlsPlan::new(&dsn.tls, &material);
        let tls = if plan.is_plain() {
            None
        } else {
            Some(connector(&plan, &dsn, material).await?)
        };
        Ok(Self { dsn, plan, tls })
    }
}

async fn connector(plan: &TlsPlan, dsn: &Dsn, material: TlsMaterial) -> Result<MakeRustlsConnect, PortError> {
    let (plan, dsn) = (plan.clone(), dsn.tls.clone());
    // Reads files: the system's certificates, or those that the string names.
    let config = tokio::task::spawn_blocking(move || tls::client_config(&plan, &dsn, &material))
        .await
        .map_err(|_| {
            PortError::new(
                ErrorClass::Transient,
                reason::SINK_UNREACHABLE,
                "tls: reading was interrupted",
            )
        })??;
    Ok(MakeRustlsConnect::new(config))
}

async fn read_material(secrets: &Arc<dyn SecretReader>, tls: &Tls) -> Result<TlsMaterial, PortError> {
    let trusted = match (&tls.ca_bundle, &tls.ca_secret) {
        (Some(bundle), _) => Some(bundle.clone()),
        (None, Some(reference)) => {
            let data = secrets.read(reference).await?;
            Some(first_bytes(&data, &CA_KEYS).ok_or_else(|| missing_key(reference, &data, &CA_KEYS))?)
        }
        (None, None) => None,
    };
    let client = match &tls.client_cert_secret {
        Some(reference) => Some(read_client(reference, &secrets.read(reference).await?)?),
        None => None,
    };
    Ok(TlsMaterial {
        insecure_skip_verify: tls.insecure_skip_verify,
        trusted,
        client,
    })
}

fn read_client(reference: &SecretRef, data: &SecretData) -> Result<ClientIdentity, PortError> {
    let part = |key: &'static str| first_bytes(data, &[key]).ok_or_else(|| missing_key(reference, data, &[key]));
    Ok(ClientIdentity {
        certificate: part("tls.crt")?,
        key: part("tls.key")?,
    })
}

fn first_bytes(data: &SecretData, keys: &[&str]) -> Option<Vec<u8>> {
    let value = keys
        .iter()
        .find_map(|key| data.get(key).filter(|value| !value.is_empty()))?;
    Some(value.to_vec())
}

fn missing_key(reference: &SecretRef, data: &SecretData, keys: &[&str]) -> PortError {
    let problem = if data.is_empty() {
        "is empty"
    } else {
        "has none of the keys that are read"
    };
    let message = format!("Secret {} {problem}; set {}", reference.object, keys.join(" or "));
    PortError::new(ErrorClass::Misconfigured, reason::SECRET_RESOLVE_FAILED, message)
}
