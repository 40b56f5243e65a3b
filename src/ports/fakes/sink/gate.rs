//! Makes calls wait until a test lets them go.

use std::sync::{Arc, Mutex, PoisonError};

use futures::channel::oneshot;

#[derive(Debug, Default)]
pub(super) struct Gate {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    holds: usize,
    waiting: Vec<oneshot::Sender<()>>,
}

/// While this exists, calls wait; they go on when it is dropped.
#[derive(Debug)]
#[must_use = "calls wait only while this exists"]
pub struct Hold {
    gate: Arc<Gate>,
}

impl Gate {
    pub(super) fn hold(self: &Arc<Self>) -> Hold {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).holds += 1;
        Hold { gate: self.clone() }
    }

    /// Ends at once while nobody holds, else when the last hold ends.
    pub(super) async fn pass(&self) {
        loop {
            let released = {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                if state.holds == 0 {
                    return;
                }
                let (sender, receiver) = oneshot::channel();
                state.waiting.push(sender);
                receiver
            };
            // A sender that was dropped means the same as one that was used.
            let _ = released.await;
        }
    }

    /// Calls that wait at present.
    pub(super) fn waiting(&self) -> usize {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.iter().filter(|sender| !sender.is_canceled()).count()
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut state = self.gate.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.holds -= 1;
        if state.holds == 0 {
            // Dropping the senders wakes everyone.
            state.waiting.clear();
        }
    }
}
