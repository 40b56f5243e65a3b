//! One adapter never names another: what two of them need is in a port, or in shared support.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{ItemMod, ItemUse, Macro, UseTree};

use super::Violation;
use super::modules::{Source, shown, walk};
use super::workspace::Workspace;

/// Modules that every adapter may name.
const SHARED: &[&str] = &["endpoint", "filing", "freshness", "listing"];

/// Pairs that may: the first names the second.
const ALLOWED: &[(&str, &str, &str)] = &[(
    "admin",
    "metrics",
    "serves the registry over HTTP; both are part of the program's own runtime",
)];

/// A path that begins at the crate, and the module that it is written in.
type Named = Vec<String>;

/// The paths of one file that begin with `crate` or `super`, in full.
fn named_paths(source: &Source, text: &str) -> Vec<Named> {
    let mut collector = Collector {
        module: source.module.clone(),
        paths: Vec::new(),
    };
    collector.visit_file(&syn::parse_file(text).unwrap());
    collector.paths
}

struct Collector {
    module: Vec<String>,
    paths: Vec<Named>,
}

impl Collector {
    fn take(&mut self, written: &[String]) {
        if let Some(path) = absolute(&self.module, written) {
            self.paths.push(path);
        }
    }

    fn take_tree(&mut self, tree: &UseTree, before: &[String]) {
        let mut path = before.to_vec();
        match tree {
            UseTree::Path(step) => {
                path.push(step.ident.to_string());
                self.take_tree(&step.tree, &path);
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.take_tree(tree, before)),
            UseTree::Name(name) => {
                path.push(name.ident.to_string());
                self.take(&path);
            }
            UseTree::Rename(rename) => {
                path.push(rename.ident.to_string());
                self.take(&path);
            }
            UseTree::Glob(_) => self.take(&path),
        }
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.take_tree(&item.tree, &[]);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let written: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.take(&written);
        visit::visit_path(self, path);
    }

    /// The arguments of a macro are not syntax yet: paths are found in their text.
    fn visit_macro(&mut self, call: &'ast Macro) {
        let tokens = call.tokens.to_string().replace(" :: ", "::").replace(":: ", "::");
        let separators = |c: char| !(c.is_alphanumeric() || c == '_' || c == ':');
        for word in tokens.split(separators) {
            let written: Vec<String> = word.split("::").map(str::to_owned).collect();
            self.take(&written);
        }
        visit::visit_macro(self, call);
    }
}

/// A written path from the root of the crate; `None` if it does not begin with `crate`, `self` or `super`.
fn absolute(module: &[String], written: &[String]) -> Option<Vec<String>> {
    let (first, rest) = written.split_first()?;
    let (mut path, mut rest) = match first.as_str() {
        "crate" => (Vec::new(), rest),
        "self" => (module.to_vec(), rest),
        "super" => (module.to_vec(), written),
        _ => return None,
    };
    while let Some((step, after)) = rest.split_first() {
        if step != "super" {
            break;
        }
        path.pop();
        rest = after;
    }
    path.extend_from_slice(rest);
    Some(path)
}

/// Paths of one file that lead into another adapter.
fn sibling_imports(adapters: &BTreeSet<String>, source: &Source, text: &str) -> Vec<Violation> {
    let Some(own) = source.module.first() else {
        return Vec::new();
    };
    let named: BTreeSet<String> = named_paths(source, text)
        .into_iter()
        .filter_map(|path| path.into_iter().next())
        .collect();
    named
        .iter()
        .filter(|other| *other != own && adapters.contains(*other) && !SHARED.contains(&other.as_str()))
        .filter(|other| !ALLOWED.iter().any(|(from, to, _)| from == own && to == other))
        .map(|other| {
            let file = shown(&source.file);
            format!("{file}: adapter {own} names adapter {other}; move what both need to a port or to shared support")
        })
        .collect()
}

/// All sibling imports of the adapters' library.
fn check(workspace: &Workspace) -> Vec<Violation> {
    let root = workspace.packages["kollect-adapters"]
        .roots
        .iter()
        .find(|root| root.is_product)
        .unwrap();
    let walk = walk(root);
    let adapters: BTreeSet<String> = walk
        .sources
        .iter()
        .filter_map(|source| source.module.first().cloned())
        .collect();
    let read = |file: &Path| fs::read_to_string(file).unwrap();
    walk.sources
        .iter()
        .flat_map(|source| sibling_imports(&adapters, source, &read(&source.file)))
        .collect()
}

mod tests {
    use super::super::workspace::read;
    use super::super::{assert_none, assert_one};
    use super::*;

    fn violations(module: &str, text: &str) -> Vec<Violation> {
        let adapters = ["admin", "endpoint", "kube", "metrics", "postgres"].map(str::to_owned);
        let source = Source {
            file: "adapter.rs".into(),
            module: module.split("::").map(str::to_owned).collect(),
            is_test: false,
        };
        sibling_imports(&BTreeSet::from(adapters), &source, text)
    }

    #[test]
    fn no_adapter_names_another() {
        assert_none(&check(read()));
    }

    #[test]
    fn every_way_to_name_a_sibling_is_a_violation() {
        for text in [
            "use crate::postgres::sink;",
            "use crate::{endpoint, postgres::{self, sink}};",
            "use crate::postgres as other;",
            "use super::super::postgres::*;",
            "fn f() { crate::postgres::connect(); }",
            "fn f(_: &crate::postgres::Dsn) {}",
            "fn f() { assert!(crate::postgres::IS_ON, \"off\"); }",
            "mod inner { use super::super::super::postgres::Dsn; }",
        ] {
            assert_one(
                &violations("kube::source", text),
                &["adapter kube names adapter postgres"],
            );
        }
    }

    #[test]
    fn support_outside_crates_and_the_adapter_itself_may_be_named() {
        for text in [
            "use crate::endpoint::EndpointPolicy;",
            "use crate::kube::crd;",
            "use super::client;",
            "use postgres::Client;",
            "mod postgres { pub struct Row; } use self::postgres::Row;",
        ] {
            assert_none(&violations("kube::source", text));
        }
        assert_none(&violations("admin", "use crate::metrics::OpenMetrics;"));
        assert_one(&violations("metrics", "use crate::admin::serve;"), &["admin"]);
    }
}
