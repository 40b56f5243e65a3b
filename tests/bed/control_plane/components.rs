//! The three processes of a control plane and the files they share.

use std::path::PathBuf;
use std::sync::Arc;

use super::builder::ControlPlaneBuilder;
use super::files::Files;
use super::kubectl::Kubectl;
use super::{launches, programs};
use crate::Error;
use crate::instance::Instance;
use crate::port::Port;
use crate::server::Server;

/// The processes end in this order: dependents first.
#[derive(Debug)]
pub(super) struct Components {
    pub(super) controller_manager: Server,
    pub(super) apiserver: Server,
    _etcd: Server,
    pub(super) kubectl: Kubectl,
    _ports: Ports,
    instance: Arc<Instance>,
}

#[derive(Debug)]
pub(super) struct Ports {
    pub(super) etcd: Port,
    pub(super) etcd_peer: Port,
    pub(super) apiserver: Port,
    pub(super) controller_manager: Port,
}

impl Components {
    pub(super) fn start(settings: &ControlPlaneBuilder) -> Result<Self, Error> {
        let ports = Ports {
            etcd: Port::reserve()?,
            etcd_peer: Port::reserve()?,
            apiserver: Port::reserve()?,
            controller_manager: Port::reserve()?,
        };
        let instance = Arc::new(Instance::create(None)?);
        let files = Files::write(instance.folder(), ports.apiserver.number())?;
        let kubectl = Kubectl {
            program: programs::kubernetes("kubectl")?,
            kubeconfig: files.admin.clone(),
            cache: files.folder.join("kubectl-cache"),
        };
        let etcd = Server::launch(&instance, launches::etcd(&files, &ports)?)?;
        let apiserver = Server::launch(&instance, launches::apiserver(&files, &ports, &kubectl, settings)?)?;
        let controller_manager = Server::launch(
            &instance,
            launches::controller_manager(&files, &ports, &kubectl, settings)?,
        )?;
        Ok(Self {
            controller_manager,
            apiserver,
            _etcd: etcd,
            kubectl,
            _ports: ports,
            instance,
        })
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.instance.folder().to_owned()
    }
}
