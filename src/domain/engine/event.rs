//! What the engine is told, and what it asks for.

use std::sync::Arc;

use crate::aggregate::rows::Outcome;
use crate::delivery::{Claim, Delivery, HeldRow, Receipt, SyncRecord};
use crate::fault::Fault;
use crate::ids::{BindingKey, Epoch, TargetKey, WatchScope};

/// What happened to the collection of one target.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceStep {
    /// A list begins.
    ListStarted,
    /// What became of objects, in order.
    Rows(Vec<(Arc<str>, Outcome)>),
    /// The list finished without error.
    ListDone,
    /// The list finished and a part of it could not be read: what it showed counts, what it did not show says nothing.
    ListIncomplete(Fault),
    /// Collection is interrupted.
    Failed(Fault),
    /// Collection goes on.
    Resumed,
}

/// Something that happened outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A step of a target's collection. Steps of an earlier epoch are dropped.
    Source {
        /// The target.
        target: TargetKey,
        /// Its registration.
        epoch: Epoch,
        /// The watch scope the step is about.
        scope: WatchScope,
        /// What happened.
        step: SourceStep,
    },
    /// An answer of a sink to the operation in flight. Answers to an earlier incarnation are dropped.
    Sink {
        /// The binding.
        binding: BindingKey,
        /// The incarnation that the operation was started for.
        incarnation: u64,
        /// The answer.
        answer: Answer,
    },
}

/// An answer of a sink.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// To [`Command::Claim`].
    Claimed(Result<Claim, Fault>),
    /// Some of the rows asked for by [`Command::Read`].
    Found(Vec<HeldRow>),
    /// The end of [`Command::Read`].
    Read(Result<(), Fault>),
    /// To [`Command::Deliver`].
    Delivered(Result<Receipt, Fault>),
    /// To [`Command::Record`].
    Recorded(Result<(), Fault>),
}

/// Something to be carried out outside.
#[derive(Debug, Clone)]
pub enum Effect {
    /// An operation of a sink; at most one per binding is in flight.
    Sink {
        /// The binding.
        binding: BindingKey,
        /// To be named in the answer.
        incarnation: u64,
        /// The operation.
        command: Command,
    },
    /// List the target's scope once more after a pause, to confirm that most of it is gone.
    Relist {
        /// The target.
        target: TargetKey,
        /// The scope.
        scope: WatchScope,
    },
    /// The binding of a deleted inventory is done: its clean-up was acknowledged, or nothing was to be cleaned.
    Closed {
        /// The binding.
        binding: BindingKey,
    },
}

/// An operation of a sink.
#[derive(Debug, Clone)]
pub enum Command {
    /// Prepare the destination and claim the inventory.
    Claim,
    /// Stream what the sink holds of one target.
    Read {
        /// Name of the target.
        target: Arc<str>,
    },
    /// Apply a change.
    Deliver(Delivery),
    /// Record state for readers.
    Record(Vec<SyncRecord>),
}
