//! Which package may use which crate.

use super::Violation;
use super::workspace::Workspace;

/// What a package may list as a normal dependency.
enum Allowed {
    /// These crates only.
    Only(&'static [&'static [&'static str]]),
    /// Everything but these.
    AllBut(&'static [&'static str]),
}

const DOMAIN: &[&str] = &[
    "serde",
    "serde_json",
    "serde_json_path",
    "cel",
    "regex",
    "jiff",
    "sha2",
    "base64",
    "flate2",
    "thiserror",
];
const PORTS: &[&str] = &["kollect-domain", "async-trait", "futures"];
const APP: &[&str] = &["kollect-ports", "tokio", "tokio-util", "tracing"];
const UI: &[&str] = &["kollect-ports", "axum", "askama", "tokio", "tracing"];

/// What every package may use, and why it is the right amount.
const POLICY: &[(&str, Allowed)] = &[
    // Pure: no runtime, no Kubernetes, no I/O.
    ("kollect-domain", Allowed::Only(&[DOMAIN])),
    // Traits over domain types.
    ("kollect-ports", Allowed::Only(&[DOMAIN, PORTS])),
    // Tasks; it knows no technology.
    ("kollect-app", Allowed::Only(&[DOMAIN, PORTS, APP])),
    // Pages over the reading ports: no driver of any database, no client of any cluster, so it cannot write.
    ("kollect-ui", Allowed::Only(&[DOMAIN, PORTS, UI])),
    // Any technology; it knows no use case. Reading the command line and giving up are the program's business.
    (
        "kollect-adapters",
        Allowed::AllBut(&["kollect-app", "kollect", "clap", "anyhow"]),
    ),
    ("kollect", Allowed::AllBut(&[])),
    // Programs for tests, which stand outside: they use what the program offers to everybody.
    ("kollect-testbed", Allowed::AllBut(OURS)),
    ("kollect-bench", Allowed::AllBut(OURS)),
    ("kollect-fuzz", Allowed::Only(&[&["proptest"]])),
];
const OURS: &[&str] = &[
    "kollect",
    "kollect-app",
    "kollect-adapters",
    "kollect-ports",
    "kollect-domain",
    "anyhow",
];

/// Crates that no way of normal dependencies may lead to from the pure packages.
const IMPURE: &[&str] = &[
    "tokio",
    "hyper",
    "kube",
    "k8s-openapi",
    "sqlx",
    "tokio-postgres",
    "axum",
];
const PURE_PACKAGES: &[&str] = &["kollect-domain", "kollect-ports"];

/// Direct dependencies that the policy does not allow, and packages without a policy.
fn forbidden_dependencies(workspace: &Workspace) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (name, package) in &workspace.packages {
        let Some((_, allowed)) = POLICY.iter().find(|(package, _)| package == name) else {
            violations.push(format!("{name}: has no policy; add one to {}", file!()));
            continue;
        };
        let is_allowed = |dependency: &str| match allowed {
            Allowed::Only(lists) => lists.iter().any(|list| list.contains(&dependency)),
            Allowed::AllBut(list) => !list.contains(&dependency),
        };
        let refused = package.direct.iter().filter(|dependency| !is_allowed(dependency));
        violations.extend(refused.map(|dependency| {
            format!(
                "{name}: may not depend on {dependency}; move the code that needs it outwards, or change the policy"
            )
        }));
    }
    violations
}

/// Ways from the pure packages to runtimes and technologies.
fn impure_closures(workspace: &Workspace) -> Vec<Violation> {
    let mut violations = Vec::new();
    for name in PURE_PACKAGES {
        let Some(package) = workspace.packages.get(*name) else {
            violations.push(format!("{name}: is not in the workspace"));
            continue;
        };
        for crate_name in IMPURE {
            if let Some(way) = package.closure.get(*crate_name) {
                violations.push(format!("{name}: is led to {crate_name} by {}", way.join(" -> ")));
            }
        }
    }
    violations
}

mod tests {
    use std::collections::BTreeMap;

    use super::super::workspace::{Package, read};
    use super::super::{assert_none, assert_one};
    use super::*;

    fn workspace(name: &str, direct: &[&str], closure: &[&[&str]]) -> Workspace {
        let ways = closure
            .iter()
            .map(|way| (way.last().unwrap(), way))
            .map(|(end, way)| ((*end).to_owned(), way.iter().map(|step| (*step).to_owned()).collect()));
        let package = Package {
            direct: direct.iter().map(|name| (*name).to_owned()).collect(),
            closure: ways.collect(),
            ..Package::default()
        };
        Workspace {
            packages: BTreeMap::from([(name.to_owned(), package)]),
        }
    }

    #[test]
    fn every_package_uses_only_what_it_may() {
        assert_none(&forbidden_dependencies(read()));
    }

    #[test]
    fn no_way_leads_from_domain_or_ports_to_a_runtime_or_a_technology() {
        let workspace = read();
        assert!(
            workspace.packages["kollect-adapters"].closure.contains_key("hyper"),
            "ways over several crates are followed"
        );
        assert_none(&impure_closures(workspace));
    }

    #[test]
    fn a_runtime_in_the_domain_is_a_violation() {
        let workspace = workspace("kollect-domain", &["serde", "tokio"], &[]);
        assert_one(&forbidden_dependencies(&workspace), &["kollect-domain", "tokio"]);
    }

    #[test]
    fn an_adapter_in_the_app_and_the_app_in_an_adapter_are_violations() {
        let app = workspace("kollect-app", &["kollect-ports", "kollect-adapters"], &[]);
        assert_one(&forbidden_dependencies(&app), &["kollect-app", "kollect-adapters"]);
        let adapters = workspace("kollect-adapters", &["kube", "kollect-app"], &[]);
        assert_one(&forbidden_dependencies(&adapters), &["kollect-adapters", "kollect-app"]);
    }

    #[test]
    fn a_package_without_policy_is_a_violation() {
        assert_one(
            &forbidden_dependencies(&workspace("kollect-new", &[], &[])),
            &["kollect-new"],
        );
    }

    #[test]
    fn a_way_to_a_technology_over_a_harmless_crate_is_a_violation() {
        let mut workspace = workspace("kollect-domain", &["cel"], &[&["cel"], &["cel", "tokio"]]);
        workspace
            .packages
            .insert("kollect-ports".to_owned(), Package::default());
        assert_one(&impure_closures(&workspace), &["kollect-domain", "cel -> tokio"]);
    }
}
