//! Objects of any kind, listed and watched on the API server.
//!
//! Nothing is kept: an object is decoded once, straight from the text that arrives and only as far as somebody reads
//! it, and handed on. What a source holds is one connection, the text in flight and one batch.
//!
//! **Source**: Kubernetes API concepts, "Efficient detection of changes".

use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use kollect_domain::ids::{Gvk, WatchScope};
use kollect_ports::source::{ObjectSource, SourceEvent, WatchRequest};
use kube::Client;
use tokio::sync::Semaphore;

mod access;
mod chunks;
mod decoder;
mod event;
mod failure;
mod lines;
mod list;
mod machine;
mod object;
mod page_size;
mod skipped;
mod target;
mod watch;

use decoder::{Masked, ObjectDecoder};
use machine::{Machine, Wanted};
use page_size::PageSize;
use target::Target;

use super::discovery::resolve;

/// Lists that may run at the same time by default: enough to keep a server busy, few enough to leave it room.
const DEFAULT_LISTS: usize = 4;

/// The API server as a source of objects.
#[derive(Clone)]
pub struct KubeObjectSource {
    client: Client,
    turns: Arc<Semaphore>,
}

impl KubeObjectSource {
    /// A source that runs at most four lists at the same time.
    pub fn new(client: Client) -> Self {
        Self::with_concurrent_lists(client, DEFAULT_LISTS)
    }

    /// A source that runs at most `lists` lists at the same time, at least one.
    pub fn with_concurrent_lists(client: Client, lists: usize) -> Self {
        Self {
            client,
            turns: Arc::new(Semaphore::new(lists.max(1))),
        }
    }
}

impl std::fmt::Debug for KubeObjectSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KubeObjectSource")
            .field("free_turns", &self.turns.available_permits())
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl ObjectSource for KubeObjectSource {
    fn open(&self, request: WatchRequest) -> BoxStream<'static, SourceEvent> {
        let wanted = Wanted {
            gvk: request.gvk,
            scope: request.scope,
            label_selector: request.label_selector,
            decoder: Masked::new(&request.mask),
            page_size: PageSize::new(),
        };
        let machine = Machine::new(self.client.clone(), wanted, Arc::clone(&self.turns));
        run(machine).boxed()
    }

    async fn may_read(&self, gvk: &Gvk, scope: &WatchScope) -> bool {
        let Ok(served) = resolve(&self.client, gvk).await else {
            return false;
        };
        let Ok(target) = Target::new(&served, scope, None) else {
            return false;
        };
        access::is_allowed(&self.client, &target).await.unwrap_or(false)
    }
}

fn run<D: ObjectDecoder>(machine: Machine<D>) -> impl futures::Stream<Item = SourceEvent> + Send {
    stream::unfold(machine, async |mut machine| {
        let event = machine.next().await;
        Some((event, machine))
    })
}

#[cfg(test)]
mod tests;
