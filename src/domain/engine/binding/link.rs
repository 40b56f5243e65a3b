//! What a binding knows about one target.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::aggregate::difference::{Difference, Held, Step};
use crate::aggregate::rows::Current;
use crate::aggregate::view::Shown;
use crate::engine::target::Target;

/// What a binding knows about one target.
#[derive(Debug, Default)]
pub(super) struct Link {
    pub(super) state: LinkState,
    pub(super) difference: Difference,
    /// How many lists of the target were finished when reading back showed a suspicious loss.
    pub(super) doubted_after: Option<u64>,
    /// Whether the sink received the target's rows when that was looked at last.
    pub(super) was_ready: bool,
    /// Whether the sink ever received them, so that it may hold some now.
    pub(super) exported: bool,
    /// Keys whose rows policy took away, until the sink acknowledged that they are gone.
    pub(super) expelled: BTreeSet<Arc<str>>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkState {
    /// It is not known what the sink holds.
    #[default]
    Unread,
    /// It is being read back.
    Reading,
    /// The difference says all.
    Live,
}

impl Link {
    /// What the sink holds is to be read anew.
    pub(super) fn reset(&mut self) {
        *self = Self {
            exported: self.exported,
            ..Self::default()
        };
    }

    /// Whether the sink receives the target's rows.
    pub(super) fn is_ready(&self, target: &Target) -> bool {
        self.state == LinkState::Live && target.is_deliverable()
    }

    /// Whether it will soon, as far as is known.
    pub(super) fn is_awaited(&self, target: &Target) -> bool {
        !self.is_ready(target) && target.held().is_none() && target.fault().is_none()
    }

    /// Whether something is to be delivered.
    pub(super) fn has_work(&self, target: &Target) -> bool {
        let expels = self.state == LinkState::Live && !self.expelled.is_empty();
        (self.is_ready(target) && !self.difference.is_empty()) || expels
    }

    /// What is to be delivered; of a target that is not listed yet, only that what policy took away goes.
    pub(super) fn take(&mut self, target: &Target, shown: &Shown<'_, '_>) -> Vec<(Arc<str>, Step)> {
        let expelled = std::mem::take(&mut self.expelled);
        if self.is_ready(target) {
            self.difference.take(shown)
        } else {
            self.difference.take_gone(&expelled, shown)
        }
    }

    /// A row of the target must be compared again, if it has one.
    pub(super) fn recheck(&mut self, target: &Target, uid: &Arc<str>) {
        if self.state != LinkState::Unread && target.rows().current(uid) != Current::Absent {
            self.difference.changed(uid, Held::Unknown);
        }
    }
}
