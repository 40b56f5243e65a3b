//! Inventories in a PostgreSQL table.
//!
//! One table holds the rows (eight columns, one row per target and object), a second one beside it holds what readers
//! need to know about their freshness and who may write them. A change is written as one, costs what changed, and is
//! fenced: see [`Sink::deliver`](kollect_ports::sink::Sink::deliver).
//!
//! Reading guide: `factory` builds a `sink`; its calls are jobs of the `worker`, which opens a `connection` through
//! `settings` (Secrets, `dsn`, `tls`) and `dial` (the endpoint guard), and prepares the `schema`; the jobs are
//! `claim`, `resume`, `deliver` and `record`, with the SQL of `statements`; `failure` says what an error means. The
//! `reader` is apart from all that, with sessions of its own.
//!
//! Decision record: `docs/adr/0002-postgres-client.md`.

mod claim;
mod connection;
mod deliver;
mod dial;
mod dsn;
mod factory;
mod failure;
mod identifier;
mod reader;
mod record;
mod resume;
mod schema;
mod settings;
mod sink;
mod statements;
mod tls;
mod worker;

#[cfg(test)]
mod tests;

pub use factory::PostgresSinkFactory;
pub use reader::PostgresReader;
pub use sink::PostgresSink;
