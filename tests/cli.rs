//! The program as people and charts start it. No cluster is needed.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "all of it is a test, the callers of the program included"
)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_kollect");

/// Nothing here waits for anything but the program itself.
const DEADLINE: Duration = Duration::from_mins(1);

/// A kubeconfig of a cluster that is not there: nothing listens on the discard port of this machine.
const NOBODY: &str = r"
apiVersion: v1
kind: Config
current-context: nobody
contexts: [{name: nobody, context: {cluster: nobody, user: nobody}}]
clusters: [{name: nobody, cluster: {server: 'http://127.0.0.1:9'}}]
users: [{name: nobody, user: {}}]
";

struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs a program of our making without any setting of the person who runs the tests.
fn run(program: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Ended {
    let child = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = within_deadline(child);
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Waits for the end; a program that does not end is killed and fails the test.
fn within_deadline(child: Child) -> Output {
    let pid = child.id();
    let (sender, receiver) = std::sync::mpsc::channel();
    let waiter = std::thread::spawn(move || sender.send(child.wait_with_output()));
    let begin = Instant::now();
    let Ok(output) = receiver.recv_timeout(DEADLINE) else {
        let killed = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
        panic!("still running after {:?}; killed: {killed:?}", begin.elapsed());
    };
    waiter.join().unwrap().unwrap();
    output.unwrap()
}

fn kollect(arguments: &[&str]) -> Ended {
    run(Path::new(PROGRAM), arguments, &[])
}

/// A folder with the program under another name, and with a kubeconfig of nobody.
fn folder_with(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(PROGRAM, folder.path().join(name)).unwrap();
    fs::write(folder.path().join("nobody.yaml"), NOBODY).unwrap();
    folder
}

#[test]
fn the_help_names_every_verb() {
    let help = kollect(&["--help"]);
    assert_eq!(help.code, Some(0));
    for verb in ["operator", "crd"] {
        assert!(help.stdout.contains(&format!("\n  {verb} ")), "{}", help.stdout);
    }
}

/// The lines of an option in a help text, from its flag on.
fn options(help: &str) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    for line in help.lines() {
        let flag = line.trim_start();
        if flag.starts_with("--") || (flag.starts_with('-') && flag.contains(", --")) {
            options.push(flag.to_owned());
        } else if let Some(option) = options.last_mut() {
            option.push('\n');
            option.push_str(line);
        }
    }
    options
}

#[test]
fn every_flag_of_the_operator_has_an_environment_name_and_says_what_it_does() {
    let help = kollect(&["operator", "--help"]);
    assert_eq!(help.code, Some(0));
    let options = options(&help.stdout);
    assert!(options.len() > 10, "{options:?}");
    for option in options
        .iter()
        .filter(|option| !option.starts_with('-') || option.starts_with("--"))
    {
        assert!(option.contains("[env: KOLLECT_"), "no environment name: {option}");
        let text = option.lines().nth(1).unwrap_or_default();
        assert!(text.trim().len() > 10, "no explanation: {option}");
    }
}

#[test]
fn an_environment_name_sets_its_flag() {
    let invalid = run(
        Path::new(PROGRAM),
        &["operator"],
        &[("KOLLECT_HEALTH_PROBE_BIND_ADDRESS", "nowhere")],
    );
    assert_eq!(invalid.code, Some(2));
    assert!(
        invalid.stderr.contains("--health-probe-bind-address"),
        "{}",
        invalid.stderr
    );
}

#[test]
fn an_unknown_flag_is_refused_with_the_code_of_a_usage_error() {
    let refused = kollect(&["operator", "--no-such-flag"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--no-such-flag"), "{}", refused.stderr);
}

#[test]
fn started_as_manager_it_is_the_operator_with_the_flags_of_earlier_versions() {
    let folder = folder_with("manager");
    let manager = folder.path().join("manager");
    let kubeconfig = folder.path().join("nobody.yaml");
    let started = run(
        &manager,
        &[
            "-leader-elect",
            "-zap-log-level=info",
            "--health-probe-bind-address=0",
            "--kubeconfig",
            kubeconfig.to_str().unwrap(),
        ],
        &[],
    );
    assert_eq!(started.code, Some(1), "{}", started.stderr);
    assert!(
        started.stderr.contains("--leader-elect has no effect in this version"),
        "{}",
        started.stderr
    );
}

#[test]
fn tenant_mode_without_namespaces_is_refused_before_anything_is_asked() {
    let refused = kollect(&["operator", "--health-probe-bind-address=0", "--tenant-mode"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(refused.stderr.contains("--watch-namespaces"), "{}", refused.stderr);
}

#[test]
fn a_cluster_that_does_not_answer_ends_the_program_with_its_address() {
    let folder = folder_with("manager");
    let kubeconfig = folder.path().join("nobody.yaml");
    let kubeconfig = kubeconfig.to_str().unwrap();
    let ended = kollect(&["operator", "--health-probe-bind-address=0", "--kubeconfig", kubeconfig]);
    assert_eq!(ended.code, Some(1));
    let last = ended.stderr.lines().last().unwrap();
    for part in ["kollect: ", "the connection to the API server failed", "refused"] {
        assert!(last.contains(part), "{part:?} is missing in {last}");
    }
}

#[test]
fn a_kubeconfig_that_does_not_exist_is_named() {
    let ended = kollect(&[
        "operator",
        "--health-probe-bind-address=0",
        "--kubeconfig",
        "/no/such/kubeconfig",
    ]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("/no/such/kubeconfig"), "{}", ended.stderr);
}

#[test]
fn metrics_without_protection_must_be_asked_for() {
    let refused = kollect(&[
        "operator",
        "--health-probe-bind-address=0",
        "--metrics-bind-address",
        ":1",
    ]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("--metrics-secure=false"), "{}", refused.stderr);
}

#[test]
fn the_definitions_are_printed_as_they_are_in_crds() {
    let mut files: Vec<_> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("crds"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let printed = kollect(&["crd"]);
    assert_eq!(printed.code, Some(0));
    // Their order says nothing, so each is compared with the file that holds it.
    let mut documents: Vec<&str> = printed.stdout.split("---\n").skip(1).collect();
    documents.sort_unstable();
    let mut expected: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    expected.sort();
    assert_eq!(documents.len(), 11);
    assert!(documents == expected, "kollect crd and crds/ differ; run task crds");
}

#[test]
fn the_definitions_are_written_one_file_for_each_kind() {
    let folder = tempfile::tempdir().unwrap();
    let written = kollect(&["crd", "--dir", folder.path().to_str().unwrap()]);
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let file = "kollect.dev_kollecttargets.yaml";
    let expected = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("crds").join(file)).unwrap();
    assert_eq!(fs::read(folder.path().join(file)).unwrap(), expected);
}
