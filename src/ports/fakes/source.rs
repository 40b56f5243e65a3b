//! Objects from a script.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures::channel::mpsc;
use futures::stream::{BoxStream, StreamExt as _};

use kollect_domain::ids::{Gvk, WatchScope};

use crate::source::{ObjectSource, SourceEvent, WatchRequest};

/// Steps that a stream takes without anybody reading it; tests send far fewer.
const STEPS: usize = 1_024;

/// A source whose streams show what the test says.
#[derive(Debug, Default)]
pub struct FakeSource {
    opened: Mutex<Vec<(WatchRequest, mpsc::Sender<SourceEvent>)>>,
    allowed: Mutex<BTreeSet<(Gvk, WatchScope)>>,
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

    /// Shows a step on the stream of a scope that was opened last.
    pub fn show_in(&self, scope: &WatchScope, event: SourceEvent) -> bool {
        self.streams()
            .iter_mut()
            .rev()
            .find(|(request, _)| request.scope == *scope)
            .is_some_and(|(_, stream)| stream.try_send(event).is_ok())
    }

    /// Scopes of the streams that somebody reads, in the order in which they were opened.
    pub fn reading(&self) -> Vec<WatchScope> {
        let streams = self.streams();
        let read = streams.iter().filter(|(_, stream)| !stream.is_closed());
        read.map(|(request, _)| request.scope.clone()).collect()
    }

    /// Grants the right to read a kind.
    pub fn allow(&self, gvk: Gvk, scope: WatchScope) {
        self.allowed().insert((gvk, scope));
    }

    fn allowed(&self) -> MutexGuard<'_, BTreeSet<(Gvk, WatchScope)>> {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ObjectSource for FakeSource {
    fn open(&self, request: WatchRequest) -> BoxStream<'static, SourceEvent> {
        let (sender, receiver) = mpsc::channel(STEPS);
        self.streams().push((request, sender));
        receiver.boxed()
    }

    async fn may_read(&self, gvk: &Gvk, scope: &WatchScope) -> bool {
        self.allowed().contains(&(gvk.clone(), scope.clone()))
    }
}
