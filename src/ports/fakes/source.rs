//! Objects from a script.

use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::channel::mpsc;
use futures::stream::{BoxStream, StreamExt as _};

use crate::source::{ObjectSource, SourceEvent, WatchRequest};

/// Steps that a stream takes without anybody reading it; tests send far fewer.
const STEPS: usize = 1_024;

/// A source whose streams show what the test says.
#[derive(Debug, Default)]
pub struct FakeSource {
    opened: Mutex<Vec<(WatchRequest, mpsc::Sender<SourceEvent>)>>,
}

impl FakeSource {
    fn streams(&self) -> MutexGuard<'_, Vec<(WatchRequest, mpsc::Sender<SourceEvent>)>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many streams were opened so far.
    pub fn opened(&self) -> usize {
        self.streams().len()
    }

    /// Shows a step on the stream that was opened last; false if there is none or nobody reads it any more.
    pub fn show(&self, event: SourceEvent) -> bool {
        self.streams()
            .last_mut()
            .is_some_and(|(_, stream)| stream.try_send(event).is_ok())
    }
}

impl ObjectSource for FakeSource {
    fn open(&self, request: WatchRequest) -> BoxStream<'static, SourceEvent> {
        let (sender, receiver) = mpsc::channel(STEPS);
        self.streams().push((request, sender));
        receiver.boxed()
    }
}
