//! What each namespace contributes to a cluster inventory, for its status.
//!
//! Counting and hashing rows costs work for each row, so it is done for namespaces whose rows changed only, which their
//! sums tell, and at most once a minute.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::Engine;
use crate::aggregate::sums::Sum;
use crate::aggregate::view::View;
use crate::ids::InventoryKey;
use crate::row::{Row, fingerprint};

/// Least time between two looks at the rows of one inventory.
const INTERVAL: Duration = Duration::from_mins(1);

/// What one namespace contributed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shard {
    /// Namespace.
    pub namespace: String,
    /// Rows that are shown.
    pub item_count: u64,
    /// Targets that they are of.
    pub target_count: usize,
    /// SHA-256 over the canonical JSON array of the rows, lower-case hexadecimal.
    pub checksum: String,
}

/// The rows of each selected target in one namespace.
type Content = Vec<(Arc<str>, Sum)>;

/// The contributions of all namespaces, as of the last look.
#[derive(Debug, Default)]
pub struct Rollup {
    shards: BTreeMap<String, (Content, Shard)>,
    view: View,
    looked: Option<Duration>,
}

impl Rollup {
    /// Looks at what changed, if the last look is long enough ago. Returns when to look again, if something changed
    /// since.
    pub fn refresh(
        &mut self,
        engine: &Engine,
        inventory: &InventoryKey,
        view: &View,
        now: Duration,
    ) -> Option<Duration> {
        let contents = engine.contents(inventory, view);
        let is_current = self.view == *view
            && contents.len() == self.shards.len()
            && contents
                .iter()
                .all(|(namespace, content)| self.knows(namespace, content));
        if is_current {
            return None;
        }
        let due = self.looked.map_or(now, |looked| looked + INTERVAL);
        if now < due && self.view == *view {
            return Some(due);
        }
        let mut rows = engine.rows_shown(inventory, view, |namespace| {
            let content = contents.get(namespace);
            self.view.dedupe != view.dedupe || !content.is_some_and(|content| self.knows(namespace, content))
        });
        let mut before = std::mem::take(&mut self.shards);
        for (namespace, content) in contents {
            let shard = match (rows.remove(namespace), before.remove(namespace)) {
                (Some(rows), _) => shard(namespace, rows),
                (None, Some((_, shard))) => shard,
                (None, None) => continue,
            };
            self.shards.insert(namespace.to_owned(), (content, shard));
        }
        self.view = view.clone();
        self.looked = Some(now);
        None
    }

    fn knows(&self, namespace: &str, content: &Content) -> bool {
        self.shards.get(namespace).is_some_and(|(known, _)| known == content)
    }

    /// The contributions, ascending by namespace.
    pub fn shards(&self) -> impl Iterator<Item = &Shard> {
        self.shards.values().map(|(_, shard)| shard)
    }
}

fn shard(namespace: &str, mut rows: Vec<&Row>) -> Shard {
    rows.sort_unstable_by(|a, b| a.canonical_cmp(b));
    let mut targets: Vec<&str> = rows.iter().map(|row| row.target_name()).collect();
    targets.dedup();
    Shard {
        namespace: namespace.to_owned(),
        item_count: rows.len() as u64,
        target_count: targets.len(),
        checksum: fingerprint(rows),
    }
}

impl Engine {
    /// How many rows an inventory shows. Where objects are shown once, the count is that of all their rows.
    pub fn rows_of(&self, inventory: &InventoryKey, view: &View) -> u64 {
        let contents = self.contents(inventory, view);
        contents.values().flatten().map(|(_, sum)| sum.rows).sum()
    }

    /// What the targets of an inventory have in each namespace that it shows.
    fn contents(&self, inventory: &InventoryKey, view: &View) -> BTreeMap<&str, Content> {
        let mut contents: BTreeMap<&str, Content> = BTreeMap::new();
        for (key, target) in &self.targets {
            if key.namespace != inventory.namespace || !view.selects(&key.name) {
                continue;
            }
            for (namespace, sum) in target
                .rows()
                .sums()
                .iter()
                .filter(|(namespace, _)| view.admits(namespace))
            {
                contents.entry(namespace).or_default().push((key.name.clone(), sum));
            }
        }
        contents
    }

    /// The rows that an inventory shows of some namespaces.
    fn rows_shown<'a>(
        &'a self,
        inventory: &InventoryKey,
        view: &View,
        wanted: impl Fn(&str) -> bool,
    ) -> BTreeMap<&'a str, Vec<&'a Row>> {
        let selected = self
            .targets
            .iter()
            .filter(|(key, _)| key.namespace == inventory.namespace && view.selects(&key.name));
        let rows = selected
            .flat_map(|(_, target)| target.rows().iter())
            .filter(|row| view.admits(row.target_namespace()) && wanted(row.target_namespace()));
        let mut shown: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        if view.dedupe {
            // Targets come in the order of their names, and the last wins.
            let once: BTreeMap<(&str, &str), &Row> =
                rows.map(|row| ((row.target_namespace(), row.uid()), &**row)).collect();
            for ((namespace, _), row) in once {
                shown.entry(namespace).or_default().push(row);
            }
        } else {
            for row in rows {
                shown.entry(row.target_namespace()).or_default().push(row);
            }
        }
        shown
    }
}
