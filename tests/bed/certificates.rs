//! A certificate authority for one instance.

use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};

use crate::Error;
use crate::server::User;

/// Signs the certificates of an instance and keeps all files in its folder.
pub(crate) struct Authority {
    folder: PathBuf,
    issuer: Issuer<'static, KeyPair>,
}

/// Who a certificate is for.
pub(crate) enum Holder<'a> {
    /// A server that is reached by these host names and addresses.
    Server { hosts: &'a [&'a str] },
    /// A client; Kubernetes reads the user and group from its certificate.
    Client {
        name: &'a str,
        organization: Option<&'a str>,
    },
}

/// The files of a certificate and its key, in PEM.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Authority {
    /// Makes an authority and writes its certificate to `ca.crt` in `folder`.
    pub(crate) fn create(folder: &Path) -> Result<Self, Error> {
        let mut parameters = CertificateParams::new(Vec::new())?;
        parameters
            .distinguished_name
            .push(DnType::CommonName, "Kollect test bed");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate()?;
        let certificate = parameters.self_signed(&key)?;
        let authority = Self {
            folder: folder.to_owned(),
            issuer: Issuer::new(parameters, key),
        };
        write(&authority.certificate(), &certificate.pem())?;
        Ok(authority)
    }

    /// The file of the authority's own certificate.
    pub(crate) fn certificate(&self) -> PathBuf {
        self.folder.join("ca.crt")
    }

    /// Signs a certificate and writes `FILE.crt` and `FILE.key`.
    pub(crate) fn issue(&self, file: &str, holder: &Holder<'_>) -> Result<Identity, Error> {
        let key = KeyPair::generate()?;
        let certificate = holder.parameters()?.signed_by(&key, &self.issuer)?;
        let identity = Identity {
            certificate: self.folder.join(format!("{file}.crt")),
            key: self.folder.join(format!("{file}.key")),
        };
        write(&identity.certificate, &certificate.pem())?;
        write_private(&identity.key, &key.serialize_pem())?;
        Ok(identity)
    }
}

impl Holder<'_> {
    fn parameters(&self) -> Result<CertificateParams, Error> {
        let (hosts, name, purpose) = match self {
            Self::Server { hosts } => (
                hosts.iter().map(|&host| host.to_owned()).collect(),
                hosts.first().copied().unwrap_or("server"),
                ExtendedKeyUsagePurpose::ServerAuth,
            ),
            Self::Client { name, .. } => (Vec::new(), *name, ExtendedKeyUsagePurpose::ClientAuth),
        };
        let mut parameters = CertificateParams::new(hosts)?;
        let subject = &mut parameters.distinguished_name;
        subject.push(DnType::CommonName, name);
        if let Self::Client {
            organization: Some(organization),
            ..
        } = self
        {
            subject.push(DnType::OrganizationName, *organization);
        }
        parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        parameters.extended_key_usages = vec![purpose];
        parameters.use_authority_key_identifier_extension = true;
        Ok(parameters)
    }
}

/// Writes the two halves of a key pair that signs tokens: `FILE.key` and `FILE.pub`.
pub(crate) fn token_key(folder: &Path, file: &str) -> Result<(PathBuf, PathBuf), Error> {
    let key = KeyPair::generate()?;
    let private = folder.join(format!("{file}.key"));
    let public = folder.join(format!("{file}.pub"));
    write_private(&private, &key.serialize_pem())?;
    write(&public, &key.public_key_pem())?;
    Ok((private, public))
}

/// Writes a file that only its owner reads.
pub(crate) fn write_private(path: &Path, text: &str) -> Result<(), Error> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::File::options()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(Error::io("write", path))
}

/// Gives a private file to the account of a server.
pub(crate) fn hand_over(path: &Path, user: Option<User>) -> Result<(), Error> {
    user.map_or(Ok(()), |user| {
        std::os::unix::fs::chown(path, Some(user.uid), Some(user.gid)).map_err(Error::io("hand over", path))
    })
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(Error::io("write", path))
}
