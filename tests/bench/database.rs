//! What a reader of the database sees.

use std::collections::BTreeMap;
use std::time::SystemTime;

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, NoTls, Statement};

use crate::configuration::{INVENTORY, NAMESPACE, TABLE, TARGET};
use crate::error::Error;

/// A reader with a connection of its own.
pub struct Database(Client);

/// The primary key of a row, as far as rows of one inventory differ.
#[derive(Debug, Clone)]
pub struct Key {
    cluster: String,
    uid: String,
}

impl Database {
    /// Connects.
    ///
    /// # Errors
    /// [`Error::Database`] when the server refuses.
    pub async fn connect(url: &str) -> Result<Self, Error> {
        let (client, connection) = tokio_postgres::connect(url, NoTls)
            .await
            .map_err(Error::database("connect to the database"))?;
        // Ends with the client; an error reaches whoever waits for an answer.
        tokio::spawn(connection);
        Ok(Self(client))
    }

    /// The version of the server.
    ///
    /// # Errors
    /// [`Error::Database`]
    pub async fn version(&self) -> Result<String, Error> {
        let row = self.0.query_one("SHOW server_version", &[]).await;
        row.and_then(|row| row.try_get(0))
            .map_err(Error::database("ask for the database's version"))
    }

    /// The time of the server.
    ///
    /// # Errors
    /// [`Error::Database`]
    pub async fn time(&self) -> Result<SystemTime, Error> {
        let row = self.0.query_one("SELECT clock_timestamp()", &[]).await;
        row.and_then(|row| row.try_get(0))
            .map_err(Error::database("ask for the database's time"))
    }

    /// Committed rows; 0 as long as there is no table.
    ///
    /// # Errors
    /// [`Error::Database`]
    pub async fn rows(&self) -> Result<i64, Error> {
        match self.number(&format!("SELECT count(*) FROM {TABLE}")).await {
            Err(Error::Database { source, .. }) if source.code() == Some(&SqlState::UNDEFINED_TABLE) => Ok(0),
            counted => counted,
        }
    }

    /// Row versions that were ever written to the table: inserts, updates and deletes.
    ///
    /// The server's statistics count each of them, and each session hands its counts over when it ends, or when it has
    /// been idle for ten seconds. So the number is exact after either.
    ///
    /// # Errors
    /// [`Error::Database`]
    pub async fn written(&self) -> Result<i64, Error> {
        let counts = "SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::bigint FROM pg_stat_user_tables";
        self.number(&format!("{counts} WHERE relname = '{TABLE}'")).await
    }

    /// Rows whose time is later.
    ///
    /// # Errors
    /// [`Error::Database`]
    pub async fn exported_after(&self, time: SystemTime) -> Result<i64, Error> {
        let statement = format!("SELECT count(*) FROM {TABLE} WHERE exported_at > $1");
        let row = self.0.query_one(&statement, &[&time]).await;
        row.and_then(|row| row.try_get(0))
            .map_err(Error::database("count recent rows"))
    }

    /// A digest of what all rows say, without their times.
    ///
    /// # Errors
    /// [`Error::Database`]
    pub async fn content(&self) -> Result<String, Error> {
        let statement = format!(
            "SELECT md5(string_agg(line, ',' ORDER BY line)) FROM \
             (SELECT md5(concat_ws(' ', source_uid, resource_namespace, payload)) AS line FROM {TABLE}) AS rows"
        );
        let row = self.0.query_one(&statement, &[]).await;
        row.and_then(|row| row.try_get(0))
            .map_err(Error::database("read all rows"))
    }

    /// Whether the operator has recorded since `time` that the table is level with the cluster, with so many rows.
    ///
    /// # Errors
    /// [`Error::Database`]
    pub async fn is_level(&self, time: SystemTime, rows: i64) -> Result<bool, Error> {
        let statement = format!(
            "SELECT EXISTS (SELECT 1 FROM {TABLE}_sync WHERE target_name = '{TARGET}' AND state = 'Complete' \
             AND as_of > $1 AND rows = $2)"
        );
        let row = self.0.query_one(&statement, &[&time, &rows]).await;
        row.and_then(|row| row.try_get(0))
            .map_err(Error::database("read the sync state"))
    }

    /// Whether nobody else is connected.
    ///
    /// # Errors
    /// [`Error::Database`]
    pub async fn is_alone(&self) -> Result<bool, Error> {
        let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
            AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
        Ok(self.number(others).await? == 0)
    }

    /// The key of each row, by namespace and name of its object.
    ///
    /// # Errors
    /// [`Error::Database`]
    pub async fn keys(&self) -> Result<BTreeMap<(String, String), Key>, Error> {
        let statement = format!("SELECT resource_namespace, payload->>'name', cluster, source_uid FROM {TABLE}");
        let rows = self.0.query(&statement, &[]).await;
        rows.and_then(|rows| {
            rows.iter()
                .map(|row| {
                    let object = (row.try_get(0)?, row.try_get(1)?);
                    let key = Key {
                        cluster: row.try_get(2)?,
                        uid: row.try_get(3)?,
                    };
                    Ok((object, key))
                })
                .collect()
        })
        .map_err(Error::database("read the keys of all rows"))
    }

    /// Prepares the question of [`Database::shows`].
    ///
    /// # Errors
    /// [`Error::Database`]
    pub async fn prepare(&self) -> Result<Statement, Error> {
        let statement = format!(
            "SELECT payload->'attributes'->>'replicas' FROM {TABLE} WHERE cluster = $1 AND source_uid = $2 \
             AND inventory_namespace = '{NAMESPACE}' AND inventory_name = '{INVENTORY}' AND target_name = '{TARGET}'"
        );
        self.0
            .prepare(&statement)
            .await
            .map_err(Error::database("prepare a question"))
    }

    /// Whether a row says that its Deployment has so many replicas.
    ///
    /// # Errors
    /// [`Error::Database`]
    pub async fn shows(&self, question: &Statement, key: &Key, replicas: u32) -> Result<bool, Error> {
        let row = self.0.query_opt(question, &[&key.cluster, &key.uid]).await;
        let shown: Option<String> = row
            .and_then(|row| row.map_or(Ok(None), |row| row.try_get(0)))
            .map_err(Error::database("look at a row"))?;
        Ok(shown.is_some_and(|shown| shown == replicas.to_string()))
    }

    async fn number(&self, statement: &str) -> Result<i64, Error> {
        let row = self.0.query_one(statement, &[]).await;
        row.and_then(|row| row.try_get(0))
            .map_err(Error::database("count rows"))
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}
