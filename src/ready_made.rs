//! Ready-made profiles: for the kinds that people ask about most, what they ask about.
//!
//! Each is a complete `KollectProfile` that a cluster takes as it is. What an object may lack is optional, so no
//! object of a kind fails. Of Secrets nothing but metadata and type is read.

use std::fmt;

#[cfg(test)]
mod tests;

/// A profile for one kind.
#[derive(Debug, PartialEq, Eq)]
pub struct ReadyMade {
    group: &'static str,
    version: &'static str,
    plural: &'static str,
    singular: &'static str,
    short_names: &'static [&'static str],
    yaml: &'static str,
}

impl ReadyMade {
    /// Plural and group, such as `deployments.apps`; the plural alone for the core group.
    pub fn resource(&self) -> String {
        match self.group {
            "" => self.plural.to_owned(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// What the profile tells about objects, as one sentence.
    pub fn summary(&self) -> &'static str {
        // Each file starts with it, so that it cannot differ from what its readers see.
        let first_line = self.yaml.lines().next().unwrap_or_default();
        first_line.trim_start_matches(['#', ' '])
    }

    /// The `KollectProfile`, one YAML document.
    pub fn yaml(&self) -> &'static str {
        self.yaml
    }

    /// Whether `kubectl` would take a name, in lower case, for this kind.
    fn answers_to(&self, name: &str) -> bool {
        let (resource, qualifier) = name.split_once('.').unwrap_or((name, ""));
        self.names().any(|own| own == resource) && self.is_qualified_by(qualifier)
    }

    /// Nothing, the group, the version, or both. The core group has no name, so that `pods.v1.` ends with a dot.
    fn is_qualified_by(&self, qualifier: &str) -> bool {
        let after_version = qualifier.strip_prefix(self.version);
        qualifier.is_empty()
            || qualifier == self.group
            || after_version.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.') == Some(self.group))
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.plural, self.singular]
            .into_iter()
            .chain(self.short_names.iter().copied())
    }
}

/// The plural with its group, the short names, and what the profile tells.
impl fmt::Display for ReadyMade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.resource())?;
        if !self.short_names.is_empty() {
            write!(f, " ({})", self.short_names.join(", "))?;
        }
        write!(f, ": {}", self.summary())
    }
}

macro_rules! ready_made {
    ($plural:literal, $singular:literal, $short_names:expr, $group:literal, $version:literal) => {
        ReadyMade {
            group: $group,
            version: $version,
            plural: $plural,
            singular: $singular,
            short_names: &$short_names,
            yaml: include_str!(concat!("ready_made/", $plural, ".yaml")),
        }
    };
}

const ALL: [ReadyMade; 22] = [
    ready_made!("deployments", "deployment", ["deploy"], "apps", "v1"),
    ready_made!("statefulsets", "statefulset", ["sts"], "apps", "v1"),
    ready_made!("daemonsets", "daemonset", ["ds"], "apps", "v1"),
    ready_made!("replicasets", "replicaset", ["rs"], "apps", "v1"),
    ready_made!("pods", "pod", ["po"], "", "v1"),
    ready_made!("jobs", "job", [], "batch", "v1"),
    ready_made!("cronjobs", "cronjob", ["cj"], "batch", "v1"),
    ready_made!("services", "service", ["svc"], "", "v1"),
    ready_made!("ingresses", "ingress", ["ing"], "networking.k8s.io", "v1"),
    ready_made!(
        "networkpolicies",
        "networkpolicy",
        ["netpol"],
        "networking.k8s.io",
        "v1"
    ),
    ready_made!("configmaps", "configmap", ["cm"], "", "v1"),
    ready_made!("secrets", "secret", [], "", "v1"),
    ready_made!("serviceaccounts", "serviceaccount", ["sa"], "", "v1"),
    ready_made!("namespaces", "namespace", ["ns"], "", "v1"),
    ready_made!("nodes", "node", ["no"], "", "v1"),
    ready_made!("persistentvolumes", "persistentvolume", ["pv"], "", "v1"),
    ready_made!("persistentvolumeclaims", "persistentvolumeclaim", ["pvc"], "", "v1"),
    ready_made!("storageclasses", "storageclass", ["sc"], "storage.k8s.io", "v1"),
    ready_made!(
        "horizontalpodautoscalers",
        "horizontalpodautoscaler",
        ["hpa"],
        "autoscaling",
        "v2"
    ),
    ready_made!(
        "customresourcedefinitions",
        "customresourcedefinition",
        ["crd", "crds"],
        "apiextensions.k8s.io",
        "v1"
    ),
    ready_made!("rolebindings", "rolebinding", [], "rbac.authorization.k8s.io", "v1"),
    ready_made!(
        "clusterrolebindings",
        "clusterrolebinding",
        [],
        "rbac.authorization.k8s.io",
        "v1"
    ),
];

/// All ready-made profiles; what workloads are made of comes first.
pub fn all() -> &'static [ReadyMade] {
    &ALL
}

/// The profile for a kind under any name that `kubectl` takes: `deployments.apps`, `deployments.v1.apps`,
/// `deployment`, `deploy`, `Deployment`. Letter case does not matter.
///
/// # Errors
/// [`UnknownKind`] when there is none; it names the kinds that may have been meant.
pub fn profile(kind: &str) -> Result<&'static ReadyMade, UnknownKind> {
    let name = kind.trim().to_lowercase();
    all()
        .iter()
        .find(|profile| profile.answers_to(&name))
        .ok_or_else(|| UnknownKind::new(kind, &name))
}

/// There is no ready-made profile for a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKind {
    kind: String,
    similar: Vec<String>,
}

impl std::error::Error for UnknownKind {}

impl UnknownKind {
    fn new(kind: &str, name: &str) -> Self {
        let resource = name.split('.').next().unwrap_or_default();
        let is_similar = |profile: &&ReadyMade| profile.names().any(|own| looks_like(resource, own));
        Self {
            kind: kind.to_owned(),
            similar: all().iter().filter(is_similar).map(ReadyMade::resource).collect(),
        }
    }
}

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no ready-made profile for `{}`", self.kind)?;
        match self.similar.as_slice() {
            [] => write!(f, ". ")?,
            similar => write!(f, "; did you mean {}? ", similar.join(" or "))?,
        }
        let kinds: Vec<String> = all().iter().map(ReadyMade::resource).collect();
        write!(
            f,
            "There are profiles for {}; for any other kind write a KollectProfile and name its folder with --config",
            kinds.join(", ")
        )
    }
}

/// Two letters wrong, or a beginning of it; short names are too short for such guesses.
fn looks_like(given: &str, name: &str) -> bool {
    let is_beginning = given.len() >= 3 && name.starts_with(given);
    is_beginning || (name.len() >= 5 && distance(given, name) <= 2)
}

/// How many letters must be inserted, removed or replaced to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (above, letter) in from.chars().enumerate() {
        let mut diagonal = above;
        row[0] = above + 1;
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}
