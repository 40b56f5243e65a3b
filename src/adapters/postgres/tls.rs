//! Transport security: what the connection string and `spec.tls` ask for together.
//!
//! What the string states explicitly wins. Where it is silent, `spec.tls` decides: certificates to trust mean full
//! verification, `insecureSkipVerify` means encryption without verification. With neither, libpq's default applies:
//! encryption if the server offers it, without verification.
//!
//! **Source**: PostgreSQL documentation, "SSL Support", table "SSL Mode Descriptions".

mod verifier;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use kollect_domain::condition::reason;
use kollect_ports::error::{ErrorClass, PortError};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::dsn::{DsnTls, RootCertificates, SslMode};
use verifier::{AnyCertificate, AnyName};

/// Protocol name that servers expect when the handshake comes without PostgreSQL's own negotiation.
const ALPN: &[u8] = b"postgresql";

/// Certificates and keys of `spec.tls`, read from their Secrets; PEM.
#[derive(Clone, Default)]
pub(super) struct TlsMaterial {
    pub(super) insecure_skip_verify: bool,
    pub(super) trusted: Option<Vec<u8>>,
    pub(super) client: Option<ClientIdentity>,
}

/// A client certificate with its key, PEM.
#[derive(Clone)]
pub(super) struct ClientIdentity {
    pub(super) certificate: Vec<u8>,
    pub(super) key: Vec<u8>,
}

/// Encryption of one attempt to connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encryption {
    Never,
    IfOffered,
    Always,
}

/// What is checked of the server's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verification {
    Nothing,
    Issuer,
    IssuerAndName,
}

/// How to secure connections to one destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TlsPlan {
    /// Encryption of each attempt at one address, in order; the next is tried when one fails.
    pub(super) attempts: &'static [Encryption],
    pub(super) verification: Verification,
}

impl TlsPlan {
    /// Combines what the string and the definition say.
    pub(super) fn new(dsn: &DsnTls, material: &TlsMaterial) -> Self {
        let trusts = dsn.root_certificates.is_some() || material.trusted.is_some();
        let mode = dsn.mode.unwrap_or(if material.insecure_skip_verify {
            SslMode::Require
        } else if trusts {
            SslMode::VerifyFull
        } else if material.client.is_some() || dsn.certificate.is_some() {
            SslMode::Require
        } else {
            SslMode::Prefer
        });
        let attempts: &[Encryption] = match mode {
            SslMode::Disable => &[Encryption::Never],
            SslMode::Allow => &[Encryption::Never, Encryption::Always],
            SslMode::Prefer => &[Encryption::IfOffered, Encryption::Never],
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => &[Encryption::Always],
        };
        let verification = match mode {
            SslMode::VerifyFull => Verification::IssuerAndName,
            SslMode::VerifyCa => Verification::Issuer,
            // libpq: "if a root CA file exists, the behavior of sslmode=require will be the same as verify-ca".
            SslMode::Require if trusts && !material.insecure_skip_verify => Verification::Issuer,
            _ => Verification::Nothing,
        };
        Self { attempts, verification }
    }

    /// True when no attempt is encrypted.
    pub(super) fn is_plain(&self) -> bool {
        self.attempts == [Encryption::Never]
    }
}

/// The TLS configuration of a plan. Reads the files that the string names, so it blocks.
///
/// # Errors
/// `Misconfigured` when a certificate or key cannot be read, or nothing is trusted.
pub(super) fn client_config(plan: &TlsPlan, dsn: &DsnTls, material: &TlsMaterial) -> Result<ClientConfig, PortError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone());
    let builder = if dsn.at_least_tls13 {
        builder.with_protocol_versions(&[&rustls::version::TLS13])
    } else {
        builder.with_safe_default_protocol_versions()
    };
    let builder = builder.map_err(|error| invalid(format!("tls: {error}")))?;
    let builder = match plan.verification {
        Verification::IssuerAndName => builder.with_root_certificates(roots(dsn, material)?),
        Verification::Issuer => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyName::new(roots(dsn, material)?, provider))),
        Verification::Nothing => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate::new(provider))),
    };
    let mut config = match client_identity(dsn, material)? {
        Some((chain, key)) => builder
            .with_client_auth_cert(chain, key)
            .map_err(|error| invalid(format!("tls: the client certificate cannot be used: {error}")))?,
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![ALPN.to_vec()];
    Ok(config)
}

/// A handshake with a server of this name.
pub(super) fn connector(
    tls: &MakeRustlsConnect,
    host: &str,
) -> <MakeRustlsConnect as MakeTlsConnect<TcpStream>>::TlsConnect {
    let Ok(connector) = MakeTlsConnect::<TcpStream>::make_tls_connect(&mut tls.clone(), host);
    connector
}

fn roots(dsn: &DsnTls, material: &TlsMaterial) -> Result<RootCertStore, PortError> {
    match (&dsn.root_certificates, &material.trusted) {
        (Some(RootCertificates::File(path)), _) => pem_roots(&read(path, "sslrootcert")?),
        (Some(RootCertificates::System), _) | (None, None) => system_roots(),
        (None, Some(pem)) => pem_roots(pem),
    }
}

fn pem_roots(pem: &[u8]) -> Result<RootCertStore, PortError> {
    let mut store = RootCertStore::empty();
    let certificates = CertificateDer::pem_slice_iter(pem).filter_map(Result::ok);
    let (added, _) = store.add_parsable_certificates(certificates);
    if added == 0 {
        return Err(invalid("tls: failed to parse CA bundle PEM: it holds no certificate"));
    }
    Ok(store)
}

fn system_roots() -> Result<RootCertStore, PortError> {
    let mut store = RootCertStore::empty();
    let (added, _) = store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 {
        return Err(invalid(
            "tls: the system trusts no certificate authority; set spec.tls.caBundle or spec.tls.caSecretRef",
        ));
    }
    Ok(store)
}

type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn client_identity(dsn: &DsnTls, material: &TlsMaterial) -> Result<Option<Identity>, PortError> {
    let identity = match (&dsn.certificate, &dsn.key, &material.client) {
        (Some(certificate), Some(key), _) => ClientIdentity {
            certificate: read(certificate, "sslcert")?,
            key: read(key, "sslkey")?,
        },
        (_, _, Some(client)) => client.clone(),
        _ => return Ok(None),
    };
    let chain: Vec<_> = CertificateDer::pem_slice_iter(&identity.certificate)
        .filter_map(Result::ok)
        .collect();
    if chain.is_empty() {
        return Err(invalid("tls: the client certificate is not PEM"));
    }
    let key = PrivateKeyDer::from_pem_slice(&identity.key)
        .map_err(|_| invalid("tls: the client key is not an unencrypted PEM key"))?;
    Ok(Some((chain, key)))
}

fn read(path: &Path, parameter: &str) -> Result<Vec<u8>, PortError> {
    std::fs::read(path).map_err(|error| {
        let kind = error.kind();
        invalid(format!(
            "the file that the connection string names as {parameter} cannot be read ({kind}); \
             mount it into the operator, or use spec.tls"
        ))
    })
}

fn invalid(message: impl Into<String>) -> PortError {
    PortError::new(ErrorClass::Misconfigured, reason::INVALID_SINK, message)
}
