//! What a run without resources of its own in a cluster needs: a configuration that does not change, and nobody to
//! write statuses to.

use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use kollect_domain::config::Configuration;
use kollect_ports::error::PortError;
use kollect_ports::resources::{ConfigurationSource, FinalizerChange, ResourceWriter, StatusUpdate};

/// A configuration that does not change.
#[derive(Debug, Clone)]
pub struct FixedConfiguration(pub Arc<Configuration>);

impl ConfigurationSource for FixedConfiguration {
    fn watch(&self) -> BoxStream<'static, Arc<Configuration>> {
        stream::iter([self.0.clone()]).chain(stream::pending()).boxed()
    }
}

/// Resources that exist on the command line only: their statuses are not kept.
#[derive(Debug, Clone, Copy)]
pub struct NoResources;

#[async_trait]
impl ResourceWriter for NoResources {
    async fn write_status(&self, _: &StatusUpdate) -> Result<(), PortError> {
        Ok(())
    }

    async fn set_finalizer(&self, _: &FinalizerChange) -> Result<(), PortError> {
        Ok(())
    }
}
