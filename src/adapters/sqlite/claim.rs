//! Who may write an inventory.
//!
//! One row of the sync table per (cluster, inventory) names the writer, which is the identity of the source cluster,
//! and its present session. The writer is compared when the claim is taken; the session with every change, inside the
//! change's transaction. So a second cluster with the same label is told instead of undoing what the first delivered.

use std::sync::Arc;

use jiff::Timestamp;
use kollect_domain::condition::reason;
use kollect_domain::filing;
use kollect_domain::ids::InventoryKey;
use kollect_ports::error::ErrorClass;
use rusqlite::{OptionalExtension as _, params};

use super::failure::{Failure, during};
use super::session::Session;
use super::statements::Statements;
use super::time;

const STAGE: &str = "sqlite claim";

/// One inventory of one cluster, and who writes it.
#[derive(Debug, Clone)]
pub(super) struct Holder {
    pub(super) cluster: Arc<str>,
    pub(super) inventory: InventoryKey,
    pub(super) writer: Arc<str>,
}

impl Holder {
    /// Cluster, namespace and name of the inventory: the first parameters of every statement.
    pub(super) fn key(&self) -> (&str, &str, &str) {
        (&self.cluster, filing::namespace(&self.inventory), &self.inventory.name)
    }

    /// Takes the claim for this session, inside a transaction.
    pub(super) fn take(&self, session: &Session, statements: &Statements) -> Result<(), Failure> {
        self.own(session, statements, &statements.claim)
    }

    /// Makes sure, inside a transaction, that the claim is this session's; takes it back from another session of the
    /// same writer.
    ///
    /// A session that never had the claim does not get it this way: whatever happened to the file since the earlier
    /// session (a restored copy), only a comparison finds it.
    pub(super) fn hold(&self, session: &Session, statements: &Statements) -> Result<(), Failure> {
        let held = self.holder(session, statements)?;
        match held {
            Some((writer, token)) if *writer == *self.writer && token == session.token => Ok(()),
            _ if session.claimed.contains(&self.inventory) => self.own(session, statements, &statements.renew),
            _ => Err(self.conflict(session, statements)?),
        }
    }

    /// Names of targets with rows, ascending. The cost follows the number of targets, not of rows.
    pub(super) fn targets(&self, session: &Session, statements: &Statements) -> Result<Vec<Arc<str>>, Failure> {
        let (cluster, namespace, name) = self.key();
        let mut next = session
            .connection
            .prepare_cached(&statements.next_target)
            .map_err(during(STAGE))?;
        let mut targets: Vec<Arc<str>> = Vec::new();
        loop {
            let last = targets.last().map_or("", AsRef::as_ref);
            let found: Option<Arc<str>> = next
                .query_row(params![cluster, namespace, name, last], |row| row.get(0))
                .optional()
                .map_err(during(STAGE))?;
            let Some(target) = found else {
                return Ok(targets);
            };
            targets.push(target);
        }
    }

    fn own(&self, session: &Session, statements: &Statements, sql: &str) -> Result<(), Failure> {
        let (cluster, namespace, name) = self.key();
        let now = time::text(Timestamp::now());
        let owned = session
            .connection
            .prepare_cached(sql)
            .and_then(|mut own| own.execute(params![cluster, namespace, name, self.writer, session.token, now]))
            .map_err(during(STAGE))?;
        if owned == 0 {
            return Err(self.conflict(session, statements)?);
        }
        Ok(())
    }

    /// Writer and session that hold the claim.
    fn holder(&self, session: &Session, statements: &Statements) -> Result<Option<(String, String)>, Failure> {
        session
            .connection
            .prepare_cached(&statements.holder)
            .and_then(|mut holder| {
                holder
                    .query_row(self.key(), |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()
            })
            .map_err(during(STAGE))
    }

    /// Why the claim is not held.
    fn conflict(&self, session: &Session, statements: &Statements) -> Result<Failure, Failure> {
        let holder = self.holder(session, statements)?;
        let Some((other, _)) = holder.filter(|(other, _)| **other != *self.writer) else {
            return Ok(Failure::stop(
                ErrorClass::Unavailable,
                reason::EXPORT_FAILED,
                format!("{STAGE}: the file or the claim was lost; the inventory is claimed and compared again"),
            ));
        };
        Ok(Failure::stop(
            ErrorClass::Misconfigured,
            reason::WRITER_CONFLICT,
            format!(
                "{STAGE}: inventory {} of cluster \"{}\" is written by {}",
                self.inventory,
                self.cluster,
                filing::conflict(
                    &other,
                    &self.writer,
                    "set a different cluster label, use a file of your own"
                )
            ),
        ))
    }
}
