//! Starts the real servers that the tests of Kollect run against, without a container engine.
//!
//! Each server is one type: [`ControlPlane`] is a real Kubernetes API with its controllers,
//! [`Postgres`] a real database. A starter picks free ports on the loopback address, keeps
//! everything in a folder of its own, waits until the server answers, and shows the end of the
//! server's log when it does not. [`Chromium`] is a real browser, which runs for one visit at a
//! time. The server ends when its value is dropped, and also when the
//! process that owns it is killed, so no run leaves anything behind.
//!
//! The calls block. Test suites usually start one server per test binary with `shared()` and give
//! each test a namespace or a database of its own.
//!
//! `tests/bed/install.sh` installs the programs. An environment name points to something that
//! exists already: `KUBEBUILDER_ASSETS` (a folder of control plane programs),
//! `KOLLECT_TEST_KUBECONFIG` (a cluster), `KOLLECT_TEST_POSTGRES_URL` (a database server),
//! `KOLLECT_TEST_CHROMIUM` (a browser).
//!
//! ```no_run
//! # fn main() -> Result<(), kollect_testbed::Error> {
//! use kollect_testbed::{ControlPlane, Postgres};
//!
//! let cluster = ControlPlane::shared()?;
//! cluster.kubectl(&["create", "namespace", "payments"], None)?;
//!
//! let postgres = Postgres::shared()?;
//! let database = postgres.create_database()?;
//! println!("{}", postgres.url(&database));
//! # Ok(())
//! # }
//! ```

mod certificates;
mod chromium;
mod command;
mod control_plane;
mod error;
mod eventually;
mod installation;
mod instance;
mod port;
mod postgres;
mod process_tree;
mod server;
mod skip;

pub use chromium::{Chromium, Look, Scripts, Visit};
pub use control_plane::{ControlPlane, ControlPlaneBuilder};
pub use error::{Error, LogTail};
pub use eventually::eventually;
pub use postgres::{Postgres, PostgresBuilder};
pub use skip::required;
