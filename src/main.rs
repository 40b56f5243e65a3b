//! Kollect: the inventory of record for Kubernetes.

mod cli;
mod collect;
mod config;
mod crd;
mod demo;
mod pages;
mod preview;
mod ready_made;
mod runtime;
mod shutdown;
mod telemetry;
mod wiring;

use std::process::ExitCode;

use clap::Parser as _;

#[cfg(all(target_os = "linux", feature = "jemalloc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let command = cli::Cli::parse_from(cli::arguments(std::env::args_os())).command;
    let fatal = command.fatal();
    run(command).unwrap_or_else(|error| {
        telemetry::report(&error);
        fatal
    })
}

fn run(command: cli::Command) -> anyhow::Result<ExitCode> {
    match command {
        cli::Command::Operator(config) => wiring::operator(*config)?,
        cli::Command::Crd(config) => crd::write(&config)?,
        cli::Command::Collect(config) => return collect::run(*config),
        cli::Command::Preview(config) => return preview::run(*config),
        cli::Command::Ui(config) => pages::run(config)?,
        cli::Command::Demo(config) => demo::run(config)?,
        cli::Command::Completion { shell } => cli::completion(shell)?,
    }
    Ok(ExitCode::SUCCESS)
}
