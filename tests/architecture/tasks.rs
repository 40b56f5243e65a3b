//! The commands that the documentation names exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::Violation;
use super::workspace::repository;

/// Pages that tell people what to run.
const PAGES: &[&str] = &["README.md", "CONTRIBUTING.md", "docs/performance.md"];

/// Where scripts are; a page that names one by such a path means a file of this repository.
const SCRIPT_FOLDERS: &[&str] = &["tests/", ".ci/"];

/// Names of the tasks.
fn tasks(taskfile: &str) -> BTreeSet<String> {
    taskfile
        .lines()
        .skip_while(|line| *line != "tasks:")
        .filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'))
        .filter(|name| !name.starts_with(' '))
        .map(str::to_owned)
        .collect()
}

/// Pieces of a page that are set as code: the lines of blocks, and what stands between single backticks.
fn code(page: &str) -> Vec<&str> {
    page.split("```")
        .enumerate()
        .flat_map(|(index, part)| {
            if index % 2 == 1 {
                part.lines().skip(1).collect::<Vec<_>>()
            } else {
                part.split('`').skip(1).step_by(2).collect()
            }
        })
        .map(str::trim)
        .collect()
}

/// Commands of a page that do not exist.
fn unknown_commands(name: &str, page: &str, tasks: &BTreeSet<String>, exists: impl Fn(&str) -> bool) -> Vec<Violation> {
    code(page)
        .into_iter()
        .filter_map(|command| {
            let mut words = command.split_whitespace();
            let first = words.next()?;
            let is_script = SCRIPT_FOLDERS.iter().any(|folder| first.starts_with(folder));
            if first == "task" {
                let task = words.next()?;
                (!tasks.contains(task)).then(|| format!("{name}: names `task {task}`, which Taskfile.yml has not"))
            } else {
                (is_script && !exists(first)).then(|| format!("{name}: names {first}, which does not exist"))
            }
        })
        .collect()
}

mod tests {
    use super::super::{assert_none, assert_one};
    use super::*;

    fn read(name: &str) -> String {
        fs::read_to_string(repository().join(name)).unwrap()
    }

    #[test]
    fn every_command_that_a_page_names_exists() {
        let tasks = tasks(&read("Taskfile.yml"));
        assert!(tasks.contains("ci"), "{tasks:?}");
        for page in PAGES {
            let exists = |script: &str| Path::new(repository()).join(script).exists();
            assert_none(&unknown_commands(page, &read(page), &tasks, exists));
        }
    }

    #[test]
    fn a_task_or_a_script_that_does_not_exist_is_a_violation() {
        let tasks = tasks("version: '3'\n\ntasks:\n  test:\n    cmds: [x]\n  test:domain:\n    cmds: [y]\n");
        assert_eq!(tasks.len(), 2);
        let exists = |script: &str| script == "tests/run.sh";
        let page = "Run `task test:domain` or\n```sh\ntask test\ntests/run.sh --quiet\n```\n";
        assert_none(&unknown_commands("README.md", page, &tasks, exists));
        assert_one(
            &unknown_commands("README.md", "Run `task tset`.", &tasks, exists),
            &["task tset"],
        );
        assert_one(
            &unknown_commands("README.md", "```sh\ntests/walk.sh\n```\n", &tasks, exists),
            &["tests/walk.sh"],
        );
    }
}
