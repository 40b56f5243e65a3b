//! kubectl for one kubeconfig.

use std::path::PathBuf;
use std::process::Command;

use crate::{Error, command};

#[derive(Clone, Debug)]
pub(super) struct Kubectl {
    pub(super) program: PathBuf,
    pub(super) kubeconfig: PathBuf,
    /// What the API offers is remembered here: with the cluster, not with the person.
    pub(super) cache: PathBuf,
}

impl Kubectl {
    pub(super) fn run(&self, arguments: &[&str], stdin: Option<&str>) -> Result<String, Error> {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env("KUBECONFIG", &self.kubeconfig)
            .env("KUBECACHEDIR", &self.cache);
        command::output(command, &format!("kubectl {}", arguments.join(" ")), stdin)
    }
}
