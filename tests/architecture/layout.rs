//! How long files are and what they are called.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::Violation;
use super::modules::{Source, rust_files, shown, source_folders, walk_all};
use super::workspace::repository;

/// Most lines of a file, tests apart.
const LONGEST: usize = 400;

/// Files that are longer for a good reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// Names that say nothing about what a file holds.
const EMPTY_NAMES: &[&str] = &["mod", "util", "utils", "helper", "helpers", "common", "misc", "types"];

/// Lines of a file without its test modules, which rustfmt ends with a brace in the first column.
fn lines_without_tests(text: &str) -> usize {
    let mut count = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let begins_tests = line == "#[cfg(test)]"
            && lines
                .peek()
                .is_some_and(|next| next.starts_with("mod ") && next.ends_with('{'));
        if begins_tests {
            lines.by_ref().find(|line| *line == "}");
        } else {
            count += 1;
        }
    }
    count
}

/// Files over the limit that are not excepted, and exceptions that nothing needs any more.
fn long_files(lines: &BTreeMap<String, usize>, exceptions: &[(&str, &str)]) -> Vec<Violation> {
    let is_excepted = |file: &str| exceptions.iter().any(|(name, _)| *name == file);
    let long = lines
        .iter()
        .filter(|(file, count)| **count > LONGEST && !is_excepted(file))
        .map(|(file, count)| format!("{file}: has {count} lines without tests, more than {LONGEST}; split it by idea"));
    let needless = exceptions
        .iter()
        .filter(|(file, _)| lines.get(*file).is_none_or(|count| *count <= LONGEST))
        .map(|(file, _)| format!("{file}: is short enough, so its exception must go"));
    long.chain(needless).collect()
}

/// Files with a name that says nothing.
fn empty_names(files: &[String]) -> Vec<Violation> {
    let is_empty = |file: &str| {
        let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
        stem.is_some_and(|stem| EMPTY_NAMES.contains(&stem))
    };
    files
        .iter()
        .filter(|file| is_empty(file))
        .map(|file| format!("{file}: name it after what it holds"))
        .collect()
}

/// Lines of the files that are shipped; tests may be longer, since a table of cases is one idea.
fn shipped_lines(sources: &[Source]) -> BTreeMap<String, usize> {
    sources
        .iter()
        .filter(|source| !source.is_test)
        .map(|source| {
            let text = fs::read_to_string(&source.file).unwrap();
            (shown(&source.file), lines_without_tests(&text))
        })
        .collect()
}

fn all_files() -> Vec<String> {
    let folders: Vec<PathBuf> = source_folders();
    rust_files(&folders).iter().map(|file| shown(file)).collect()
}

mod tests {
    use super::super::{assert_none, assert_one};
    use super::*;

    #[test]
    fn no_file_is_too_long_to_be_read_at_once() {
        let lines = shipped_lines(&walk_all().sources);
        assert!(
            lines.contains_key("src/main.rs"),
            "files are named from {}",
            repository().display()
        );
        assert_none(&long_files(&lines, LONG_FILES));
    }

    #[test]
    fn every_file_is_named_after_what_it_holds() {
        assert_none(&empty_names(&all_files()));
    }

    #[test]
    fn tests_do_not_count_and_code_after_them_does() {
        let text =
            "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn b() {\n    }\n}\n\nfn c() {}\n#[cfg(test)]\nmod tests;\n";
        assert_eq!(lines_without_tests(text), 6);
    }

    #[test]
    fn a_long_file_and_a_needless_exception_are_violations() {
        let lines = BTreeMap::from([("long.rs".to_owned(), LONGEST + 1), ("short.rs".to_owned(), LONGEST)]);
        assert_one(&long_files(&lines, &[]), &["long.rs", "401"]);
        assert_none(&long_files(&lines, &[("long.rs", "")]));
        assert_one(&long_files(&lines, &[("long.rs", ""), ("short.rs", "")]), &["short.rs"]);
    }

    #[test]
    fn a_name_that_says_nothing_is_a_violation() {
        let files = ["src/kube/mod.rs", "src/kube/model.rs"].map(str::to_owned);
        assert_one(&empty_names(&files), &["src/kube/mod.rs"]);
    }
}
