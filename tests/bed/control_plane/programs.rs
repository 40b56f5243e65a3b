//! Where the programs of the control plane are.

use std::env;
use std::path::PathBuf;

use crate::Error;
use crate::installation::{bed_folder, pinned, program, search_path};

/// What `install.sh` calls it.
const SERVER: &str = "control-plane";

/// etcd, of the version that its `go.mod` pins.
pub(super) fn etcd() -> Result<PathBuf, Error> {
    let version = pinned(
        include_str!("../control-plane/etcd/go.mod"),
        "go.etcd.io/etcd/server/v3",
    );
    find("etcd", "etcd", version, Vec::new())
}

/// A program of Kubernetes, of the version that its `go.mod` pins.
pub(super) fn kubernetes(name: &str) -> Result<PathBuf, Error> {
    find(name, "kubernetes", kubernetes_version(), Vec::new())
}

/// kubectl, also a person's own, for a cluster that exists already.
pub(super) fn any_kubectl() -> Result<PathBuf, Error> {
    find("kubectl", "kubernetes", kubernetes_version(), search_path())
}

fn kubernetes_version() -> Option<&'static str> {
    pinned(include_str!("../control-plane/go.mod"), "k8s.io/kubernetes")
}

fn find(name: &str, source: &str, version: Option<&str>, also: Vec<PathBuf>) -> Result<PathBuf, Error> {
    let assets = env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from);
    let version = version.unwrap_or("unknown");
    let installed = bed_folder()?.join(format!("{source}-{version}"));
    let folders = assets.into_iter().chain([installed]).chain(also);
    program(SERVER, name, folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pinned_versions_can_be_read() {
        assert!(kubernetes_version().is_some_and(|version| version.starts_with("1.")));
    }
}
