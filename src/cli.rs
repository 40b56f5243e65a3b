//! The command line: one program, one verb for each use.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{CommandFactory as _, Parser, Subcommand};

use crate::config::{CollectConfig, DemoConfig, OperatorConfig, PreviewConfig, UiConfig};
use crate::crd::CrdConfig;

/// The inventory of record for Kubernetes.
#[derive(Debug, Parser)]
#[command(name = "kollect", version, about, propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// A verb.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the operator: collect what targets select and export it to the sinks of inventories.
    Operator(Box<OperatorConfig>),
    /// Collect an inventory in one go, from clusters or from files, and print it or write it to a database.
    Collect(Box<CollectConfig>),
    /// Show the rows that profiles and targets would give, and what would fail. Nothing is written.
    Preview(Box<PreviewConfig>),
    /// Serve read-only pages over a database that inventories were exported to.
    Ui(UiConfig),
    /// Show a sample estate: no cluster, no server, no flags needed.
    Demo(DemoConfig),
    /// Print the custom resource definitions, to be piped into `kubectl apply --server-side -f -`.
    Crd(CrdConfig),
    /// Print a script that completes this program's flags in a shell.
    Completion {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

impl Command {
    /// The exit code when the command cannot be carried out. That of `collect` and `preview` tells it
    /// from a partial success.
    pub fn fatal(&self) -> ExitCode {
        match self {
            Self::Collect(_) | Self::Preview(_) => ExitCode::from(2),
            _ => ExitCode::FAILURE,
        }
    }
}

/// Prints the script.
///
/// # Errors
/// Standard output cannot be written.
pub fn completion(shell: clap_complete::Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "kollect", &mut script);
    std::io::stdout()
        .write_all(&script)
        .context("cannot write to standard output")
}

/// The name under which charts and manifests of earlier versions start the operator.
const OPERATOR_NAME: &str = "manager";

/// The arguments as the parser takes them: a program that is started as `manager` is the operator, and its flags with
/// one dash mean the same as with two, as in earlier versions.
pub fn arguments(raw: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut raw = raw.peekable();
    let is_manager = raw
        .peek()
        .and_then(|program| Path::new(program).file_name())
        .is_some_and(|name| name == OPERATOR_NAME);
    let mut arguments: Vec<OsString> = raw.by_ref().take(1).collect();
    if is_manager {
        arguments.push("operator".into());
    }
    let raw: Vec<OsString> = raw.collect();
    let is_operator = is_manager || raw.first().is_some_and(|verb| verb == "operator");
    arguments.extend(raw.into_iter().map(|argument| match argument.to_str() {
        Some(text) if is_operator && is_single_dash_flag(text) => format!("-{text}").into(),
        _ => argument,
    }));
    arguments
}

/// `-leader-elect` is a flag of the Go program; `-h` and `-V` are short flags of this one.
fn is_single_dash_flag(argument: &str) -> bool {
    argument.len() > 2
        && argument
            .strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments_given: &[&str]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(arguments(arguments_given.iter().map(OsString::from)))
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_program_is_the_operator_when_it_is_started_as_manager() {
        let cli = parse(&[
            "/manager",
            "--leader-elect",
            "-metrics-bind-address=:8080",
            "--metrics-secure=false",
        ])
        .unwrap();
        let Command::Operator(config) = cli.command else {
            panic!("{cli:?}");
        };
        assert_eq!(config.probes.metrics_bind_address.0.map(|a| a.port()), Some(8080));
    }

    #[test]
    fn an_unknown_flag_is_refused() {
        assert!(parse(&["kollect", "operator", "--no-such-flag"]).is_err());
    }
}
