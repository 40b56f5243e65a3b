//! What is seen while objects are judged.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use kollect_domain::aggregate::rows::Outcome;
use kollect_domain::ids::TargetKey;
use kollect_domain::plan::registration::Registration;
use kollect_domain::profile::ExtractionError;
use kollect_ports::source::{ObjectEvent, ObservedObject};
use kollect_ports::witness::Witness;

/// Everything that was seen, by target.
#[derive(Debug, Default)]
pub struct Findings(Mutex<BTreeMap<TargetKey, Seen>>);

/// What one target saw.
#[derive(Debug, Default)]
pub struct Seen {
    /// Its objects by uid, so that an object that is seen again counts once.
    objects: HashMap<Arc<str>, Judged>,
    /// Namespaces of objects that are not selected.
    pub passed_over: BTreeSet<Arc<str>>,
}

/// What became of one object.
#[derive(Debug)]
enum Judged {
    Unselected,
    /// A row, and what was left out of it for a fault.
    Row(Option<Faulty>),
    NoRow(Faulty),
}

/// An object with faults.
#[derive(Debug)]
pub struct Faulty {
    /// Namespace and name, or the uid of an object that could not be decoded.
    pub object: String,
    /// Each with the attribute's name, if it is one's.
    pub faults: Vec<(Option<String>, String)>,
}

/// How many objects became what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Objects of the kind.
    pub seen: u64,
    /// Those that the target selects.
    pub selected: u64,
    /// Those that have no row although they are selected.
    pub failed: u64,
}

impl Findings {
    /// Takes what a target saw.
    pub fn take(&self, target: &TargetKey) -> Seen {
        let mut targets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        targets.remove(target).unwrap_or_default()
    }
}

impl Seen {
    /// How many objects became what.
    pub fn counts(&self) -> Counts {
        self.objects.values().fold(Counts::default(), |counts, judged| Counts {
            seen: counts.seen + 1,
            selected: counts.selected + u64::from(!matches!(judged, Judged::Unselected)),
            failed: counts.failed + u64::from(matches!(judged, Judged::NoRow(_))),
        })
    }

    /// All objects with faults, by namespace and name; true for those that have a row all the same.
    pub fn faulty(&self) -> Vec<(bool, &Faulty)> {
        let mut faulty: Vec<(bool, &Faulty)> = self
            .objects
            .values()
            .filter_map(|judged| match judged {
                Judged::Row(Some(faulty)) => Some((true, faulty)),
                Judged::NoRow(faulty) => Some((false, faulty)),
                Judged::Unselected | Judged::Row(None) => None,
            })
            .collect();
        faulty.sort_by(|(_, a), (_, b)| a.object.cmp(&b.object));
        faulty
    }
}

impl Witness for Findings {
    fn judged(&self, target: &Registration, objects: &[ObjectEvent], outcomes: &[(Arc<str>, Outcome)]) {
        let mut targets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = targets.entry(target.target.clone()).or_default();
        for (event, (uid, outcome)) in objects.iter().zip(outcomes) {
            let judged = match (event, outcome) {
                (_, Outcome::Gone) => {
                    seen.objects.remove(uid);
                    continue;
                }
                (ObjectEvent::Seen(object), Outcome::NoMatch) => {
                    seen.passed_over.insert(object.namespace.clone());
                    Judged::Unselected
                }
                (ObjectEvent::Seen(object), Outcome::Row(_)) => Judged::Row(faulty(target, object)),
                (ObjectEvent::Seen(object), Outcome::Failed(message)) => {
                    let without_attribute = || unattributed(name(object), message.clone());
                    Judged::NoRow(faulty(target, object).unwrap_or_else(without_attribute))
                }
                // Whether it is selected is not known, which is worth as much attention as a row that is missing.
                (ObjectEvent::Seen(object), Outcome::Unjudged(message)) => {
                    Judged::NoRow(unattributed(name(object), message.clone()))
                }
                (_, Outcome::Failed(message) | Outcome::Unjudged(message)) => {
                    Judged::NoRow(unattributed(uid.to_string(), format!("cannot be decoded: {message}")))
                }
                (_, Outcome::NoMatch | Outcome::Row(_)) => continue,
            };
            seen.objects.insert(uid.clone(), judged);
        }
    }
}

fn faulty(target: &Registration, object: &ObservedObject) -> Option<Faulty> {
    let faults: Vec<_> = target
        .profile
        .faults(&object.value)
        .into_iter()
        .map(|error| match error {
            ExtractionError::Attribute { name, fault } => (Some(name), fault.to_string()),
            other => (None, other.to_string()),
        })
        .collect();
    (!faults.is_empty()).then(|| Faulty {
        object: name(object),
        faults,
    })
}

fn unattributed(object: String, message: String) -> Faulty {
    Faulty {
        object,
        faults: vec![(None, message)],
    }
}

fn name(object: &ObservedObject) -> String {
    match &*object.namespace {
        "" => object.name.to_string(),
        namespace => format!("{namespace}/{}", object.name),
    }
}
