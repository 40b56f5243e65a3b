//! How current an inventory is, from the states of its watch scopes.

use std::collections::BTreeSet;

use kollect_ports::query::ScopeState;
use serde::Serialize;

use crate::shown::{Count, Moment};

/// Most problems that a page lists.
const MOST_PROBLEMS: usize = 20;

/// How well an inventory, or a part of it, is kept; later ones are worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Health {
    /// All is as the clusters have it.
    Complete,
    /// Nobody said.
    Unknown,
    /// A list is under way.
    Listing,
    /// Something is kept as it was last known.
    Degraded,
}

/// How current an inventory is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Freshness {
    /// The worst of its parts.
    pub health: Health,
    /// When the oldest of the last complete lists finished; `None` unless there is one of every part.
    pub last_list: Option<Moment>,
    /// All changes up to this time are in the rows; `None` unless that is known of every part.
    pub as_of: Option<Moment>,
    /// When a state was last recorded.
    pub recorded_at: Option<Moment>,
    /// Rows of all parts.
    pub rows: Count,
    /// Targets.
    pub targets: Count,
    /// Parts that are not complete, the worst first.
    pub problems: Vec<ScopeHealth>,
    /// Such parts that are not in the list.
    pub more_problems: Count,
}

/// How current one target's rows of one watch scope are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScopeHealth {
    /// Target.
    pub target: String,
    /// `group/version/Kind`.
    pub kind: String,
    /// The namespace that is listed, empty for the whole cluster.
    pub scope: String,
    /// How well it is kept.
    pub health: Health,
    /// As it was recorded.
    pub state: String,
    /// Condition reason, empty while all is well.
    pub reason: String,
    /// When its last complete list finished.
    pub last_list: Option<Moment>,
    /// When its last change was seen.
    pub last_event: Option<Moment>,
    /// All changes up to this time are in the rows.
    pub as_of: Option<Moment>,
    /// When this was recorded.
    pub recorded_at: Moment,
    /// Its rows.
    pub rows: Count,
}

impl Health {
    fn of(state: &str) -> Self {
        match state {
            "Complete" => Self::Complete,
            "Listing" => Self::Listing,
            "Degraded" => Self::Degraded,
            _ => Self::Unknown,
        }
    }

    /// The worst of several; unknown if there are none.
    pub fn worst(parts: impl Iterator<Item = Self>) -> Self {
        parts.max().unwrap_or(Self::Unknown)
    }

    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Complete => "Complete",
            Self::Unknown => "Unknown",
            Self::Listing => "Listing",
            Self::Degraded => "Degraded",
        }
    }

    /// The name of a class of the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Unknown => "unknown",
            Self::Listing => "listing",
            Self::Degraded => "degraded",
        }
    }

    /// What it means for the rows.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Complete => "Every list finished; nothing is known to be missing.",
            Self::Unknown => "No state was recorded; the rows may be of any age.",
            Self::Listing => "A list is under way; rows may be missing until it is complete.",
            Self::Degraded => "Some rows are kept as they were last known.",
        }
    }
}

impl Freshness {
    /// How current an inventory with these states is.
    pub fn new(states: &[ScopeState]) -> Self {
        let mut problems: Vec<ScopeHealth> = states
            .iter()
            .map(ScopeHealth::new)
            .filter(|scope| scope.health != Health::Complete || !scope.reason.is_empty())
            .collect();
        problems.sort_by_key(|scope| std::cmp::Reverse(scope.health));
        let more_problems = problems.len().saturating_sub(MOST_PROBLEMS);
        problems.truncate(MOST_PROBLEMS);
        let targets: BTreeSet<&str> = states.iter().map(|state| &*state.target).collect();
        Self {
            health: Health::worst(states.iter().map(|state| Health::of(&state.state))),
            last_list: oldest(states.iter().map(|state| state.last_list.map(Moment))),
            as_of: oldest(states.iter().map(|state| state.as_of.map(Moment))),
            recorded_at: states.iter().map(|state| Moment(state.updated_at)).max(),
            rows: Count(states.iter().map(|state| state.rows).sum()),
            targets: targets.len().into(),
            problems,
            more_problems: more_problems.into(),
        }
    }
}

