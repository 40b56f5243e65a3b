//! Noticing that a kind that is read namespace by namespace may be read from the whole cluster again.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use kollect_domain::ids::{Gvk, WatchScope};
use kollect_domain::plan::reach::Finding;
use kollect_ports::source::ObjectSource;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// How often the right is asked for.
const PERIOD: Duration = Duration::from_mins(1);

/// Asks for missing rights while there are any.
#[derive(Debug)]
pub(super) struct Rights {
    source: Arc<dyn ObjectSource>,
    findings: mpsc::Sender<(Gvk, Finding)>,
    missing: BTreeSet<Gvk>,
    task: Option<JoinHandle<()>>,
}

impl Rights {
    /// No right is missing yet.
    pub(super) fn new(source: Arc<dyn ObjectSource>, findings: mpsc::Sender<(Gvk, Finding)>) -> Self {
        Self {
            source,
            findings,
            missing: BTreeSet::new(),
            task: None,
        }
    }

    /// Says for which kinds the right is missing.
    pub(super) fn watch<'a>(&mut self, missing: impl Iterator<Item = &'a Gvk>) {
        let missing: BTreeSet<Gvk> = missing.cloned().collect();
        if missing == self.missing {
            return;
        }
        self.missing.clone_from(&missing);
        if let Some(task) = self.task.take() {
            task.abort();
        }
        if !missing.is_empty() {
            let (source, findings) = (self.source.clone(), self.findings.clone());
            self.task = Some(tokio::spawn(ask(source, findings, missing)));
        }
    }

    /// Ends the task.
    pub(super) async fn close(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
            // Aborted on purpose; nothing else is to be learned from it.
            let _ = task.await;
        }
    }
}

async fn ask(source: Arc<dyn ObjectSource>, findings: mpsc::Sender<(Gvk, Finding)>, missing: BTreeSet<Gvk>) {
    loop {
        tokio::time::sleep(PERIOD).await;
        for gvk in &missing {
            if source.may_read(gvk, &WatchScope::Cluster).await
                && findings.send((gvk.clone(), Finding::Allowed)).await.is_err()
            {
                return;
            }
        }
    }
}
