//! Which source files the compiler reads, found by walking `mod` items from the first file of each crate.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use syn::{Attribute, Expr, Item, Lit, Meta};

use super::Violation;
use super::workspace::{Root, Workspace, read, repository};

/// A source file that the compiler reads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    pub file: PathBuf,
    /// Modules from the root of the crate to the file.
    pub module: Vec<String>,
    /// Whether only tests read it.
    pub is_test: bool,
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct Walk {
    pub sources: Vec<Source>,
    pub violations: Vec<Violation>,
}

/// Walks one crate.
pub fn walk(root: &Root) -> Walk {
    let mut walk = Walk::default();
    let folder = root.file.parent().unwrap();
    walk.enter(&root.file, folder, &[], root.is_test);
    walk
}

impl Walk {
    /// Takes a file whose own modules are in `folder`.
    fn enter(&mut self, file: &Path, folder: &Path, module: &[String], is_test: bool) {
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                let module = module.join("::");
                self.violations
                    .push(format!("module {module}: {}: {error}", file.display()));
                return;
            }
        };
        self.sources.push(Source {
            file: file.to_owned(),
            module: module.to_vec(),
            is_test,
        });
        match syn::parse_file(&text) {
            Ok(parsed) => {
                let beside = file.parent().unwrap();
                self.items(&parsed.items, beside, folder, module, is_test);
            }
            Err(error) => self.violations.push(format!("{}: {error}", file.display())),
        }
    }

    /// `beside` is where a `#[path]` starts, `folder` where a module without one is.
    fn items(&mut self, items: &[Item], beside: &Path, folder: &Path, module: &[String], is_test: bool) {
        for item in items {
            let Item::Mod(item) = item else { continue };
            let name = item.ident.to_string();
            let mut inner = module.to_vec();
            inner.push(name.clone());
            let is_test = is_test || item.attrs.iter().any(is_cfg_test);
            let path = item.attrs.iter().find_map(path_of);
            match (&item.content, path) {
                (Some((_, items)), _) => {
                    let folder = folder.join(&name);
                    self.items(items, &folder, &folder, &inner, is_test);
                }
                // The modules of a file that is named by its path are beside it.
                (None, Some(path)) => {
                    let file = beside.join(path);
                    self.enter(&file, file.parent().unwrap(), &inner, is_test);
                }
                (None, None) => {
                    let file = folder.join(format!("{name}.rs"));
                    self.enter(&file, &folder.join(&name), &inner, is_test);
                }
            }
        }
    }
}

fn is_cfg_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute
            .parse_args::<syn::Path>()
            .is_ok_and(|condition| condition.is_ident("test"))
}

fn path_of(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    match &pair.value {
        Expr::Lit(value) if pair.path.is_ident("path") => match &value.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// All crates of this repository.
pub fn walk_all() -> &'static Walk {
    static WALK: LazyLock<Walk> = LazyLock::new(|| walk_crates(read()));
    &WALK
}

fn walk_crates(workspace: &Workspace) -> Walk {
    let roots = workspace.packages.values().flat_map(|package| &package.roots);
    let mut all = Walk::default();
    for root in roots {
        let walk = walk(root);
        all.sources.extend(walk.sources);
        all.violations.extend(walk.violations);
    }
    all
}

/// Files of `folders` that no crate reads.
fn orphans(folders: &[PathBuf], walk: &Walk) -> Vec<Violation> {
    let known: BTreeSet<&Path> = walk.sources.iter().map(|source| source.file.as_path()).collect();
    rust_files(folders)
        .iter()
        .filter(|file| !known.contains(file.as_path()))
        .map(|file| {
            format!(
                "{}: no `mod` and no target leads to it, so it is never compiled",
                shown(file)
            )
        })
        .collect()
}

/// The source files below some folders, ascending.
pub fn rust_files(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut left: Vec<PathBuf> = folders.to_vec();
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                left.push(entry.path());
            } else if entry.path().extension().is_some_and(|extension| extension == "rs") {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    files
}

/// The folders with sources.
pub fn source_folders() -> Vec<PathBuf> {
    vec![repository().join("src"), repository().join("tests")]
}

/// A file as people name it.
pub fn shown(file: &Path) -> String {
    file.strip_prefix(repository()).unwrap_or(file).display().to_string()
}

mod tests {
    use super::super::{assert_none, assert_one};
    use super::*;

    /// Writes files into a new folder, of which `lib.rs` is the first, and walks them.
    fn walked(files: &[(&str, &str)]) -> (tempfile::TempDir, Walk) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let walk = walk(&Root {
            file: folder.path().join("lib.rs"),
            is_test: false,
            is_product: true,
        });
        (folder, walk)
    }

    #[test]
    fn every_source_file_is_compiled() {
        let walk = walk_all();
        assert_none(&walk.violations);
        assert_none(&orphans(&source_folders(), walk));
    }

    #[test]
    fn modules_are_found_beside_below_inline_and_by_path() {
        let (folder, walk) = walked(&[
            (
                "lib.rs",
                "#[cfg(unix)] mod a; mod b { mod c; } #[path = \"odd/x.rs\"] mod d;",
            ),
            ("a.rs", "mod e; #[cfg(test)] mod tests;"),
            ("a/e.rs", ""),
            ("a/tests.rs", ""),
            ("b/c.rs", ""),
            ("odd/x.rs", "mod f;"),
            ("odd/f.rs", ""),
        ]);
        assert_none(&walk.violations);
        assert_none(&orphans(&[folder.path().to_owned()], &walk));
        let tests: Vec<_> = walk.sources.iter().filter(|source| source.is_test).collect();
        assert_eq!(tests.len(), 1, "{tests:?}");
        assert_eq!(tests[0].module, ["a", "tests"]);
    }

    #[test]
    fn a_file_that_no_module_names_is_a_violation() {
        let (folder, walk) = walked(&[("lib.rs", "mod a;"), ("a.rs", ""), ("a/tests.rs", "")]);
        assert_one(&orphans(&[folder.path().to_owned()], &walk), &["a/tests.rs"]);
    }

    #[test]
    fn a_module_without_a_file_is_a_violation() {
        let (_folder, walk) = walked(&[("lib.rs", "mod gone;")]);
        assert_one(&walk.violations, &["module gone", "gone.rs"]);
    }
}
