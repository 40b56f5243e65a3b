//! Our own resources in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures::channel::mpsc;
use futures::stream::{BoxStream, StreamExt as _};
use kollect_domain::config::Configuration;
use kollect_domain::ids::NamespacedName;
use serde_json::Value;

use crate::error::PortError;
use crate::resources::{ConfigurationSource, FinalizerChange, ResourceKind, ResourceWriter, StatusUpdate};

/// Configurations that wait without anybody reading them; tests send far fewer.
const CONFIGURATIONS: usize = 64;

/// The configuration that the test says, and the statuses that were written.
#[derive(Debug, Default)]
pub struct FakeResources {
    listener: Mutex<Option<mpsc::Sender<Arc<Configuration>>>>,
    statuses: Mutex<BTreeMap<(ResourceKind, NamespacedName), Value>>,
    finalizers: Mutex<Vec<FinalizerChange>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FakeResources {
    /// Hands a configuration to whoever watches; false if nobody does.
    pub fn configure(&self, configuration: Configuration) -> bool {
        locked(&self.listener)
            .as_mut()
            .is_some_and(|listener| listener.try_send(Arc::new(configuration)).is_ok())
    }

    /// The status that was written last.
    pub fn status(&self, kind: ResourceKind, object: &NamespacedName) -> Option<Value> {
        locked(&self.statuses).get(&(kind, object.clone())).cloned()
    }

    /// The changes of finalizers, in order.
    pub fn finalizers(&self) -> Vec<FinalizerChange> {
        locked(&self.finalizers).clone()
    }
}

impl ConfigurationSource for FakeResources {
    fn watch(&self) -> BoxStream<'static, Arc<Configuration>> {
        let (sender, receiver) = mpsc::channel(CONFIGURATIONS);
        *locked(&self.listener) = Some(sender);
        receiver.boxed()
    }
}

#[async_trait]
impl ResourceWriter for FakeResources {
    async fn write_status(&self, update: &StatusUpdate) -> Result<(), PortError> {
        let key = (update.kind, update.object.clone());
        locked(&self.statuses).insert(key, update.status.clone());
        Ok(())
    }

    async fn set_finalizer(&self, change: &FinalizerChange) -> Result<(), PortError> {
        locked(&self.finalizers).push(change.clone());
        Ok(())
    }
}
