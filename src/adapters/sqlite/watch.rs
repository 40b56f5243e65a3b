//! Ends what `SQLite` is doing when nobody waits for it any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rusqlite::Connection;

/// Steps of `SQLite`'s machine between two looks at the watch: some tens of microseconds.
const STEPS: i32 = 2_000;

/// The time limit of one piece of work, and whether it was given up before.
#[derive(Debug)]
pub(super) struct Watch {
    until: Instant,
    cancelled: AtomicBool,
}

/// Cancels the work when it is dropped: a caller that goes away stops what it asked for.
#[derive(Debug)]
pub(super) struct CancelOnDrop(Arc<Watch>);

impl Watch {
    /// A limit.
    pub(super) fn until(until: Instant) -> Arc<Self> {
        Arc::new(Self {
            until,
            cancelled: AtomicBool::new(false),
        })
    }

    /// Ties the work to a caller.
    pub(super) fn cancel_on_drop(self: &Arc<Self>) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }

    /// Whether the work has to end.
    pub(super) fn is_over(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || Instant::now() >= self.until
    }

    /// Lets statements of the connection run under this limit only.
    pub(super) fn start(self: &Arc<Self>, connection: &mut Connection) -> rusqlite::Result<()> {
        let watch = self.clone();
        connection.progress_handler(STEPS, Some(move || watch.is_over()))
    }

    /// Lets statements of the connection run without a limit again.
    pub(super) fn stop(connection: &mut Connection) -> rusqlite::Result<()> {
        connection.progress_handler(STEPS, None::<fn() -> bool>)
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }
}
