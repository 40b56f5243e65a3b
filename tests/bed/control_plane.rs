//! A real Kubernetes API: etcd, the API server and the controller manager.

mod builder;
mod components;
mod files;
mod kubeconfig;
mod kubectl;
mod launches;
mod programs;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

pub use builder::ControlPlaneBuilder;

use components::Components;
use kubectl::Kubectl;

use crate::Error;
use crate::certificates::write_private;

const SERVER: &str = "control plane";
/// Names a cluster that exists already.
const VARIABLE: &str = "KOLLECT_TEST_KUBECONFIG";

/// A Kubernetes control plane without nodes: everything of the API is real, and nothing runs in
/// Pods.
///
/// Namespaces are deleted, owned objects collected and service accounts made as in any cluster.
/// `Deployment` objects make no Pods unless the builder asks for every controller.
/// With `KOLLECT_TEST_KUBECONFIG` set, the value stands for that cluster instead.
#[derive(Debug)]
pub struct ControlPlane {
    kubectl: Kubectl,
    made: AtomicU32,
    folder: PathBuf,
    backing: Backing,
}

#[derive(Debug)]
enum Backing {
    Owned(Box<Components>),
    /// The folder holds the files that this process makes; the cluster is somebody else's.
    Existing(#[expect(dead_code, reason = "kept for its folder")] tempfile::TempDir),
}

impl ControlPlane {
    /// Starts one with the default settings.
    ///
    /// # Errors
    /// [`Error::NotInstalled`] without the programs; [`Error::Server`] when one does not start.
    pub fn start() -> Result<Self, Error> {
        Self::builder().start()
    }

    /// A control plane with settings of its own.
    pub fn builder() -> ControlPlaneBuilder {
        ControlPlaneBuilder::default()
    }

    /// The one that the tests of this process share: started on first use, gone when the process
    /// ends. Each test makes its own namespaces.
    ///
    /// # Errors
    /// [`Error::Shared`] with the cause, for every caller, when it did not start.
    pub fn shared() -> Result<&'static Self, Error> {
        static SHARED: LazyLock<Result<ControlPlane, Error>> = LazyLock::new(ControlPlane::start);
        SHARED
            .as_ref()
            .map_err(|source| Error::Shared { server: SERVER, source })
    }

    /// The kubeconfig of a cluster administrator.
    pub fn kubeconfig_path(&self) -> &Path {
        &self.kubectl.kubeconfig
    }

    /// Writes a kubeconfig that presents `token`, for example one that
    /// `kubectl create token NAME --namespace NAMESPACE` printed.
    ///
    /// The file exists as long as the control plane.
    ///
    /// # Errors
    /// [`Error::Command`] or [`Error::Document`] when the cluster's own kubeconfig cannot be read.
    pub fn kubeconfig_for_token(&self, token: &str) -> Result<PathBuf, Error> {
        let whole = self.kubectl(&["config", "view", "--raw", "--minify", "--flatten", "-o=json"], None)?;
        let document = kubeconfig::with_token(&whole, token.trim())?;
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("token-{number}.kubeconfig"));
        write_private(&path, &document)?;
        Ok(path)
    }

    /// Runs kubectl as a cluster administrator with `stdin` as its input, and gives what it
    /// printed.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), kollect_testbed::Error> {
    /// # let cluster = kollect_testbed::ControlPlane::shared()?;
    /// let manifest = r#"{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}"#;
    /// cluster.kubectl(&["apply", "--server-side", "-f", "-"], Some(manifest))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Command`] with what kubectl complained about.
    pub fn kubectl(&self, arguments: &[&str], stdin: Option<&str>) -> Result<String, Error> {
        self.kubectl.run(arguments, stdin)
    }

    /// The kubectl program, of the version of the API server.
    pub fn kubectl_path(&self) -> &Path {
        &self.kubectl.program
    }

    /// Stops the API server in good order: watches end, connections are refused.
    ///
    /// # Errors
    /// [`Error::NotOwned`] for a cluster that exists already; [`Error::Server`] when it does not
    /// stop.
    pub fn stop_apiserver(&self) -> Result<(), Error> {
        self.components()?.apiserver.stop()
    }

    /// Starts the API server again on the same port with the same data.
    ///
    /// # Errors
    /// As for [`ControlPlane::start`]; [`Error::NotOwned`] for a cluster that exists already.
    pub fn start_apiserver(&self) -> Result<(), Error> {
        self.components()?.apiserver.start()
    }

    /// Ends the API server at once, as a crash would.
    ///
    /// # Errors
    /// [`Error::NotOwned`] for a cluster that exists already.
    pub fn kill_apiserver(&self) -> Result<(), Error> {
        self.components()?.apiserver.kill()
    }

    /// Makes the API server silent: connections stay open and nothing answers.
    ///
    /// # Errors
    /// [`Error::NotOwned`] for a cluster that exists already.
    pub fn pause_apiserver(&self) -> Result<(), Error> {
        self.components()?.apiserver.pause()
    }

    /// Lets the API server answer again.
    ///
    /// # Errors
    /// [`Error::NotOwned`] for a cluster that exists already.
    pub fn resume_apiserver(&self) -> Result<(), Error> {
        self.components()?.apiserver.resume()
    }

    /// Stops the controller manager: no namespace is emptied, nothing is collected.
    ///
    /// # Errors
    /// [`Error::NotOwned`] for a cluster that exists already; [`Error::Server`] when it does not
    /// stop.
    pub fn stop_controller_manager(&self) -> Result<(), Error> {
        self.components()?.controller_manager.stop()
    }

    /// Starts the controller manager again.
    ///
    /// # Errors
    /// As for [`ControlPlane::start`]; [`Error::NotOwned`] for a cluster that exists already.
    pub fn start_controller_manager(&self) -> Result<(), Error> {
        self.components()?.controller_manager.start()
    }

    fn components(&self) -> Result<&Components, Error> {
        match &self.backing {
            Backing::Owned(components) => Ok(components),
            Backing::Existing(_) => Err(Error::NotOwned {
                server: SERVER,
                variable: VARIABLE,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_of_somebody_else_is_never_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let cluster = ControlPlane {
            kubectl: Kubectl {
                program: "kubectl".into(),
                kubeconfig: folder.path().join("config"),
                cache: folder.path().into(),
            },
            made: AtomicU32::new(0),
            folder: folder.path().into(),
            backing: Backing::Existing(folder),
        };
        assert_eq!(
            cluster.stop_apiserver().unwrap_err().to_string(),
            "KOLLECT_TEST_KUBECONFIG names a control plane that this test does not own: \
             unset it for tests that stop and start one"
        );
    }
}
