//! What all pages have around them, and how they name an inventory.

use kollect_ports::query::InventoryId;
use serde::Serialize;

use crate::assets::AssetAddresses;
use crate::names;

/// What all pages have around them.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Name of the site.
    pub site: String,
    /// Version of the program, perhaps empty.
    pub version: String,
    /// Address of the start page.
    pub home: String,
    /// Style, script and icon.
    pub assets: AssetAddresses,
    /// Address of the JSON twin; failures have none.
    pub twin: Option<String>,
}

/// An inventory, by its parts and by the word that addresses have for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InventoryName {
    /// The word.
    pub id: String,
    /// Cluster label, often empty.
    pub cluster: String,
    /// Namespace, empty for inventories of the whole cluster.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl InventoryName {
    /// The name of an inventory.
    pub fn new(id: &InventoryId) -> Self {
        Self {
            id: names::inventory_word(id),
            cluster: id.cluster.to_string(),
            namespace: id.inventory.namespace.to_string(),
            name: id.inventory.name.to_string(),
        }
    }

    /// Namespace and name, without the cluster.
    pub fn local(&self) -> String {
        match &*self.namespace {
            "" => self.name.clone(),
            namespace => format!("{namespace}/{}", self.name),
        }
    }

    /// All parts that there are.
    pub fn full(&self) -> String {
        match &*self.cluster {
            "" => self.local(),
            cluster => format!("{cluster}: {}", self.local()),
        }
    }
}
