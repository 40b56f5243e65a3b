//! Loading the objects.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use tokio::task::JoinSet;

use crate::api::Api;
use crate::error::Error;
use crate::progress::say;

/// Clients that create at the same time: more would only queue in a server on the same machine.
const CLIENTS: u32 = 8;

/// Creates the objects numbered from 0.
///
/// # Errors
/// [`Error::Cluster`] with the first refusal.
pub async fn load(kubeconfig: &Path, objects: u32) -> Result<(), Error> {
    let started = Instant::now();
    let next = Arc::new(AtomicU32::new(0));
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let api = Api::connect(kubeconfig).await?;
        let next = Arc::clone(&next);
        clients.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= objects {
                    return Ok::<(), Error>(());
                }
                api.create(number).await?;
            }
        });
    }
    while let Some(ended) = clients.join_next().await {
        ended??;
    }
    say(&format!("{objects} Deployments created in {:.1?}", started.elapsed()));
    Ok(())
}
