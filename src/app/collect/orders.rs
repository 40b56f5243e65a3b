//! What a watch is asked to do besides watching. Orders that come before it looks are one.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// Orders for one watch.
#[derive(Debug, Default)]
pub(super) struct Orders {
    pending: Mutex<Order>,
    given: Notify,
}

/// What is to be done.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    /// List everything again after this time.
    pub(super) relist: Option<Duration>,
    /// Judge all objects of these namespaces again.
    pub(super) review: BTreeSet<Arc<str>>,
}

impl Orders {
    /// Asks for another list, after a pause.
    pub(super) fn relist(&self, pause: Duration) {
        let mut pending = self.pending();
        pending.relist = Some(pending.relist.map_or(pause, |earlier| earlier.min(pause)));
        self.given.notify_one();
    }

    /// Asks for another look at all objects of some namespaces.
    pub(super) fn review(&self, namespaces: &BTreeSet<Arc<str>>) {
        self.pending().review.extend(namespaces.iter().cloned());
        self.given.notify_one();
    }

    /// What was asked for since the last call; waits until there is something.
    pub(super) async fn next(&self) -> Order {
        loop {
            self.given.notified().await;
            let order = std::mem::take(&mut *self.pending());
            if order != Order::default() {
                return order;
            }
        }
    }

    fn pending(&self) -> MutexGuard<'_, Order> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
