//! The API server, with our definitions installed.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use kollect_adapters::kube::crd;
use kollect_testbed::ControlPlane;
use serde_json::Value;

/// Namespaces that the samples and tests use.
const NAMESPACES: [&str; 6] = ["team-a", "team-b", "kollect-system", "columns", "defaults", "sink-refs"];

/// A cluster that knows our kinds.
pub struct Api(&'static ControlPlane);

/// What kubectl said.
pub struct Answer {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

/// What the API server thinks of an object.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    Accepted,
    Refused(String),
}

impl Api {
    /// The cluster that all tests share; none where this run leaves the control plane out.
    pub fn shared() -> Option<&'static Self> {
        static API: LazyLock<Api> = LazyLock::new(Api::prepare);
        kollect_testbed::required("control-plane").then(|| &*API)
    }

    fn prepare() -> Self {
        let api = Self(ControlPlane::shared().unwrap());
        let definitions: Vec<String> = crd::all()
            .iter()
            .map(|definition| crd::to_yaml(definition).unwrap())
            .collect();
        api.run(&["apply", "-f", "-"], &definitions.join("---\n"));
        let names: Vec<String> = crd::all()
            .into_iter()
            .filter_map(|definition| definition.metadata.name)
            .collect();
        let mut wait = vec!["wait", "--for=condition=Established", "--timeout=30s", "crd"];
        wait.extend(names.iter().map(String::as_str));
        api.run(&wait, "");
        let namespaces = NAMESPACES.map(|name| {
            serde_json::json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}).to_string()
        });
        api.run(&["apply", "-f", "-"], &namespaces.join("\n"));
        api
    }

    /// Runs kubectl, which must succeed.
    pub fn run(&self, arguments: &[&str], stdin: &str) -> String {
        let answer = self.ask(arguments, stdin);
        assert!(answer.success, "kubectl {arguments:?}: {}", answer.stderr);
        answer.stdout
    }

    /// Runs kubectl, and keeps all of its complaints: the API server may have many.
    pub fn ask(&self, arguments: &[&str], stdin: &str) -> Answer {
        let mut child = Command::new(self.0.kubectl_path())
            .args(arguments)
            .env("KUBECONFIG", self.0.kubeconfig_path())
            .env("KUBECACHEDIR", self.0.kubeconfig_path().with_extension("cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let text = stdin.to_owned();
        let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
        let output = child.wait_with_output().unwrap();
        // kubectl may stop reading early when it refuses to go on; its answer says why.
        let _ = writer.join().unwrap();
        Answer {
            success: output.status.success(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs kubectl and reads what it prints as JSON.
    pub fn json(&self, arguments: &[&str], stdin: &str) -> Value {
        serde_json::from_str(&self.run(arguments, stdin)).unwrap()
    }

    /// Asks for the creation of every object, without creating any. Names must be unique among `objects`.
    pub fn judge(&self, objects: &[Value]) -> BTreeMap<String, Verdict> {
        let documents: Vec<String> = objects.iter().map(Value::to_string).collect();
        let arguments = [
            "create",
            "--dry-run=server",
            "--validate=strict",
            "-o",
            "name",
            "-f",
            "-",
        ];
        let answer = self.ask(&arguments, &documents.join("\n"));
        let accepted: Vec<&str> = answer
            .stdout
            .lines()
            .filter_map(|line| line.split('/').nth(1))
            .collect();
        let complaints = answer.complaints();
        let names = objects
            .iter()
            .map(|object| object["metadata"]["name"].as_str().unwrap());
        names
            .map(|name| {
                let verdict = match complaints.get(name) {
                    Some(complaint) => Verdict::Refused(complaint.clone()),
                    None if accepted.contains(&name) => Verdict::Accepted,
                    None => panic!("no answer for {name}: {}", answer.stderr),
                };
                (name.to_owned(), verdict)
            })
            .collect()
    }
}

impl Answer {
    /// What is wrong with each object, by name. A complaint goes on until the next one begins.
    pub fn complaints(&self) -> BTreeMap<String, String> {
        let mut complaints = BTreeMap::new();
        let mut name = "";
        for line in self.stderr.lines() {
            let mut text = line;
            if let Some((before, after)) = line.split_once("\" is invalid: ") {
                name = before.rsplit('"').next().unwrap();
                text = after;
            }
            let complaint: &mut String = complaints.entry(name.to_owned()).or_default();
            complaint.push_str(text);
            complaint.push('\n');
        }
        complaints
    }
}

/// An object of one of our kinds; without a namespace for a cluster kind.
pub fn object(kind: &str, namespace: &str, name: &str, spec: &Value) -> Value {
    let mut object = serde_json::json!({
        "apiVersion": "kollect.dev/v1alpha1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": spec,
    });
    if !kind.starts_with("KollectCluster") {
        object["metadata"]["namespace"] = namespace.into();
    }
    object
}
