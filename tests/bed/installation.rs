//! Where `install.sh` puts the programs.

use std::env;
use std::path::{Path, PathBuf};

use crate::Error;

/// The folder of the installed servers; the rule is the one of `install.sh`.
pub(crate) fn bed_folder() -> Result<PathBuf, Error> {
    let named = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty());
    named("KOLLECT_BED_DIR")
        .map(PathBuf::from)
        .or_else(|| named("XDG_CACHE_HOME").map(|cache| Path::new(&cache).join("kollect/bed")))
        .or_else(|| named("HOME").map(|home| Path::new(&home).join(".cache/kollect/bed")))
        .ok_or(Error::NoBedFolder)
}

/// The program in the first of `folders` that has it.
pub(crate) fn program(
    server: &'static str,
    name: &str,
    folders: impl IntoIterator<Item = PathBuf>,
) -> Result<PathBuf, Error> {
    folders
        .into_iter()
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .ok_or_else(|| Error::NotInstalled {
            server,
            program: name.to_owned(),
        })
}

/// The folders of `PATH`.
pub(crate) fn search_path() -> Vec<PathBuf> {
    env::var_os("PATH").map_or_else(Vec::new, |path| env::split_paths(&path).collect())
}

/// The version that a `go.mod` requires of a module, without its leading `v`.
pub(crate) fn pinned<'a>(go_mod: &'a str, module: &str) -> Option<&'a str> {
    go_mod.lines().find_map(|line| {
        let mut words = line.trim().trim_start_matches("require ").split_whitespace();
        (words.next()? == module)
            .then(|| words.next()?.strip_prefix('v'))
            .flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_version_is_found_alone_and_in_a_block() {
        let alone = "module x\n\nrequire example.com/a/v3 v3.1.4\n";
        let block = "require (\n\texample.com/b v1.0.0 // indirect\n\texample.com/a v2.0.1\n)\n";
        assert_eq!(pinned(alone, "example.com/a/v3"), Some("3.1.4"));
        assert_eq!(pinned(block, "example.com/a"), Some("2.0.1"));
        assert_eq!(pinned(block, "example.com/c"), None);
    }

    #[test]
    fn a_missing_program_names_the_installer() {
        let missing = program("postgres", "initdb", [PathBuf::from("/nonexistent")]);
        assert_eq!(
            missing.unwrap_err().to_string(),
            "'initdb' is not installed: run tests/bed/install.sh postgres"
        );
    }
}
