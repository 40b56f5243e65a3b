//! A namespace of the shared control plane.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use kollect_testbed::{ControlPlane, eventually};
use serde_json::{Value, json};

static NAMES: AtomicU32 = AtomicU32::new(0);

/// Long enough for a controller on a loaded machine.
const SOON: Duration = Duration::from_mins(1);

/// A namespace that goes away with this value.
pub struct Namespace {
    pub cluster: &'static ControlPlane,
    pub name: String,
}

impl Namespace {
    pub fn new() -> Self {
        let cluster = ControlPlane::shared().unwrap();
        let name = format!(
            "collect-{}-{}",
            std::process::id(),
            NAMES.fetch_add(1, Ordering::Relaxed)
        );
        cluster.kubectl(&["create", "namespace", &name], None).unwrap();
        let namespace = Self { cluster, name };
        // A controller adds it to every namespace.
        let trust = [
            "get",
            "configmap",
            "kube-root-ca.crt",
            "--ignore-not-found",
            "-o",
            "name",
        ];
        eventually(SOON, "the namespace is furnished", || {
            (!namespace.kubectl(&trust).is_empty()).then_some(())
        })
        .unwrap();
        namespace
    }

    pub fn kubeconfig(&self) -> &str {
        self.cluster.kubeconfig_path().to_str().unwrap()
    }

    /// Runs kubectl in the namespace.
    pub fn kubectl(&self, arguments: &[&str]) -> String {
        let arguments = [&["-n", self.name.as_str()], arguments].concat();
        self.cluster.kubectl(&arguments, None).unwrap()
    }

    pub fn create(&self, objects: &[Value]) {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        self.cluster
            .kubectl(&["create", "-n", &self.name, "-f", "-"], Some(&list.to_string()))
            .unwrap();
    }

    /// What `look` gives for the resources while none of them changes, and dumps of them as JSON and YAML.
    pub fn while_still<T>(&self, resources: &str, mut look: impl FnMut() -> T) -> (T, [String; 2]) {
        let dump = |format| self.kubectl(&["get", resources, "-o", format]);
        eventually(SOON, "nothing changes for a moment", || {
            let before = dump("json");
            let found = look();
            let yaml = dump("yaml");
            (before == dump("json")).then_some((found, [before, yaml]))
        })
        .unwrap()
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // What is left goes away with the control plane.
        let _ = self
            .cluster
            .kubectl(&["delete", "namespace", &self.name, "--wait=false"], None);
    }
}
