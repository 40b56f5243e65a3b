//! Where the programs of PostgreSQL are.

use std::path::PathBuf;

use crate::Error;
use crate::installation::{bed_folder, program, search_path};

/// A program of the server that `install.sh` found or brought.
pub(super) fn installed(name: &str) -> Result<PathBuf, Error> {
    let link = program(super::SERVER, name, [bed_folder()?.join("postgres")])?;
    // The account of the server need not be able to enter the folder that has the link.
    link.canonicalize().map_err(Error::io("find", &link))
}

/// psql, also a person's own, for a server that exists already.
pub(super) fn any_psql() -> Result<PathBuf, Error> {
    let folders = [bed_folder()?.join("postgres")];
    program(super::SERVER, "psql", folders.into_iter().chain(search_path()))
}
