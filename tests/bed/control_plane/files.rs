//! The certificates, keys and kubeconfigs of one control plane.

use std::path::{Path, PathBuf};

use super::kubeconfig;
use crate::Error;
use crate::certificates::{Authority, Holder, Identity, token_key, write_private};

/// The files of one control plane.
pub(super) struct Files {
    pub(super) folder: PathBuf,
    pub(super) authority: Authority,
    pub(super) serving: Identity,
    pub(super) token_private: PathBuf,
    pub(super) token_public: PathBuf,
    pub(super) admin: PathBuf,
    pub(super) controller_manager: PathBuf,
}

impl Files {
    pub(super) fn write(folder: &Path, port: u16) -> Result<Self, Error> {
        let authority = Authority::create(folder)?;
        let serving = authority.issue(
            "apiserver",
            &Holder::Server {
                hosts: &["127.0.0.1", "localhost", "kubernetes.default.svc"],
            },
        )?;
        let (token_private, token_public) = token_key(folder, "service-account")?;
        let client = |file: &str, name, organization| {
            let identity = authority.issue(file, &Holder::Client { name, organization })?;
            let path = folder.join(format!("{file}.kubeconfig"));
            let server = format!("https://127.0.0.1:{port}");
            write_private(&path, &kubeconfig::for_certificate(&server, &authority, &identity))?;
            Ok::<PathBuf, Error>(path)
        };
        let admin = client("admin", "kollect-test-admin", Some("system:masters"))?;
        let controller_manager = client("controller-manager", "system:kube-controller-manager", None)?;
        Ok(Self {
            folder: folder.to_owned(),
            serving,
            token_private,
            token_public,
            admin,
            controller_manager,
            authority,
        })
    }
}
