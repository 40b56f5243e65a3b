//! Statuses of our resources: each computed whole from one state, so that its conditions can never contradict.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::condition::{Condition, Wanted, merge};

pub mod book;
pub mod cluster_inventory;
pub mod inventory;
pub mod preview;
pub mod profile;
pub mod sink;
pub mod target;

#[cfg(test)]
mod tests;

/// A status before it is merged with what is stored.
#[derive(Debug, Clone)]
pub struct Status<F> {
    /// All conditions that the object should have.
    pub conditions: Vec<Wanted>,
    /// Everything else.
    pub fields: F,
}

impl<F: Serialize> Status<F> {
    /// The complete status object, as the API server should store it.
    ///
    /// Transition times are taken from `previous` where a condition's status did not change.
    pub fn render(self, previous: &[Condition], generation: i64, now: Timestamp) -> Value {
        let conditions = merge(previous, self.conditions, generation, now);
        // Our own types serialise to JSON objects without fail; an empty status would be the harmless outcome.
        let mut status = match serde_json::to_value(&self.fields) {
            Ok(Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        status.insert(
            "conditions".into(),
            serde_json::to_value(conditions).unwrap_or_default(),
        );
        status.insert("observedGeneration".into(), generation.into());
        Value::Object(status)
    }
}
