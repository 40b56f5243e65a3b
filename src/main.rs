//! Kollect: the inventory of record for Kubernetes.

mod cli;
mod config;
mod crd;
#[cfg_attr(not(test), expect(dead_code, reason = "the verbs that use it come next"))]
mod demo;
#[cfg_attr(not(test), expect(dead_code, reason = "the verbs that use it come next"))]
mod ready_made;
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
    match run(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            telemetry::report(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(command: cli::Command) -> anyhow::Result<()> {
    match command {
        cli::Command::Operator(config) => wiring::operator(*config),
        cli::Command::Crd(config) => crd::write(&config),
    }
}
