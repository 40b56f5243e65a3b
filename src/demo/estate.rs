//! The sample estate: three clusters of a web shop that does not exist.
//!
//! Nothing comes from outside, no clock and no chance, so every call gives the same objects. The clusters differ as
//! real ones do: `staging` runs the next release and `prod-us` the previous one, and in each of them something is
//! broken.

mod batch;
mod custom;
mod infrastructure;
mod moment;
mod network;
mod object;
mod platform;
mod replicated;
mod settings;
mod template;
mod yaml;

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use object::Object;

/// A cluster of the estate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cluster {
    /// Where most customers are.
    ProdEu,
    /// One release behind.
    ProdUs,
    /// One release ahead.
    Staging,
}

impl Cluster {
    /// All clusters.
    pub const ALL: [Self; 3] = [Self::ProdEu, Self::ProdUs, Self::Staging];

    /// The cluster's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::ProdEu => "prod-eu",
            Self::ProdUs => "prod-us",
            Self::Staging => "staging",
        }
    }

    /// What the file with the cluster's objects is called.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::ProdEu => "prod-eu.json",
            Self::ProdUs => "prod-us.yaml",
            Self::Staging => "staging.yaml",
        }
    }
}

/// All objects of a cluster as text.
///
/// **Shape**: as `kubectl get` prints them, so that a demo shows every way of reading: one JSON `List` for `prod-eu`,
/// many YAML documents for `prod-us`, one YAML `List` for `staging`.
pub fn manifests(cluster: Cluster) -> String {
    let objects = objects(cluster).into_iter().map(Object::into_json);
    let mut text = String::new();
    match cluster {
        Cluster::ProdEu => return format!("{:#}\n", list(objects)),
        Cluster::ProdUs => objects.for_each(|object| yaml::write(&object, &mut text)),
        Cluster::Staging => yaml::write(&list(objects), &mut text),
    }
    text
}

fn list(objects: impl Iterator<Item = Value>) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "List",
        "metadata": {"resourceVersion": ""},
        "items": objects.collect::<Vec<_>>(),
    })
}

fn objects(cluster: Cluster) -> Vec<Object> {
    let mut objects = infrastructure::objects(cluster);
    objects.extend(settings::objects(cluster));
    objects.extend(replicated::objects(cluster));
    objects.extend(batch::objects(cluster));
    objects.extend(network::objects(cluster));
    objects.extend(custom::objects(cluster));
    objects
}