/// The oldest of several moments; `None` if one of them is not known, or there are none.
fn oldest(moments: impl Iterator<Item = Option<Moment>>) -> Option<Moment> {
    // `None` is less than every moment.
    moments.min().flatten()
}

impl ScopeHealth {
    /// One recorded state.
    pub fn new(state: &ScopeState) -> Self {
        Self {
            target: state.target.to_string(),
            kind: state.kind.clone(),
            scope: state.scope.clone(),
            health: Health::of(&state.state),
            state: state.state.clone(),
            reason: state.reason.clone(),
            last_list: state.last_list.map(Moment),
            last_event: state.last_event.map(Moment),
            as_of: state.as_of.map(Moment),
            recorded_at: Moment(state.updated_at),
            rows: Count(state.rows),
        }
    }

    /// Where it lists, in words.
    pub fn place(&self) -> String {
        match &*self.scope {
            "" => "whole cluster".to_owned(),
            namespace => format!("namespace {namespace}"),
        }
    }

    /// The reason in words, for those that people meet; empty for others.
    pub fn hint(&self) -> &'static str {
        match &*self.reason {
            "ScopeForbidden" => "The collector may not list and watch this kind; grant it both verbs.",
            "SourceUnavailable" => "The API server does not answer; the rows are the last known ones.",
            "InformerRegistrationFailed" => "The API server does not serve this kind; install its definition.",
            "ExtractionFailed" => "Some objects could not be read by the profile; each keeps its last good row.",
            "MissingProfileRef" | "ProfileNotFound" => "The target's profile is missing; its rows stay as they are.",
            "InvalidTarget" | "InvalidProfile" => "The definition cannot be used as it is written; the rows stay.",
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn state(target: &str, state: &str, last_list: Option<i64>) -> ScopeState {
        ScopeState {
            target: target.into(),
            kind: "apps/v1/Deployment".to_owned(),
            scope: String::new(),
            state: state.to_owned(),
            reason: String::new(),
            last_list: last_list.map(at),
            last_event: None,
            as_of: last_list.map(at),
            rows: 10,
            updated_at: at(1000),
        }
    }

    #[test]
    fn an_inventory_is_as_well_as_its_worst_part() {
        let health = |states: &[&str]| {
            let states: Vec<_> = states.iter().map(|name| state("a", name, None)).collect();
            Freshness::new(&states).health
        };
        assert_eq!(health(&["Complete", "Complete"]), Health::Complete);
        assert_eq!(health(&["Complete", "Listing"]), Health::Listing);
        assert_eq!(health(&["Listing", "Degraded"]), Health::Degraded);
        assert_eq!(health(&["Complete", "Resting"]), Health::Unknown);
        assert_eq!(health(&[]), Health::Unknown);
    }

    #[test]
    fn an_inventory_is_as_old_as_its_oldest_part_and_unknown_while_one_is() {
        let known = Freshness::new(&[state("a", "Complete", Some(7)), state("b", "Complete", Some(5))]);
        assert_eq!(known.last_list, Some(Moment(at(5))));
        assert_eq!((known.rows, known.targets), (Count(20), Count(2)));
        let unknown = Freshness::new(&[state("a", "Complete", Some(7)), state("b", "Listing", None)]);
        assert_eq!((unknown.last_list, unknown.as_of), (None, None));
        assert_eq!(unknown.recorded_at, Some(Moment(at(1000))));
    }

    #[test]
    fn problems_are_bounded_and_the_worst_come_first() {
        let mut states: Vec<_> = (0..30).map(|_| state("a", "Listing", None)).collect();
        states.push(state("b", "Degraded", None));
        let freshness = Freshness::new(&states);
        assert_eq!(freshness.problems.len(), MOST_PROBLEMS);
        assert_eq!(freshness.more_problems, Count(11));
        assert_eq!(freshness.problems[0].target, "b");
    }

    #[test]
    fn a_complete_part_with_a_reason_is_named() {
        let mut noted = state("a", "Complete", Some(7));
        noted.reason = "ExtractionFailed".to_owned();
        let freshness = Freshness::new(&[noted]);
        assert_eq!((freshness.health, freshness.problems.len()), (Health::Complete, 1));
    }
}
