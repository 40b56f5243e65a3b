//! Runs servers of the test bed for a person, until interrupted.
//!
//! `cargo run -p kollect-testbed -- control-plane postgres` prints how to reach each, one
//! `NAME=VALUE` a line. The servers and their data are gone when this program ends, however it ends.

use std::io::{self, Write as _};
use std::process::ExitCode;

use kollect_testbed::{ControlPlane, Postgres};

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    match serve(&names) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to try when the error stream is closed.
            drop(writeln!(io::stderr(), "kollect-bed: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn serve(names: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    if names.is_empty() {
        return Err("name the servers to run: control-plane, postgres".into());
    }
    let mut control_planes = Vec::new();
    let mut databases = Vec::new();
    for name in names {
        match name.as_str() {
            "control-plane" => {
                let cluster = ControlPlane::start()?;
                let kubeconfig = cluster.kubeconfig_path().display();
                writeln!(io::stdout(), "KUBECONFIG={kubeconfig}")?;
                control_planes.push(cluster);
            }
            "postgres" => {
                let postgres = Postgres::start()?;
                writeln!(io::stdout(), "DATABASE_URL={}", postgres.url("postgres"))?;
                databases.push(postgres);
            }
            other => return Err(format!("no server '{other}': control-plane, postgres").into()),
        }
    }
    writeln!(io::stdout(), "READY=interrupt to stop")?;
    loop {
        std::thread::park();
    }
}
