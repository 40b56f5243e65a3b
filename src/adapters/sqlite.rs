//! Inventories in a table of a `SQLite` file.
//!
//! The same two tables as in PostgreSQL, with the same meaning: the rows, and beside them what readers need to know
//! about their freshness and who may write them. One program writes, any number may read meanwhile. A change is one
//! transaction, which is fenced by the claim of its writer.
//!
//! Reading guide: `factory` builds a `sink` for a `place`; its calls are jobs of the `worker`, which runs them on a
//! thread that may block, under a `watch`, with a `session` whose `schema` was prepared; the jobs are `claim`,
//! `resume`, `deliver` and `record`, with the SQL of `statements`; `failure` says what an error means. The `reader` is
//! apart from all that, with files that it opens for itself.
//!
//! Decision record: `docs/adr/0007-sqlite-client.md`.

mod claim;
mod deliver;
mod factory;
mod failure;
mod identifier;
mod place;
mod reader;
mod record;
mod resume;
mod schema;
mod session;
mod sink;
mod statements;
mod time;
mod watch;
mod worker;

#[cfg(test)]
mod tests;

pub use factory::SqliteSinkFactory;
pub use place::SqliteFolder;
pub use reader::SqliteReader;
pub use sink::SqliteSink;
