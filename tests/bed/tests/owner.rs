//! Nothing of the bed outlives the process that owns it.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test file: the helpers fail as its tests do"
)]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use kollect_testbed::{eventually, required};

const SOON: Duration = Duration::from_mins(1);

/// A process that owns a running server, and what it printed about it.
struct Owner {
    process: Child,
    facts: Vec<String>,
}

impl Owner {
    fn of(server: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_kollect-bed"))
            .arg(server)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let facts: Vec<String> = BufReader::new(process.stdout.take().unwrap())
            .lines()
            .map(Result::unwrap)
            .take_while(|line| !line.starts_with("READY="))
            .collect();
        Self { process, facts }
    }

    fn fact(&self, name: &str) -> &str {
        let prefix = format!("{name}=");
        let fact = self.facts.iter().find_map(|fact| fact.strip_prefix(&prefix));
        fact.unwrap_or_else(|| panic!("no {name} in {:?}", self.facts))
    }

    /// Ends the owner as `kill -9` does: it runs no code of its own any more.
    fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// The commands of the processes that work in the folder.
fn processes_of(folder: &Path) -> Vec<String> {
    let table = Command::new("ps").args(["-A", "-o", "args="]).output().unwrap();
    let folder = folder.to_str().unwrap();
    String::from_utf8_lossy(&table.stdout)
        .lines()
        .filter(|command| command.contains(folder))
        .map(str::to_owned)
        .collect()
}

fn gone(folder: &Path) {
    eventually(SOON, "the servers and their folder are gone", || {
        (processes_of(folder).is_empty() && !folder.exists()).then_some(())
    })
    .unwrap();
}

#[test]
fn a_killed_owner_takes_postgres_and_its_folder_along() {
    if !required("postgres") {
        return;
    }
    let owner = Owner::of("postgres");
    let url = owner.fact("DATABASE_URL");
    let directory = Command::new("psql")
        .args(["-X", "-A", "-t", "-c", "SHOW data_directory", url])
        .output()
        .unwrap();
    let directory = String::from_utf8(directory.stdout).unwrap();
    let folder = PathBuf::from(directory.trim()).parent().unwrap().to_owned();
    assert!(folder.exists());
    assert!(!processes_of(&folder).is_empty());
    owner.kill();
    gone(&folder);
}

#[test]
fn a_killed_owner_takes_the_control_plane_and_its_folder_along() {
    if !required("control-plane") {
        return;
    }
    let owner = Owner::of("control-plane");
    let kubeconfig = PathBuf::from(owner.fact("KUBECONFIG"));
    let folder = kubeconfig.parent().unwrap().to_owned();
    let running = processes_of(&folder).join("\n");
    for name in ["etcd", "kube-apiserver", "kube-controller-manager"] {
        assert!(running.contains(&format!("/{name} ")), "{name}: {running}");
    }
    owner.kill();
    gone(&folder);
}
