//! The destination: two tables that are created, or checked, once per session.
//!
//! An existing table is never altered. Anything that could not hold the rows is refused with what is wrong and what to
//! do, before anything is written.

mod catalogue;
mod verdict;

use kollect_domain::config::sink::Provisioning;

use super::failure::{Failure, during};
use super::identifier::TableName;
use super::session::Session;
use super::statements::{KEY, SYNC_KEY, Statements};
use catalogue::Table;
use verdict::{MAIN, SYNC, check};

const STAGE: &str = "sqlite schema";
const SYNC_SUFFIX: &str = "_sync";

/// What a sink writes to, by definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    main: TableName,
    sync: TableName,
    provisioning: Provisioning,
}

/// The tables as they were found.
struct Found {
    main: Option<Table>,
    sync: Option<Table>,
}

impl Layout {
    pub(super) fn new(main: TableName, provisioning: Provisioning) -> Self {
        Self {
            sync: sync_table(&main),
            main,
            provisioning,
        }
    }

    /// Whether what is missing is created.
    pub(super) fn creates(&self) -> bool {
        self.provisioning == Provisioning::Ensure
    }

    /// Creates what is missing, if the definition says so, and checks what is there.
    pub(super) fn prepare(&self, session: &mut Session) -> Result<Statements, Failure> {
        // A file that holds something else is left as it is, its journal mode included.
        let found = self.checked(session)?;
        session.use_write_ahead_log()?;
        if found.main.is_none() || found.sync.is_none() {
            session.transaction(|session| self.create(session))?;
        }
        Ok(Statements::new(&self.main, &self.sync))
    }

    fn checked(&self, session: &Session) -> Result<Found, Failure> {
        let find = |table| Table::find(&session.connection, table).map_err(during(STAGE));
        let found = Found {
            main: find(&self.main)?,
            sync: find(&self.sync)?,
        };
        let tables = [
            (&self.main, &found.main, (&MAIN[..], &KEY[..]), self.main_ddl()),
            (&self.sync, &found.sync, (&SYNC[..], &SYNC_KEY[..]), self.sync_ddl()),
        ];
        for (name, table, expected, ddl) in tables {
            match table {
                Some(table) => check(name, table, expected)?,
                None if self.creates() => {}
                None => {
                    return Err(Failure::incompatible(format!(
                        "{STAGE}: table {} does not exist and spec.provisioning.mode is existing; create it with: {ddl}",
                        name.sql()
                    )));
                }
            }
        }
        Ok(found)
    }

    /// Creates what is missing, inside a transaction: another program may have been faster.
    fn create(&self, session: &Session) -> Result<(), Failure> {
        let Found { main, sync } = self.checked(session)?;
        let mut statements = Vec::new();
        if main.is_none() {
            statements.push(self.main_ddl());
            // Claims and states that are there speak of an earlier table, which is gone: without them every writer has
            // to compare again before it goes on.
            statements.extend(sync.is_some().then(|| format!("DELETE FROM {}", self.sync.sql())));
        }
        if sync.is_none() {
            statements.push(self.sync_ddl());
        }
        for statement in statements {
            session.connection.execute_batch(&statement).map_err(during(STAGE))?;
        }
        Ok(())
    }

    fn main_ddl(&self) -> String {
        format!(
            "CREATE TABLE {} (\
             inventory_namespace TEXT NOT NULL, \
             inventory_name TEXT NOT NULL, \
             target_name TEXT NOT NULL, \
             source_uid TEXT NOT NULL, \
             cluster TEXT NOT NULL DEFAULT '', \
             resource_namespace TEXT NOT NULL DEFAULT '', \
             payload TEXT NOT NULL, \
             exported_at TEXT NOT NULL, \
             PRIMARY KEY ({}))",
            self.main.sql(),
            KEY.join(", ")
        )
    }

    fn sync_ddl(&self) -> String {
        format!(
            "CREATE TABLE {} (\
             cluster TEXT NOT NULL, \
             inventory_namespace TEXT NOT NULL, \
             inventory_name TEXT NOT NULL, \
             target_name TEXT NOT NULL, \
             kind TEXT NOT NULL, \
             scope TEXT NOT NULL, \
             writer TEXT NOT NULL, \
             writer_session TEXT NOT NULL, \
             state TEXT NOT NULL, \
             reason TEXT NOT NULL DEFAULT '', \
             last_list TEXT, \
             last_event TEXT, \
             rows INTEGER NOT NULL DEFAULT 0, \
             checksum TEXT NOT NULL DEFAULT '', \
             as_of TEXT, \
             history_since TEXT, \
             updated_at TEXT NOT NULL, \
             PRIMARY KEY ({})) WITHOUT ROWID",
            self.sync.sql(),
            SYNC_KEY.join(", ")
        )
    }
}

/// The table of states and claims beside a main table.
pub(super) fn sync_table(main: &TableName) -> TableName {
    main.sibling(SYNC_SUFFIX)
}
