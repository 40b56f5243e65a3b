//! What readers of an exported inventory ask and what they are told.
//!
//! A reader sees what a sink holds, under a [`View`]: a moment, and the part of the estate that the reader may see. The
//! view is part of every question, so that a filter on access holds for counts and lists alike.

mod cursor;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use crate::ids::{InventoryKey, RowKey};

pub use cursor::{Cursor, InvalidCursor};

/// The moment and the part of the estate that a question is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    /// The moment; `None` = now.
    pub at: Option<Timestamp>,
    /// What the reader may see.
    pub visibility: Visibility,
}

/// The part of the estate that a reader may see.
///
/// **Shape**: `None` = all; a row is visible when its cluster label and the namespace of its object both are. Objects
/// of the cluster have the namespace `""`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Visibility {
    /// Cluster labels.
    pub clusters: Option<BTreeSet<String>>,
    /// Namespaces of objects.
    pub namespaces: Option<BTreeSet<String>>,
}

/// An inventory of one cluster, as it is filed in a database.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InventoryId {
    /// Cluster label, often empty.
    pub cluster: Arc<str>,
    /// Namespace and name of the inventory.
    pub inventory: InventoryKey,
}

/// A kind without its version: the rows of all versions belong together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKind {
    /// API group, empty for the core group.
    pub group: Arc<str>,
    /// Kind.
    pub kind: Arc<str>,
}

/// What there is of one inventory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InventorySummary {
    /// The inventory.
    pub id: InventoryId,
    /// Visible rows of each kind, ascending by kind.
    pub kinds: Vec<(GroupKind, u64)>,
    /// When a row was last written; `None` without rows.
    pub exported_at: Option<Timestamp>,
}

/// What rows are sorted by; equal values are sorted by row key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortBy {
    /// Namespace of the object, then its name.
    #[default]
    Namespace,
    /// Name of the object, then its namespace.
    Name,
    /// Kind, then namespace and name of the object.
    Kind,
    /// When the row was last written.
    ExportedAt,
}

/// The order of rows. Text is compared bytewise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Order {
    /// What decides.
    pub by: SortBy,
    /// True = greatest first, the row key included.
    pub descending: bool,
}

/// Which rows are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// The inventory.
    pub inventory: InventoryId,
    /// Only rows of this kind.
    pub kind: Option<GroupKind>,
    /// Only rows in which this text occurs, in the name, the namespace or an attribute, whatever the case of ASCII
    /// letters; blank = all.
    pub text: String,
    /// Their order.
    pub order: Order,
    /// Only rows after this place; one that was made for another order is refused.
    pub after: Option<Cursor>,
    /// Most rows to give, at least 1; a reader may give fewer although more follow.
    pub limit: u32,
}

/// Some rows, in the order that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The rows.
    pub rows: Vec<StoredRow>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<Cursor>,
}

/// A row as a database holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRow {
    /// The inventory.
    pub inventory: InventoryId,
    /// Target and uid.
    pub key: RowKey,
    /// The exported item; an object with `namespace`, `name`, `kind`, `attributes` and so on, unless another program
    /// wrote something else.
    pub payload: serde_json::Value,
    /// When the row was last written.
    pub exported_at: Timestamp,
}

/// How current the rows of one target, kind and watch scope are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeState {
    /// Target.
    pub target: Arc<str>,
    /// `group/version/Kind`.
    pub kind: String,
    /// Namespace of the scope, empty for the whole cluster.
    pub scope: String,
    /// `Complete`, `Listing`, `Degraded`.
    pub state: String,
    /// Condition reason, empty while all is well.
    pub reason: String,
    /// When the last complete list finished.
    pub last_list: Option<Timestamp>,
    /// When the last event was applied.
    pub last_event: Option<Timestamp>,
    /// All changes up to this time are in the database.
    pub as_of: Option<Timestamp>,
    /// Rows of the scope as its writer counted them, whatever can be seen of them.
    pub rows: u64,
    /// When this state was recorded.
    pub updated_at: Timestamp,
}

impl Visibility {
    /// Everything.
    pub fn all() -> Self {
        Self::default()
    }

    /// Whether rows under this cluster label can be seen.
    pub fn includes_cluster(&self, cluster: &str) -> bool {
        self.clusters.as_ref().is_none_or(|visible| visible.contains(cluster))
    }

    /// Whether rows of objects of this namespace can be seen.
    pub fn includes_namespace(&self, namespace: &str) -> bool {
        self.namespaces
            .as_ref()
            .is_none_or(|visible| visible.contains(namespace))
    }
}

impl SortBy {
    /// How the order is named in addresses and answers.
    pub fn id(self) -> &'static str {
        match self {
            Self::Namespace => "namespace",
            Self::Name => "name",
            Self::Kind => "kind",
            Self::ExportedAt => "exported",
        }
    }

    /// The order of this name.
    pub fn from_id(id: &str) -> Option<Self> {
        [Self::Namespace, Self::Name, Self::Kind, Self::ExportedAt]
            .into_iter()
            .find(|by| by.id() == id)
    }
}
