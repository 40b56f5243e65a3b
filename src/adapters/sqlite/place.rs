//! Where files may lie.

use std::path::{Component, Path, PathBuf};

use super::failure::Failure;

const STAGE: &str = "sqlite open";
/// Endings of the files that `SQLite` keeps beside a database.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Where the files of sinks may lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqliteFolder {
    /// Nowhere: there are no sinks of this type.
    Unset,
    /// In this folder; definitions give bare file names.
    Within(PathBuf),
    /// Anywhere: definitions give paths, which whoever started the program named.
    Anywhere,
}

/// Where one file lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    folder: Option<PathBuf>,
    file: PathBuf,
}

impl Place {
    /// The place of a file; says what is wrong with its name.
    pub(super) fn new(folder: &SqliteFolder, file: &str) -> Result<Self, &'static str> {
        if file.trim().is_empty() || file.contains('\0') {
            return Err("must name a file");
        }
        if COMPANIONS.iter().any(|ending| file.ends_with(ending)) {
            return Err("must not end in -wal, -shm or -journal: SQLite keeps files of such names beside a database");
        }
        let file = PathBuf::from(file);
        match folder {
            SqliteFolder::Unset => Err("needs a folder: start the program with --sqlite-dir"),
            SqliteFolder::Anywhere => Ok(Self { folder: None, file }),
            SqliteFolder::Within(folder) if is_bare(&file) => Ok(Self {
                folder: Some(folder.clone()),
                file,
            }),
            SqliteFolder::Within(_) => Err("must be the bare name of a file, which lies in the folder of --sqlite-dir"),
        }
    }

    /// Whether links must not be followed: what lies in a fixed folder must not lead out of it.
    pub(super) fn is_confined(&self) -> bool {
        self.folder.is_some()
    }

    /// The path as people know it.
    pub(super) fn path(&self) -> PathBuf {
        self.folder
            .as_ref()
            .map_or_else(|| self.file.clone(), |folder| folder.join(&self.file))
    }

    /// The path to open.
    ///
    /// # Errors
    /// `Misconfigured` when the folder does not exist or something other than a file is there.
    pub(super) fn resolve(&self) -> Result<PathBuf, Failure> {
        let path = match &self.folder {
            Some(folder) => folder.canonicalize().map_err(|_| no_folder(folder))?.join(&self.file),
            // Absolute, since the library gives some relative names a meaning of their own (":memory:", "file:").
            None => std::path::absolute(&self.file).map_err(|_| no_folder(Path::new(".")))?,
        };
        let Ok(found) = path.symlink_metadata() else {
            let folder = path.parent().unwrap_or(&path);
            return if folder.is_dir() {
                Ok(path)
            } else {
                Err(no_folder(folder))
            };
        };
        if found.is_symlink() && self.is_confined() {
            return Err(Failure::unusable(format!(
                "{STAGE}: {} is a symbolic link, which is not followed; put the file itself there",
                path.display()
            )));
        }
        if path.is_dir() {
            return Err(Failure::unusable(format!(
                "{STAGE}: {} is a folder; name a file",
                path.display()
            )));
        }
        Ok(path)
    }
}

fn is_bare(file: &Path) -> bool {
    let mut components = file.components();
    let (first, rest) = (components.next(), components.next());
    matches!(first, Some(Component::Normal(name)) if rest.is_none() && name == file.as_os_str())
        && !file.to_string_lossy().contains(['/', '\\', ':'])
}

fn no_folder(folder: &Path) -> Failure {
    Failure::unusable(format!(
        "{STAGE}: the folder {} does not exist or cannot be read; create it",
        folder.display()
    ))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn within() -> SqliteFolder {
        SqliteFolder::Within(PathBuf::from("/data"))
    }

    #[rstest]
    #[case::parent("../fleet.db")]
    #[case::only_parent("..")]
    #[case::here(".")]
    #[case::folder("a/fleet.db")]
    #[case::trailing_separator("fleet.db/")]
    #[case::leading_dot("./fleet.db")]
    #[case::absolute("/etc/fleet.db")]
    #[case::other_separator("a\\fleet.db")]
    #[case::drive("c:fleet.db")]
    #[case::blank(" ")]
    #[case::nul("a\0.db")]
    #[case::companion("fleet.db-wal")]
    fn names_that_could_lead_out_of_the_folder_are_refused(#[case] file: &str) {
        assert!(Place::new(&within(), file).is_err());
    }

    #[test]
    fn a_bare_name_lies_in_the_folder() {
        let place = Place::new(&within(), "..fleet.db").unwrap();
        assert_eq!(place.path(), Path::new("/data/..fleet.db"));
    }

    #[test]
    fn without_a_folder_the_flag_is_named() {
        assert!(
            Place::new(&SqliteFolder::Unset, "fleet.db")
                .unwrap_err()
                .contains("--sqlite-dir")
        );
    }

    #[test]
    fn a_path_may_lie_anywhere() {
        let place = Place::new(&SqliteFolder::Anywhere, "../a/fleet.db").unwrap();
        assert_eq!(place.path(), Path::new("../a/fleet.db"));
    }
}
