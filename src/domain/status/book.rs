//! When a status is written: at once if its conditions changed, at most every ten seconds if only counters did, and
//! never if nothing did.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

/// Least time between two writes of one status of which only counters, times or texts changed.
const COUNTER_INTERVAL: Duration = Duration::from_secs(10);

/// Members whose change alone is not urgent.
const COUNTERS: &[&str] = &[
    "message",
    "itemCount",
    "extractionFailures",
    "lastExtractionError",
    "lastExportTime",
    "namespaceShardCount",
    "namespaceShards",
];

/// What was written last, per resource.
#[derive(Debug)]
pub struct Book<K> {
    entries: BTreeMap<K, Entry>,
}

#[derive(Debug)]
struct Entry {
    written: Value,
    at: Duration,
}

/// What to do with a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It is stored as it is.
    Keep,
    /// Write it now.
    Write,
    /// Look again at this time.
    Later(Duration),
}

impl<K> Default for Book<K> {
    fn default() -> Self {
        Self {
            entries: BTreeMap::new(),
        }
    }
}

impl<K: Ord> Book<K> {
    /// What to do with a status now.
    pub fn decide(&self, key: &K, status: &Value, now: Duration) -> Decision {
        let Some(entry) = self.entries.get(key) else {
            return Decision::Write;
        };
        if entry.written == *status {
            return Decision::Keep;
        }
        let due = entry.at + COUNTER_INTERVAL;
        if now >= due || skeleton(&entry.written) != skeleton(status) {
            Decision::Write
        } else {
            Decision::Later(due)
        }
    }

    /// A status was written.
    pub fn written(&mut self, key: K, status: Value, now: Duration) {
        self.entries.insert(
            key,
            Entry {
                written: status,
                at: now,
            },
        );
    }

    /// The status that was written last.
    pub fn last(&self, key: &K) -> Option<&Value> {
        self.entries.get(key).map(|entry| &entry.written)
    }

    /// Forgets resources that do not exist any more.
    pub fn retain(&mut self, exists: impl Fn(&K) -> bool) {
        self.entries.retain(|key, _| exists(key));
    }
}

/// A status without what may wait.
fn skeleton(status: &Value) -> Value {
    match status {
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| !COUNTERS.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), skeleton(value)))
            .collect(),
        Value::Array(elements) => elements.iter().map(skeleton).collect(),
        scalar => scalar.clone(),
    }
}
