//! Export: one task per binding carries out the operations that the engine asks for.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use kollect_domain::engine::{Answer, Command, Event};
use kollect_domain::ids::{BindingKey, SinkKey};
use kollect_domain::plan::UsableSink;
use kollect_ports::clock::Clock;
use kollect_ports::error::PortError;
use kollect_ports::metrics::{Metrics, Telemetry};
use kollect_ports::sink::{Delivery, Receipt, Sink, SinkFactory};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tracing::Instrument;

/// The tasks that talk to sinks.
#[derive(Debug)]
pub struct Workers {
    shared: Shared,
    sinks: BTreeMap<SinkKey, Built>,
    running: BTreeMap<BindingKey, Running>,
}

/// What every worker needs.
#[derive(Debug, Clone)]
pub struct Shared {
    /// Builds sinks.
    pub factory: Arc<dyn SinkFactory>,
    /// Where answers go.
    pub events: mpsc::Sender<Event>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Telemetry.
    pub metrics: Arc<dyn Metrics>,
}

/// A sink of one revision, shared by all bindings to it; or why it cannot be built.
#[derive(Debug, Clone)]
struct Built {
    revision: u64,
    kind: Arc<str>,
    sink: Result<Arc<dyn Sink>, PortError>,
}

#[derive(Debug)]
struct Running {
    incarnation: u64,
    /// The engine has at most one operation in flight, so one place is enough.
    commands: mpsc::Sender<Command>,
    task: JoinHandle<()>,
}

impl Workers {
    /// No worker yet.
    pub fn new(shared: Shared) -> Self {
        Self {
            shared,
            sinks: BTreeMap::new(),
            running: BTreeMap::new(),
        }
    }

    /// Builds the sinks whose definition changed and ends the workers of bindings that are gone.
    pub fn reconcile(
        &mut self,
        sinks: &BTreeMap<SinkKey, Result<UsableSink, PortError>>,
        exists: impl Fn(&BindingKey) -> bool,
    ) {
        self.sinks.retain(|key, _| matches!(sinks.get(key), Some(Ok(_))));
        for (key, usable) in sinks {
            let Ok(UsableSink { spec, revision }) = usable else {
                continue;
            };
            if self.sinks.get(key).is_none_or(|built| built.revision != *revision) {
                let built = Built {
                    revision: *revision,
                    kind: spec.kind.clone(),
                    sink: self.shared.factory.build(key, spec),
                };
                self.sinks.insert(key.clone(), built);
            }
        }
        self.running.retain(|key, running| {
            let keep = exists(key);
            if !keep {
                running.task.abort();
            }
            keep
        });
    }

    /// Hands an operation to the binding's worker.
    pub fn start(&mut self, binding: &BindingKey, incarnation: u64, command: Command) {
        let fits = self.running.get(binding).is_some_and(|r| r.incarnation == incarnation);
        if !fits {
            let Some(built) = self.sinks.get(&binding.sink).cloned() else {
                tracing::error!(sink = %binding.sink, "the engine asked for a sink that is not planned");
                return;
            };
            if let Some(old) = self.running.remove(binding) {
                old.task.abort();
            }
            let running = self.spawn(binding.clone(), incarnation, built);
            self.running.insert(binding.clone(), running);
        }
        if let Some(running) = self.running.get(binding)
            && running.commands.try_send(command).is_err()
        {
            tracing::error!(sink = %binding.sink, "a worker was busy or gone although no operation was in flight");
        }
    }

    fn spawn(&self, binding: BindingKey, incarnation: u64, built: Built) -> Running {
        let (commands, mut queue) = mpsc::channel(1);
        let span = tracing::info_span!("export", inventory = %binding.inventory, sink = %binding.sink);
        let worker = Worker {
            binding,
            incarnation,
            built,
            shared: self.shared.clone(),
        };
        let task = tokio::spawn(
            async move {
                while let Some(command) = queue.recv().await {
                    worker.carry_out(command).await;
                }
            }
            .instrument(span),
        );
        Running {
            incarnation,
            commands,
            task,
        }
    }

    /// Ends all workers and waits for them.
    pub async fn close(&mut self) {
        for (_, running) in std::mem::take(&mut self.running) {
            drop(running.commands);
            running.task.abort();
            if let Err(error) = running.task.await
                && error.is_panic()
            {
                tracing::error!(%error, "an export task panicked");
            }
        }
    }
}

struct Worker {
    binding: BindingKey,
    incarnation: u64,
    built: Built,
    shared: Shared,
}

impl Worker {
    async fn carry_out(&self, command: Command) {
        let sink = match &self.built.sink {
            Ok(sink) => sink,
            Err(error) => return self.answer(refuse(&command, error.clone())).await,
        };
        let inventory = &self.binding.inventory;
        let answer = match command {
            Command::Claim => Answer::Claimed(sink.claim(inventory).await),
            Command::Read { target } => {
                let mut rows = sink.resume(inventory, &target);
                loop {
                    match rows.next().await {
                        Some(Ok(held)) => self.answer(Answer::Found(held)).await,
                        Some(Err(error)) => break Answer::Read(Err(error)),
                        None => break Answer::Read(Ok(())),
                    }
                }
            }
            Command::Deliver(delivery) => Answer::Delivered(self.deliver(&**sink, &delivery).await),
            Command::Record(records) => Answer::Recorded(sink.record(inventory, &records).await),
        };
        self.answer(answer).await;
    }

    async fn deliver(&self, sink: &dyn Sink, delivery: &Delivery) -> Result<Receipt, PortError> {
        let started = self.shared.clock.now().monotonic;
        let result = sink.deliver(&self.binding.inventory, delivery).await;
        let duration = self.shared.clock.now().monotonic.saturating_sub(started);
        let receipt = result.as_ref().ok();
        for (key, reason) in receipt.iter().flat_map(|receipt| &receipt.refused).take(10) {
            tracing::warn!(target = %key.target, object.uid = %key.uid, "the sink refuses a row: {reason}");
        }
        self.shared.metrics.record(Telemetry::Exported {
            sink_type: self.built.kind.clone(),
            duration,
            bytes: receipt.map_or(0, |receipt| receipt.bytes),
            written: receipt.map_or(0, |receipt| receipt.written),
            deleted: receipt.map_or(0, |receipt| receipt.deleted),
            refused: receipt.map_or(0, |receipt| receipt.refused.len() as u64),
            fault: result.as_ref().err().map(|error| error.class),
        });
        result
    }

    async fn answer(&self, answer: Answer) {
        if let Some(error) = failure(&answer) {
            tracing::warn!(
                error_class = error.class.label(),
                reason = error.reason,
                "export failed: {error}"
            );
        }
        let event = Event::Sink {
            binding: self.binding.clone(),
            incarnation: self.incarnation,
            answer,
        };
        // The receiver is dropped only when the process ends.
        let _ = self.shared.events.send(event).await;
    }
}

/// The answer to an operation that cannot be carried out.
fn refuse(command: &Command, error: PortError) -> Answer {
    match command {
        Command::Claim => Answer::Claimed(Err(error)),
        Command::Read { .. } => Answer::Read(Err(error)),
        Command::Deliver(_) => Answer::Delivered(Err(error)),
        Command::Record(_) => Answer::Recorded(Err(error)),
    }
}

fn failure(answer: &Answer) -> Option<&PortError> {
    match answer {
        Answer::Claimed(result) => result.as_ref().err(),
        Answer::Read(result) | Answer::Recorded(result) => result.as_ref().err(),
        Answer::Delivered(result) => result.as_ref().err(),
        Answer::Found(_) => None,
    }
}
