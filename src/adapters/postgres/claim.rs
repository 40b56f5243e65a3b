//! Who may write an inventory.
//!
//! One row of the sync table per (cluster, inventory) names the writer, which is the identity of the source cluster,
//! and its present session. The writer is compared when the claim is taken; the session with every change. A change
//! that was sent through a session which is not the present one does nothing, however late the server gets to it: so
//! neither a second cluster with the same label, nor a request that outlived its process, can undo what was delivered
//! since.

use kollect_domain::condition::reason;
use kollect_domain::filing;
use kollect_domain::ids::InventoryKey;
use kollect_ports::error::ErrorClass;
use tokio_postgres::types::Type;

use super::connection::{Connection, Parameter};
use super::failure::{Failure, during};
use super::schema::column;
use super::statements::Statements;

const STAGE: &str = "postgres claim";

/// One inventory of one cluster, and who writes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Holder<'a> {
    pub(super) cluster: &'a str,
    pub(super) inventory: &'a InventoryKey,
    pub(super) writer: &'a str,
}

/// Values of the parameters that every statement begins with.
pub(super) struct ClaimValues<'a> {
    values: [&'a str; 5],
}

impl<'a> Holder<'a> {
    /// Parameters for the statements of a session.
    pub(super) fn values(&self, session: &'a str) -> ClaimValues<'a> {
        let Holder {
            cluster,
            inventory,
            writer,
        } = *self;
        ClaimValues {
            values: [cluster, filing::namespace(inventory), &inventory.name, writer, session],
        }
    }

    /// Takes the claim for this session.
    pub(super) async fn claim(&self, connection: &mut Connection, statements: &Statements) -> Result<(), Failure> {
        if !self.take(connection, &statements.claim).await? {
            return Err(self.conflict(connection, statements).await?);
        }
        connection.claimed.insert(self.inventory.clone());
        Ok(())
    }

    /// Takes a claim back that another session of the same writer took from this one.
    ///
    /// A session that never had the claim does not get it this way: whatever happened to the database since the
    /// earlier session (a restored backup, a promoted standby that lags), only a comparison finds it.
    pub(super) async fn renew(&self, connection: &mut Connection, statements: &Statements) -> Result<(), Failure> {
        if connection.claimed.contains(self.inventory) && self.take(connection, &statements.renew).await? {
            return Ok(());
        }
        Err(self.conflict(connection, statements).await?)
    }

    /// Gives the claim up, after everything that it stood for was removed.
    pub(super) fn forget(&self, connection: &mut Connection) {
        connection.claimed.remove(self.inventory);
    }

    async fn take(&self, connection: &mut Connection, sql: &str) -> Result<bool, Failure> {
        let token = connection.token.clone();
        let values = self.values(&token);
        let rows = connection.query(sql, &values.all()).await.map_err(during(STAGE))?;
        Ok(!rows.is_empty())
    }

    /// Why the claim is not held.
    async fn conflict(&self, connection: &mut Connection, statements: &Statements) -> Result<Failure, Failure> {
        let values = self.values("");
        let rows = connection
            .query(&statements.holder, &values.inventory())
            .await
            .map_err(during(STAGE))?;
        let other: Option<&str> = rows.first().map(|row| column(row, 0)).transpose()?;
        let Some(other) = other.filter(|other| *other != self.writer) else {
            return Ok(reclaim());
        };
        Ok(Failure::stop(
            ErrorClass::Misconfigured,
            reason::WRITER_CONFLICT,
            format!(
                "{STAGE}: inventory {} of cluster \"{}\" is written by {}",
                self.inventory,
                self.cluster,
                filing::conflict(other, self.writer, "set a different spec.cluster on the sink")
            ),
        ))
    }
}

/// Several sessions of this writer take the claim from each other.
pub(super) fn contended() -> Failure {
    Failure::stop(
        ErrorClass::Transient,
        reason::EXPORT_FAILED,
        format!("{STAGE}: several processes of this cluster write the inventory at once"),
    )
}

/// What was delivered may be gone: the caller has to claim and to compare again.
fn reclaim() -> Failure {
    Failure::stop(
        ErrorClass::Unavailable,
        reason::EXPORT_FAILED,
        format!("{STAGE}: the connection or the claim was lost; the inventory is claimed and compared again"),
    )
}

impl ClaimValues<'_> {
    /// All five parameters.
    pub(super) fn all(&self) -> Vec<Parameter<'_>> {
        self.values.iter().map(|value| (value as _, Type::TEXT)).collect()
    }

    /// The three that name the inventory.
    pub(super) fn inventory(&self) -> Vec<Parameter<'_>> {
        self.values
            .iter()
            .take(3)
            .map(|value| (value as _, Type::TEXT))
            .collect()
    }
}
