//! A family of gauges whose series are told all at once: what is not told again ends.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{Atomic, Gauge};

/// Gauges by their labels.
pub(super) struct Replaced<L, N, A> {
    family: Family<L, Gauge<N, A>>,
    shown: Mutex<HashSet<L>>,
}

impl<L: fmt::Debug, N, A> fmt::Debug for Replaced<L, N, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replaced")
            .field("shown", &self.shown)
            .finish_non_exhaustive()
    }
}

impl<L, N, A> Default for Replaced<L, N, A>
where
    L: Clone + Hash + Eq,
    Gauge<N, A>: Default,
{
    fn default() -> Self {
        Self {
            family: Family::default(),
            shown: Mutex::default(),
        }
    }
}

impl<L, N, A> Replaced<L, N, A>
where
    L: Clone + Hash + Eq,
    A: Atomic<N>,
    Gauge<N, A>: Default,
{
    /// The family, for the registry.
    pub(super) fn family(&self) -> Family<L, Gauge<N, A>> {
        self.family.clone()
    }

    /// Shows these series, and no others.
    pub(super) fn replace(&self, levels: impl IntoIterator<Item = (L, N)>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let mut gone = std::mem::take(&mut *shown);
        for (labels, level) in levels {
            self.family.get_or_create(&labels).set(level);
            gone.remove(&labels);
            shown.insert(labels);
        }
        for labels in gone {
            self.family.remove(&labels);
        }
    }
}
