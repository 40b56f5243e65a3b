//! Removes what a path selects.

use std::collections::HashSet;
use std::ptr;

use serde_json::Value;

use super::{JsonPath, TooExpensive};

/// What to remove of a value.
#[derive(Debug)]
enum Cut {
    /// All of it.
    Whole,
    /// Parts of some members.
    Members(Vec<(String, Cut)>),
    /// Parts of some elements, by ascending position.
    Items(Vec<(usize, Cut)>),
}

impl JsonPath {
    /// Removes the nodes that [`Self::select`] finds, members as well as elements. The value itself cannot be removed.
    ///
    /// # Errors
    /// As [`Self::select`]; the value is unchanged then.
    pub fn remove_from(&self, value: &mut Value) -> Result<(), TooExpensive> {
        // A node is known by its address: nothing moves while places are looked for.
        let found = self.select(value)?;
        let found: HashSet<*const Value> = found.values().iter().copied().map(ptr::from_ref).collect();
        if found.is_empty() {
            return Ok(());
        }
        if let Some(cut) = below(value, &found) {
            cut.apply(value);
        }
        Ok(())
    }
}

fn below(value: &Value, found: &HashSet<*const Value>) -> Option<Cut> {
    let cut = |child: &Value| {
        if found.contains(&ptr::from_ref(child)) {
            Some(Cut::Whole)
        } else {
            below(child, found)
        }
    };
    match value {
        Value::Array(items) => {
            let cuts = items.iter().enumerate();
            let cuts: Vec<_> = cuts.filter_map(|(at, item)| Some((at, cut(item)?))).collect();
            (!cuts.is_empty()).then_some(Cut::Items(cuts))
        }
        Value::Object(members) => {
            let cuts = members.iter();
            let cuts: Vec<_> = cuts
                .filter_map(|(name, member)| Some((name.clone(), cut(member)?)))
                .collect();
            (!cuts.is_empty()).then_some(Cut::Members(cuts))
        }
        _ => None,
    }
}

impl Cut {
    fn apply(self, value: &mut Value) {
        match (self, value) {
            (Self::Members(cuts), Value::Object(members)) => {
                for (name, cut) in cuts {
                    if matches!(cut, Self::Whole) {
                        members.remove(&name);
                    } else if let Some(member) = members.get_mut(&name) {
                        cut.apply(member);
                    }
                }
            }
            (Self::Items(cuts), Value::Array(items)) => {
                let mut cuts = cuts.into_iter().peekable();
                let mut at = 0;
                items.retain_mut(|item| {
                    let cut = cuts.next_if(|(position, _)| *position == at);
                    at += 1;
                    match cut {
                        Some((_, Self::Whole)) => false,
                        Some((_, cut)) => {
                            cut.apply(item);
                            true
                        }
                        None => true,
                    }
                });
            }
            _ => {}
        }
    }
}
