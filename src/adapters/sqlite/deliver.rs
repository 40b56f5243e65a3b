//! Applies a change of an inventory as one transaction.
//!
//! A row that the table refuses is undone by itself: a failing statement leaves the others of its transaction alone.

use std::sync::Arc;

use jiff::Timestamp;
use kollect_domain::ids::RowKey;
use kollect_ports::sink::{Delivery, Purge, Receipt};
use rusqlite::params;

use super::claim::Holder;
use super::failure::{Effect, Failure, during};
use super::session::Session;
use super::statements::Statements;
use super::time;
use crate::filing::namespace_of;

const UPSERT: &str = "sqlite upsert";
const DELETE: &str = "sqlite delete";

/// A change under the claim of its writer.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) holder: Holder,
    pub(super) delivery: Arc<Delivery>,
}

impl Change {
    /// Applies the change.
    pub(super) fn apply(&self, session: &mut Session, statements: &Statements) -> Result<Receipt, Failure> {
        let Delivery {
            purge,
            upserts,
            deletes,
        } = &*self.delivery;
        if *purge == Purge::Nothing && upserts.is_empty() && deletes.is_empty() {
            return Ok(Receipt::default());
        }
        let receipt = session.transaction(|session| self.body(session, statements))?;
        if self.releases() {
            session.claimed.remove(&self.holder.inventory);
        } else {
            session.claimed.insert(self.holder.inventory.clone());
        }
        Ok(receipt)
    }

    /// Whether nothing of the inventory is left afterwards, and with it no claim.
    fn releases(&self) -> bool {
        self.delivery.purge == Purge::Inventory && self.delivery.upserts.is_empty()
    }

    fn body(&self, session: &Session, statements: &Statements) -> Result<Receipt, Failure> {
        if self.delivery.purge == Purge::Inventory {
            // A purge may be the first thing a process does, and the second attempt of one finds no claim.
            self.holder.take(session, statements)?;
        } else {
            self.holder.hold(session, statements)?;
        }
        let mut receipt = Receipt {
            deleted: self.purge(session, statements)? + self.delete(session, statements)?,
            ..Receipt::default()
        };
        self.write(session, statements, &mut receipt)?;
        if self.releases() {
            self.run(session, &statements.release, &[])?;
        }
        Ok(receipt)
    }

    fn purge(&self, session: &Session, statements: &Statements) -> Result<u64, Failure> {
        match &self.delivery.purge {
            Purge::Nothing => Ok(0),
            Purge::Targets(targets) => {
                let mut deleted = 0;
                for target in targets {
                    self.run(session, &statements.purge_target_states, &[target])?;
                    deleted += self.run(session, &statements.purge_target, &[target])?;
                }
                Ok(deleted)
            }
            Purge::Inventory => {
                self.run(session, &statements.purge_states, &[])?;
                self.run(session, &statements.purge_inventory, &[])
            }
        }
    }

    fn delete(&self, session: &Session, statements: &Statements) -> Result<u64, Failure> {
        let mut deleted = 0;
        for RowKey { target, uid } in &self.delivery.deletes {
            deleted += self.run(session, &statements.delete, &[target, uid])?;
        }
        Ok(deleted)
    }

    fn write(&self, session: &Session, statements: &Statements, receipt: &mut Receipt) -> Result<(), Failure> {
        let (cluster, namespace, name) = self.holder.key();
        let now = time::text(Timestamp::now());
        let mut write = session
            .connection
            .prepare_cached(&statements.write)
            .map_err(during(UPSERT))?;
        for (key, row) in &self.delivery.upserts {
            let filed_under = namespace_of(row, namespace);
            let RowKey { target, uid } = key;
            let payload = row.payload();
            match write.execute(params![
                cluster,
                namespace,
                name,
                target,
                uid,
                filed_under,
                payload,
                now
            ]) {
                Ok(written) => {
                    receipt.written += written as u64;
                    receipt.bytes += payload.len() as u64;
                }
                Err(error) => {
                    let failure = Failure::of(UPSERT, &error);
                    if failure.effect != Effect::Row {
                        return Err(failure);
                    }
                    if session.connection.is_autocommit() {
                        return Err(undone(&failure));
                    }
                    receipt.refused.push((key.clone(), failure.error.message));
                }
            }
        }
        Ok(())
    }

    /// Runs a statement that removes something of the inventory; gives how many rows it removed.
    fn run(&self, session: &Session, sql: &str, more: &[&Arc<str>]) -> Result<u64, Failure> {
        let (cluster, namespace, name) = self.holder.key();
        let parameters = [cluster, namespace, name]
            .into_iter()
            .chain(more.iter().map(|text| &***text));
        let removed = session
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(rusqlite::params_from_iter(parameters)))
            .map_err(during(DELETE))?;
        Ok(removed as u64)
    }
}

/// A trigger of the table undid everything instead of the row.
fn undone(failure: &Failure) -> Failure {
    Failure::incompatible(format!(
        "{UPSERT}: the table refuses a row by undoing the whole transaction; use RAISE(ABORT) in its triggers instead \
         of RAISE(ROLLBACK) ({})",
        failure.error.message
    ))
}
