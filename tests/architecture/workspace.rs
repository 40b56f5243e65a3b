//! What Cargo says about the packages of the workspace.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId, TargetKind};

/// The platform whose dependencies are looked at. Those of others may not even be downloaded.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// The packages of the workspace, by name.
#[derive(Debug, Default)]
pub struct Workspace {
    pub packages: BTreeMap<String, Package>,
}

/// One package.
#[derive(Debug, Default)]
pub struct Package {
    /// Folder of the manifest.
    pub folder: PathBuf,
    /// Names of the normal dependencies that the manifest lists.
    pub direct: BTreeSet<String>,
    /// Names of all packages that normal dependencies lead to, each with one way to it.
    pub closure: BTreeMap<String, Vec<String>>,
    /// The files that the compiler starts from.
    pub roots: Vec<Root>,
}

/// The first file of a crate.
#[derive(Debug, Clone)]
pub struct Root {
    pub file: PathBuf,
    /// True for tests, benchmarks and examples, which are not shipped.
    pub is_test: bool,
    /// True for the library or the program itself.
    pub is_product: bool,
}

/// The folder of this repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The packages of this repository.
pub fn read() -> &'static Workspace {
    static WORKSPACE: LazyLock<Workspace> = LazyLock::new(ask_cargo);
    &WORKSPACE
}

fn ask_cargo() -> Workspace {
    let options = ["--locked", "--filter-platform", PLATFORM];
    let metadata = MetadataCommand::new()
        .manifest_path(repository().join("Cargo.toml"))
        .other_options(options.map(str::to_owned))
        .exec()
        .unwrap();
    let packages = metadata.workspace_packages().into_iter().map(|package| {
        let direct = package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind == DependencyKind::Normal)
            .map(|dependency| dependency.name.clone())
            .collect();
        let roots = package.targets.iter().map(|target| Root {
            file: target.src_path.clone().into_std_path_buf(),
            is_test: target.kind.iter().any(|kind| {
                matches!(
                    kind,
                    TargetKind::Test | TargetKind::Bench | TargetKind::Example | TargetKind::CustomBuild
                )
            }),
            is_product: target
                .kind
                .iter()
                .any(|kind| matches!(kind, TargetKind::Lib | TargetKind::Bin)),
        });
        let folder = package.manifest_path.parent().unwrap();
        let package_read = Package {
            folder: folder.to_owned().into_std_path_buf(),
            direct,
            closure: closure(&metadata, &package.id),
            roots: roots.collect(),
        };
        (package.name.to_string(), package_read)
    });
    Workspace {
        packages: packages.collect(),
    }
}

/// Everything that normal dependencies lead to, nearest first.
fn closure(metadata: &Metadata, start: &PackageId) -> BTreeMap<String, Vec<String>> {
    let nodes: BTreeMap<&PackageId, _> = metadata
        .resolve
        .iter()
        .flat_map(|resolve| &resolve.nodes)
        .map(|node| (&node.id, node))
        .collect();
    let mut ways = BTreeMap::new();
    let mut seen: BTreeSet<&PackageId> = BTreeSet::from([start]);
    let mut queue = VecDeque::from([(start, Vec::new())]);
    while let Some((id, way)) = queue.pop_front() {
        for dependency in &nodes[id].deps {
            let is_normal = dependency
                .dep_kinds
                .iter()
                .any(|kind| kind.kind == DependencyKind::Normal);
            if is_normal && seen.insert(&dependency.pkg) {
                let name = metadata[&dependency.pkg].name.to_string();
                let mut way = way.clone();
                way.push(name.clone());
                ways.entry(name).or_insert_with(|| way.clone());
                queue.push_back((&dependency.pkg, way));
            }
        }
    }
    ways
}
