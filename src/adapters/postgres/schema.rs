//! The destination: two tables that are created, or checked, once per session.
//!
//! An existing table is never altered. What is found decides: both keys of the main table are supported, and anything
//! that could not hold the rows is refused with what is wrong and what to do, before anything is written.

mod catalogue;
mod verdict;

use kollect_domain::config::sink::{PostgresTable, Provisioning};

use super::connection::Connection;
use super::failure::{Failure, during};
use super::identifier::{TableName, quoted};
use super::statements::Statements;
use catalogue::Relation;
use verdict::{check_main, check_sync};

const STAGE: &str = "postgres schema";
/// Two operators that create the same table at once make one of them fail; what it then finds is the other's table.
const CREATE_ATTEMPTS: usize = 3;
pub(super) const SYNC_SUFFIX: &str = "_sync";

/// Identity columns of the main table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// The cluster is part of the identity.
    Wide,
    /// The key of tables that were created without the cluster in it: rows of several clusters can collide.
    Legacy,
}

impl Key {
    /// The key's columns, in index order.
    pub(super) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Wide => &[
                "cluster",
                "inventory_namespace",
                "inventory_name",
                "target_name",
                "source_uid",
            ],
            Self::Legacy => &["inventory_namespace", "inventory_name", "target_name", "source_uid"],
        }
    }
}

/// What a sink writes to, by definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) main: TableName,
    pub(super) sync: TableName,
    /// Key of a table that has yet to be created.
    pub(super) new_key: Key,
    pub(super) provisioning: Provisioning,
}

impl Layout {
    pub(super) fn new(table: &PostgresTable, new_key: Key, provisioning: Provisioning) -> Self {
        let main = TableName::new(&table.schema, &table.table);
        Self {
            sync: main.sibling(SYNC_SUFFIX),
            main,
            new_key,
            provisioning,
        }
    }

    /// Creates what is missing, if the definition says so, and checks what is there.
    pub(super) async fn prepare(&self, connection: &Connection) -> Result<Statements, Failure> {
        let mut attempts = CREATE_ATTEMPTS;
        loop {
            let main = Relation::find(connection, &self.main).await?;
            let sync = Relation::find(connection, &self.sync).await?;
            let missing: Vec<(&TableName, String)> = [
                (&self.main, main.is_none().then(|| self.main_anew(sync.is_some()))),
                (&self.sync, sync.is_none().then(|| self.sync_ddl())),
            ]
            .into_iter()
            .filter_map(|(table, ddl)| Some((table, ddl?)))
            .collect();
            if let (Some(main), Some(sync)) = (&main, &sync) {
                let key = check_main(&self.main, main)?;
                check_sync(&self.sync, sync)?;
                return Ok(Statements::new(&self.main, &self.sync, key));
            }
            self.create(connection, &missing, &mut attempts).await?;
        }
    }

    async fn create(
        &self,
        connection: &Connection,
        missing: &[(&TableName, String)],
        attempts: &mut usize,
    ) -> Result<(), Failure> {
        if !catalogue::has_schema(connection, &self.main.schema).await? {
            return Err(Failure::incompatible(format!(
                "{STAGE}: schema {} does not exist; create it, or change spec.postgres.schema",
                quoted(&self.main.schema)
            )));
        }
        for (table, ddl) in missing {
            if self.provisioning == Provisioning::Existing {
                return Err(Failure::incompatible(format!(
                    "{STAGE}: table {} does not exist and spec.provisioning.mode is existing; create it with: {ddl}",
                    table.sql()
                )));
            }
            let Err(error) = connection.client().batch_execute(ddl).await else {
                continue;
            };
            let code = error.code().map(|code| code.code().to_owned()).unwrap_or_default();
            *attempts -= 1;
            match code.as_str() {
                // Unique violation in the catalogue, duplicate table, duplicate object: somebody was faster.
                "23505" | "42P07" | "42710" if *attempts > 0 => {}
                "42501" => {
                    return Err(Failure::incompatible(format!(
                        "{STAGE}: the role may not create table {}; grant CREATE on schema {} to it, \
                         or create the table yourself with: {ddl}",
                        table.sql(),
                        quoted(&table.schema)
                    )));
                }
                _ => return Err(Failure::of(STAGE, &error)),
            }
        }
        Ok(())
    }

    /// Creates the main table. Claims and states that are there speak of an earlier table, which is gone: without them
    /// every writer has to compare again before it goes on.
    fn main_anew(&self, sync_exists: bool) -> String {
        let ddl = self.main_ddl();
        if sync_exists {
            format!("{ddl}; DELETE FROM {}", self.sync.sql())
        } else {
            ddl
        }
    }

    /// All statements that create what is missing in an empty schema.
    pub(super) fn ddl(&self) -> String {
        format!("{};\n{}", self.main_ddl(), self.sync_ddl())
    }

    /// The statement that creates the main table.
    pub(super) fn main_ddl(&self) -> String {
        format!(
            "CREATE TABLE IF NOT EXISTS {} (\
             inventory_namespace text NOT NULL, \
             inventory_name text NOT NULL, \
             target_name text NOT NULL, \
             source_uid text NOT NULL, \
             cluster text NOT NULL DEFAULT '', \
             resource_namespace text NOT NULL DEFAULT '', \
             payload JSONB NOT NULL, \
             exported_at timestamptz NOT NULL, \
             PRIMARY KEY ({}))",
            self.main.sql(),
            self.new_key.columns().join(", ")
        )
    }

    /// The statement that creates the table of sync states and claims.
    pub(super) fn sync_ddl(&self) -> String {
        format!(
            "CREATE TABLE IF NOT EXISTS {} (\
             cluster text NOT NULL, \
             inventory_namespace text NOT NULL, \
             inventory_name text NOT NULL, \
             target_name text NOT NULL, \
             kind text NOT NULL, \
             scope text NOT NULL, \
             writer text NOT NULL, \
             writer_session text NOT NULL, \
             state text NOT NULL, \
             reason text NOT NULL DEFAULT '', \
             last_list timestamptz, \
             last_event timestamptz, \
             rows bigint NOT NULL DEFAULT 0, \
             checksum text NOT NULL DEFAULT '', \
             as_of timestamptz, \
             history_since timestamptz, \
             updated_at timestamptz NOT NULL, \
             PRIMARY KEY (cluster, inventory_namespace, inventory_name, target_name, kind, scope))",
            self.sync.sql()
        )
    }
}

/// Reads one row's column; a type that does not fit means that the query and this code disagree.
pub(super) fn column<'a, T: tokio_postgres::types::FromSql<'a>>(
    row: &'a tokio_postgres::Row,
    index: usize,
) -> Result<T, Failure> {
    row.try_get(index).map_err(during(STAGE))
}
