//! Settings of a control plane, and its start.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;

use super::components::Components;
use super::kubectl::Kubectl;
use super::{Backing, ControlPlane, VARIABLE, programs};
use crate::Error;
use crate::port::retry_on_port_clash;

/// How a [`ControlPlane`] is to run.
#[derive(Clone, Debug)]
pub struct ControlPlaneBuilder {
    pub(super) controllers: String,
    pub(super) apiserver_flags: Vec<String>,
}

impl Default for ControlPlaneBuilder {
    fn default() -> Self {
        Self {
            // Without these two, a test that loads many Deployments has that kind alone.
            controllers: "*,-deployment,-replicaset".to_owned(),
            apiserver_flags: Vec::new(),
        }
    }
}

impl ControlPlaneBuilder {
    /// Runs every controller, so a `Deployment` gets its `ReplicaSet` and Pods.
    #[must_use]
    pub fn every_controller(mut self) -> Self {
        "*".clone_into(&mut self.controllers);
        self
    }

    /// Adds a flag to the API server, for example `--min-request-timeout=5`.
    #[must_use]
    pub fn apiserver_flag(mut self, flag: &str) -> Self {
        self.apiserver_flags.push(flag.to_owned());
        self
    }

    /// Starts it and waits until it serves, with its `default` namespace in place. With
    /// `KOLLECT_TEST_KUBECONFIG` set, takes that cluster and ignores the settings.
    ///
    /// # Errors
    /// [`Error::NotInstalled`] without the programs; [`Error::Server`] when one does not start.
    pub fn start(self) -> Result<ControlPlane, Error> {
        match env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
            Some(path) => existing(Path::new(&path)),
            None => self.start_own(),
        }
    }

    fn start_own(&self) -> Result<ControlPlane, Error> {
        let components = retry_on_port_clash(|| Components::start(self))?;
        Ok(ControlPlane {
            kubectl: components.kubectl.clone(),
            folder: components.folder(),
            made: AtomicU32::new(0),
            backing: Backing::Owned(Box::new(components)),
        })
    }
}

fn existing(kubeconfig: &Path) -> Result<ControlPlane, Error> {
    let kubeconfig = kubeconfig.canonicalize().map_err(Error::io("read", kubeconfig))?;
    let folder = tempfile::tempdir().map_err(Error::io("create a folder in", &env::temp_dir()))?;
    Ok(ControlPlane {
        kubectl: Kubectl {
            program: programs::any_kubectl()?,
            kubeconfig,
            cache: folder.path().join("kubectl-cache"),
        },
        folder: PathBuf::from(folder.path()),
        made: AtomicU32::new(0),
        backing: Backing::Existing(folder),
    })
}
