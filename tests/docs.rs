//! The pages in `docs/` say all that the program has: flags, metrics, condition reasons; and their links lead somewhere.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "all of it is a test, the readers of files included"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    let path = repository().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names that a page does not set as code, each as it would have to stand there.
fn missing<'a>(names: impl IntoIterator<Item = &'a str>, page: &str) -> Vec<String> {
    names
        .into_iter()
        .map(|name| format!("`{name}`"))
        .filter(|name| !page.contains(name.as_str()))
        .collect()
}

/// Flags and environment names of a help text.
fn flags(help: &str) -> BTreeSet<String> {
    let words = help.split_whitespace().map(|word| word.trim_start_matches("[env:"));
    let flags = words
        .clone()
        .filter_map(|word| word.strip_prefix("--"))
        .map(|word| word.split(['[', '=', ',', '<']).next().unwrap())
        .filter(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        .map(|name| format!("--{name}"));
    let names = words
        .filter(|word| word.starts_with("KOLLECT_"))
        .map(|word| word.trim_end_matches([']', '=']).to_owned());
    flags.chain(names).collect()
}

/// Metric names of a source: texts that begin with the program's prefix.
fn metrics(source: &str) -> BTreeSet<&str> {
    let code = source.split("#[cfg(test)]").next().unwrap();
    code.split('"')
        .skip(1)
        .step_by(2)
        .filter(|text| text.starts_with("kollect_"))
        .collect()
}

/// Values of the constants in a module of a source.
fn constants<'a>(source: &'a str, module: &str) -> BTreeSet<&'a str> {
    let (_, module) = source.split_once(&format!("pub mod {module} {{")).unwrap();
    let (module, _) = module.split_once("\n}").unwrap();
    module
        .lines()
        .filter(|line| line.trim().starts_with("pub const "))
        .map(|line| line.split('"').nth(1).unwrap())
        .collect()
}

/// Targets of a page's links that are files.
fn links(page: &str) -> Vec<&str> {
    page.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .filter_map(|target| target.split('#').next())
        .collect()
}

fn pages() -> Vec<PathBuf> {
    let mut pages = vec![repository().join("README.md"), repository().join("CONTRIBUTING.md")];
    for folder in ["docs", "docs/adr", "tests/bed"] {
        let entries = fs::read_dir(repository().join(folder)).unwrap();
        pages.extend(
            entries
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "md")),
        );
    }
    pages
}

fn help() -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kollect"))
        .args(["operator", "--help"])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_flag_and_its_environment_name_are_documented() {
    let flags = flags(&help());
    assert!(
        flags.contains("--kubeconfig") && flags.contains("KOLLECT_KUBECONFIG"),
        "{flags:?}"
    );
    let mentioned_by_the_way = ["--help", "--version"];
    let wanted = flags
        .iter()
        .map(String::as_str)
        .filter(|flag| !mentioned_by_the_way.contains(flag));
    assert_eq!(
        missing(wanted, &read("docs/configuration.md")),
        Vec::<String>::new(),
        "missing in docs/configuration.md"
    );
}

#[test]
fn every_metric_is_documented() {
    let source = read("src/adapters/metrics.rs");
    let page = read("docs/metrics.md");
    let metrics = metrics(&source);
    assert!(metrics.contains("kollect_collect_items_total"), "{metrics:?}");
    // Counters get their ending when they are rendered.
    let undocumented: Vec<_> = metrics
        .into_iter()
        .filter(|name| missing([*name, &format!("{name}_total")], &page).len() == 2)
        .collect();
    assert_eq!(undocumented, Vec::<&str>::new(), "missing in docs/metrics.md");
}

#[test]
fn every_condition_type_and_reason_is_documented() {
    let source = read("src/domain/condition.rs");
    let page = read("docs/conditions.md");
    for module in ["kind", "reason"] {
        let constants = constants(&source, module);
        assert!(constants.len() > 5, "{constants:?}");
        assert_eq!(
            missing(constants, &page),
            Vec::<String>::new(),
            "{module} missing in docs/conditions.md"
        );
    }
}

#[test]
fn every_link_to_a_file_leads_to_one() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for target in links(&text) {
            if !page.parent().unwrap().join(target).exists() {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn what_a_page_lacks_is_found() {
    let help = "      --new-flag[=<ON>]\n          Text with --not.this\n          [env: KOLLECT_NEW_FLAG=]\n";
    assert_eq!(
        flags(help),
        BTreeSet::from(["--new-flag".to_owned(), "KOLLECT_NEW_FLAG".to_owned()])
    );
    assert_eq!(missing(["--new-flag"], "| `--new-flags` |"), ["`--new-flag`"]);
    assert_eq!(
        metrics("r(\"kollect_new\", \"Text\"); #[cfg(test)] \"kollect_old\""),
        BTreeSet::from(["kollect_new"])
    );
    let source =
        "pub mod reason {\n    /// Text.\n    pub const NEW: &str = \"New\";\n}\npub const OLD: &str = \"Old\";\n";
    assert_eq!(constants(source, "reason"), BTreeSet::from(["New"]));
    assert_eq!(links("[a](b.md#c) [d](https://e) [f](#g)"), ["b.md"]);
}

/// Every test that the table of compatibility names is there, in the file that it names.
#[test]
fn tests_that_the_compatibility_page_names_exist() {
    let page = read("docs/compatibility.md");
    let mut named = 0;
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let Some(tests) = line.trim_end_matches([' ', '|']).rsplit(" | ").next() else {
            continue;
        };
        let mut source = String::new();
        for code in tests.split('`').skip(1).step_by(2) {
            if Path::new(code).extension().is_some() {
                let is_whole = code.starts_with("src/") || code.starts_with("tests/");
                let path = if is_whole {
                    code.to_owned()
                } else {
                    format!("src/domain/{code}")
                };
                source = read(&path);
            } else {
                assert!(source.contains(&format!("fn {code}(")), "{code} is not there: {line}");
                named += 1;
            }
        }
    }
    assert!(named > 60, "{named}");
}
