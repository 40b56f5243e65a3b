//! What cannot be carried out: what the program says, and its exit code.

use std::fs;

use crate::manifests::{config_map, put};
use crate::program::{kollect, kollect_with_input, shell, text};

/// A kubeconfig with two contexts of a cluster that is not there: nothing listens on the discard port of this machine.
const NOBODY: &str = r"
apiVersion: v1
kind: Config
current-context: test-a
contexts:
  - {name: test-a, context: {cluster: nobody, user: nobody}}
  - {name: test-b, context: {cluster: nobody, user: nobody}}
clusters: [{name: nobody, cluster: {server: 'http://127.0.0.1:9'}}]
users: [{name: nobody, user: {}}]
";

/// A folder with a kubeconfig of nobody, an empty folder, and a folder with one manifest.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("kubeconfig"), NOBODY).unwrap();
    for name in ["empty", "manifests"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    put(&folder.path().join("manifests"), "a.json", &config_map("a", "1"));
    folder
}

fn collect(arguments: &[&str]) -> crate::program::Ended {
    kollect(&[&["collect"], arguments].concat())
}

#[test]
fn commands_that_make_no_sense_say_what_to_do() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (manifests, empty, missing, kubeconfig) =
        (path("manifests"), path("empty"), path("missing"), path("kubeconfig"));
    let nowhere = format!("sqlite:{missing}/inventory.db");
    let cases: [(&[&str], &[&str]); 16] = [
        (&[], &["--kind", "--config"]),
        (
            &["--kind", "gadgets", "--from", &manifests],
            &["`gadgets`", "deployments.apps"],
        ),
        (&["--from", &missing], &["cannot read", &missing]),
        (&["--from", &empty], &[&empty, "no manifests", ".yaml"]),
        (&["--config", &missing], &["--config", &missing]),
        (&["--config", &empty], &["--config", &empty, "no manifests"]),
        (&["--config", &manifests], &["no KollectTarget"]),
        (&["--config", &manifests, "--kind", "pods"], &["--config", "--kind"]),
        (&["--from", &manifests, "--context", "test-a"], &["--from", "--context"]),
        (
            &["--from", &manifests, "--to", "somewhere"],
            &["--to", "sqlite:FILE", "postgres://"],
        ),
        (&["--from", &manifests, "--to", "sqlite:"], &["names no file"]),
        (&["--from", &manifests, "--to", &nowhere], &[&missing, "create it"]),
        (&["--kind", "pods", "--kubeconfig", &missing], &[&missing]),
        (
            &["--kind", "pods", "--kubeconfig", &kubeconfig, "--context", "prod"],
            &["no context \"prod\"", "test-a, test-b"],
        ),
        (
            &["--kind", "pods", "--kubeconfig", &kubeconfig, "--context", "prod-*"],
            &["no context matches prod-*", "test-a, test-b"],
        ),
        (
            &[
                "--kind",
                "pods",
                "--kubeconfig",
                &kubeconfig,
                "--context",
                "test-*",
                "--cluster",
                "one",
            ],
            &["--cluster", "2 clusters under one label"],
        ),
    ];
    for (arguments, words) in cases {
        collect(arguments).failed(2, words);
    }
}

#[test]
fn a_target_without_its_profile_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let target =
        "apiVersion: kollect.dev/v1alpha1\nkind: KollectTarget\nmetadata: {name: web}\nspec: {profileRef: gone}\n";
    fs::write(folder.path().join("target.yaml"), target).unwrap();
    collect(&["--config", text(folder.path()), "--from", "-"])
        .failed(2, &["default/web", "\"gone\"", "not in the folder"]);
}

#[test]
fn every_cluster_that_does_not_answer_is_named() {
    let folder = folder();
    let kubeconfig = folder.path().join("kubeconfig");
    let ended = collect(&[
        "--kind",
        "pods",
        "--kubeconfig",
        text(&kubeconfig),
        "--context",
        "test-*",
    ]);
    ended.failed(2, &["context test-a: ", "context test-b: ", "refused"]);
}

#[test]
fn kinds_that_are_not_there_are_no_failure() {
    let folder = folder();
    let manifests = folder.path().join("manifests");
    let ended = collect(&[
        "--from",
        text(&manifests),
        "--kind",
        "deployments",
        "--output",
        "ndjson",
    ]);
    assert_eq!((ended.code(), ended.stdout.as_str()), (Some(0), ""));
    assert!(ended.stderr.contains("none of 1 object(s)"), "{}", ended.stderr);
}

#[test]
fn what_can_be_read_is_collected_and_the_rest_is_named() {
    let good = config_map("a", "1");
    let input = format!("{good}\n---\nkind: [\n---\n{}", config_map("b", "1"));
    let ended = kollect_with_input(&["collect", "--from", "-", "--output", "ndjson"], &input);
    ended.failed(1, &["standard input:"]);
    assert_eq!(ended.stdout.lines().count(), 2, "{ended:?}");
}

#[test]
fn an_input_without_one_readable_object_is_a_failure() {
    let ended = kollect_with_input(&["collect", "--from", "-"], "{\"kind\": [");
    ended.failed(2, &["standard input:1"]);
}

#[test]
fn a_pipe_may_be_named_like_a_file() {
    let folder = folder();
    let manifest = folder.path().join("manifests/a.json");
    let pipe = folder.path().join("pipe");
    let line = "mkfifo \"$2\" && { cat \"$1\" >\"$2\" & } && \"$0\" collect --output ndjson --from \"$2\"";
    let collected = shell(line, &[manifest.as_os_str(), pipe.as_os_str()]).complete();
    assert!(collected.contains("\"name\":\"a\""), "{collected}");
}

#[test]
fn the_ready_made_profiles_are_listed() {
    let listed = collect(&["--kind", "help"]).complete();
    assert!(listed.lines().count() >= 20, "{listed}");
    assert!(listed.lines().all(|line| line.contains(": ")), "{listed}");
}
