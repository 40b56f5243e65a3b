//! The operator's program.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::Error;
use crate::progress::say;

const PACKAGE: &str = "kollect";

/// The program that is measured.
#[derive(Debug)]
pub struct Program {
    /// The file.
    pub path: PathBuf,
    /// What it says about itself.
    pub version: String,
}

impl Program {
    /// Takes the program at `path`, or builds this source for release.
    ///
    /// # Errors
    /// [`Error::Build`] when cargo fails; [`Error::Io`] when the program cannot be run.
    pub fn find(path: Option<&Path>) -> Result<Self, Error> {
        let path = match path {
            Some(path) => path.to_owned(),
            None => build()?,
        };
        let printed = run(&path, "--version")?;
        Ok(Self {
            version: printed.trim().to_owned(),
            path,
        })
    }

    /// The custom resource definitions that belong to it.
    ///
    /// # Errors
    /// [`Error::Io`] when the program cannot be run.
    pub fn definitions(&self) -> Result<String, Error> {
        run(&self.path, "crd")
    }
}

fn build() -> Result<PathBuf, Error> {
    say("building kollect for release");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--release", "--package", PACKAGE, "--bin", PACKAGE])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .map_err(Error::io("run cargo"))?;
    if !output.status.success() {
        return Err(Error::Build(format!("cargo ended with {}", output.status)));
    }
    executable(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| Error::Build("cargo did not name the program that it built".to_owned()))
}

/// The program that cargo's messages name.
fn executable(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == PACKAGE)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

fn run(program: &Path, argument: &str) -> Result<String, Error> {
    let action = format!("run {} {argument}", program.display());
    let output = Command::new(program)
        .arg(argument)
        .output()
        .map_err(Error::io(action.as_str()))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::io(action)(std::io::Error::other(complaint)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_the_one_that_cargo_names() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"kollect-app"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"kollect"},"executable":"/out/release/kollect"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages), Some(PathBuf::from("/out/release/kollect")));
        assert_eq!(executable("{}"), None);
    }
}
