//! The application: the tasks that connect the engine with the ports.
//!
//! ```text
//! ConfigurationSource --> Operator --plan--> Sessions (one task per watch) --batches--+
//!                            |                                                        v
//!                            +------------------ Engine (owned value) <------- bounded queue
//!                            |                      | effects                         ^
//!                            |                      v                                 |
//!                            |                  Workers (one task per binding) --answers
//!                            +--statuses--> Outbox --> ResourceWriter
//! ```
//!
//! One task owns the engine, so there is no lock around it. Work is handed to tasks over bounded channels; a task
//! never waits for the engine task while that waits for it, since each worker has at most one command.

pub mod collect;
pub mod export;
pub mod once;
pub mod operator;
pub mod outbox;
pub mod publish;
