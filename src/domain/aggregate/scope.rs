//! One part of the cluster that a target watches, and how far it is known.

use jiff::Timestamp;

use super::sums::Sum;
use crate::ids::WatchScope;

/// State of one watch scope of a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Scope {
    /// What the scope covers.
    pub covers: WatchScope,
    /// True once a list finished since the registration, so that absence means deletion.
    pub complete: bool,
    /// True once a list showed what it could, without being able to show all: nothing is known of what is absent.
    pub incomplete: bool,
    /// True while a list is under way.
    pub listing: bool,
    /// When the last list finished.
    pub last_list: Option<Timestamp>,
    /// When the last event was applied.
    pub last_event: Option<Timestamp>,
    /// Rows of the scope.
    pub sum: Sum,
    /// Mark of the list that is under way, or of the last one.
    pub(super) mark: u64,
}

impl Scope {
    /// A scope of which nothing was listed yet.
    pub(super) fn new(covers: WatchScope) -> Self {
        Self {
            covers,
            complete: false,
            incomplete: false,
            listing: false,
            last_list: None,
            last_event: None,
            sum: Sum::default(),
            mark: 0,
        }
    }

    /// Nothing that was listed counts any more; rows and times stay.
    pub(super) fn doubt(&mut self) {
        self.complete = false;
        self.incomplete = false;
        self.listing = false;
        self.mark = 0;
    }
}
