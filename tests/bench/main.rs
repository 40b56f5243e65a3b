//! Measures the operator on a real API server and a real database.
//!
//! Loads Deployments into a cluster of its own, runs the release build of the operator against it, and prints one table:
//! how long the first export takes beside what the API server alone needs for the same list, the memory, what a change
//! costs and how soon it is seen, and what a restart does. The servers, the operator and all files are gone when it ends.

mod api;
mod arguments;
mod bed;
mod changes;
mod configuration;
mod database;
mod deployment;
mod dump;
mod error;
mod floor;
mod load;
mod machine;
mod operator;
mod process;
mod program;
mod progress;
mod report;
mod run;
mod statistic;

use std::error::Error as _;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use tokio::signal::unix::{SignalKind, signal};

use crate::api::Api;
use crate::arguments::Arguments;
use crate::bed::Bed;
use crate::database::Database;
use crate::error::Error;
use crate::program::Program;
use crate::progress::say;
use crate::report::{Circumstances, Report};
use crate::run::Scene;

/// The shell's number for a program that an interrupt ended.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    match bench(&Arguments::parse()) {
        Ok((report, within_limits)) => {
            if writeln!(std::io::stdout(), "{report}").is_ok() && within_limits {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            let mut text = error.to_string();
            let mut cause = error.source();
            while let Some(error) = cause {
                text = format!("{text}: {error}");
                cause = error.source();
            }
            say(&text);
            match error {
                Error::Interrupted => ExitCode::from(INTERRUPTED),
                _ => ExitCode::from(2),
            }
        }
    }
}

/// The table as text, and whether every limit is kept.
fn bench(arguments: &Arguments) -> Result<(String, bool), Error> {
    let program = Program::find(arguments.kollect.as_deref())?;
    if arguments.dump {
        let report = dump::measure(&program, arguments.objects, arguments.runs)?;
        return Ok((report.to_string(), report.is_within_limits()));
    }
    let report = bench_cluster(arguments, &program)?;
    Ok((report.to_string(), report.is_within_limits()))
}

fn bench_cluster(arguments: &Arguments, program: &Program) -> Result<Report, Error> {
    let bed = Bed::start(program, arguments.runs)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    // What is dropped here, on an interrupt, stops what it stands for: first the operator, then the servers.
    runtime.map_err(Error::io("start the runtime"))?.block_on(async {
        tokio::select! {
            report = measure(arguments, program, &bed) => report,
            interrupted = interrupted() => interrupted.and(Err(Error::Interrupted)),
        }
    })
}

async fn interrupted() -> Result<(), Error> {
    let mut interrupt = signal(SignalKind::interrupt()).map_err(Error::io("handle SIGINT"))?;
    let mut terminate = signal(SignalKind::terminate()).map_err(Error::io("handle SIGTERM"))?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

async fn measure(arguments: &Arguments, program: &Program, bed: &Bed) -> Result<Report, Error> {
    let kubeconfig = bed.kubeconfig();
    let folder = tempfile::Builder::new()
        .prefix("kollect-bench-")
        .tempdir()
        .map_err(Error::io("make a folder for logs"))?;
    load::load(&kubeconfig, arguments.objects).await?;
    // The first list after loading is slower than any later one.
    let list = floor::download(&kubeconfig).await?;
    let scene = Scene {
        program: &program.path,
        kubeconfig: &kubeconfig,
        folder: folder.path(),
        objects: arguments.objects,
        changes: arguments.changes,
    };
    let mut runs = Vec::new();
    for (number, url) in (0..).zip(&bed.databases) {
        say(&format!("run {} of {}", number + 1, arguments.runs));
        runs.push(run::run(&scene, number, url).await?);
    }
    let circumstances = Circumstances {
        machine: machine::describe(),
        versions: versions(program, bed).await?,
        objects: arguments.objects,
        object_bytes: list.bytes / u64::from(arguments.objects.max(1)),
        changes: arguments.changes,
    };
    Ok(Report::new(circumstances, &runs))
}

async fn versions(program: &Program, bed: &Bed) -> Result<String, Error> {
    let kubernetes = Api::connect(&bed.kubeconfig()).await?.version().await?;
    let postgres = match bed.databases.first() {
        Some(url) => Database::connect(url).await?.version().await?,
        None => String::new(),
    };
    Ok(format!(
        "{}, Kubernetes {kubernetes}, PostgreSQL {postgres}",
        program.version
    ))
}
