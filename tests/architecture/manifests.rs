//! What manifests and lint settings must repeat, since Cargo and Clippy do not inherit it by themselves.

use std::fs;
use std::path::PathBuf;

use super::Violation;
use super::modules::shown;
use super::workspace::{Workspace, repository};

/// A manifest that does not take the lints of the workspace.
fn without_lints(name: &str, manifest: &str) -> Vec<Violation> {
    let mut section = manifest.lines().skip_while(|line| line.trim() != "[lints]").skip(1);
    let inherits = section
        .by_ref()
        .take_while(|line| !line.starts_with('['))
        .any(|line| line.trim() == "workspace = true");
    if inherits {
        Vec::new()
    } else {
        vec![format!("{name}: add `workspace = true` under [lints] to its manifest")]
    }
}

/// Settings of the root's `clippy.toml` that another one, which replaces it whole, lacks.
fn lost_settings(name: &str, root: &str, nested: &str) -> Vec<Violation> {
    let nested = settings(nested);
    settings(root)
        .into_iter()
        .filter(|setting| !nested.contains(setting))
        .map(|setting| format!("{name}: lacks this setting of the root's clippy.toml: {setting}"))
        .collect()
}

/// The settings of a file: a line that begins in the first column, and the indented ones below it.
fn settings(text: &str) -> Vec<String> {
    let mut settings: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match settings.last_mut() {
            Some(setting) if line.starts_with([' ', '\t', ']']) => {
                setting.push('\n');
                setting.push_str(line);
            }
            _ => settings.push(line.to_owned()),
        }
    }
    settings
}

fn nested_clippy_files(workspace: &Workspace) -> Vec<PathBuf> {
    workspace
        .packages
        .values()
        .filter(|package| package.folder != repository())
        .map(|package| package.folder.join("clippy.toml"))
        .filter(|file| file.exists())
        .collect()
}

mod tests {
    use super::super::workspace::read;
    use super::super::{assert_none, assert_one};
    use super::*;

    #[test]
    fn every_package_takes_the_lints_of_the_workspace() {
        for (name, package) in &read().packages {
            let manifest = fs::read_to_string(package.folder.join("Cargo.toml")).unwrap();
            assert_none(&without_lints(name, &manifest));
        }
    }

    #[test]
    fn nested_lint_settings_repeat_those_of_the_root() {
        let root = fs::read_to_string(repository().join("clippy.toml")).unwrap();
        let files = nested_clippy_files(read());
        assert!(!files.is_empty(), "domain and app forbid clocks");
        for file in files {
            let nested = fs::read_to_string(&file).unwrap();
            assert_none(&lost_settings(&shown(&file), &root, &nested));
        }
    }

    #[test]
    fn a_manifest_without_the_lints_is_a_violation() {
        assert_one(
            &without_lints("kollect-new", "[lints.clippy]\nworkspace = true\n"),
            &["kollect-new"],
        );
        assert_one(
            &without_lints("kollect-new", "[lints]\n[lib]\nworkspace = true\n"),
            &["kollect-new"],
        );
        assert_none(&without_lints("kollect-new", "[lib]\n\n[lints]\nworkspace = true\n"));
    }

    #[test]
    fn a_setting_that_is_lost_or_changed_is_a_violation() {
        let root = "a = true\nb = [\n  1,\n]\n";
        assert_none(&lost_settings("nested", root, "b = [\n  1,\n]\nc = 1\na = true\n"));
        assert_one(&lost_settings("nested", root, "a = true\nb = [\n  2,\n]\n"), &["b = ["]);
        assert_one(&lost_settings("nested", root, "b = [\n  1,\n]\n"), &["a = true"]);
    }
}
