//! The exported table, as a reader sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio_postgres::NoTls;

use crate::world::SOON;

/// Rows by (target, uid).
pub type Rows = BTreeMap<(String, String), Value>;

/// Reads the rows of the test's inventory; every read has its own connection, since the server may have been away.
#[derive(Clone)]
pub struct Table {
    url: String,
    namespace: String,
}

impl Table {
    pub fn new(url: String, namespace: &str) -> Self {
        Self {
            url,
            namespace: namespace.to_owned(),
        }
    }

    pub async fn connect(&self) -> Result<tokio_postgres::Client, tokio_postgres::Error> {
        let (client, connection) = tokio_postgres::connect(&self.url, NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// All rows; none while the table does not exist.
    pub async fn rows(&self) -> Rows {
        self.try_rows().await.unwrap_or_default()
    }

    async fn try_rows(&self) -> Result<Rows, tokio_postgres::Error> {
        let client = self.connect().await?;
        let rows = client
            .query(
                "SELECT target_name, source_uid, payload::text FROM rows WHERE inventory_namespace = $1",
                &[&self.namespace],
            )
            .await?;
        let parsed = rows.iter().map(|row| {
            let payload: &str = row.get(2);
            ((row.get(0), row.get(1)), serde_json::from_str(payload).unwrap())
        });
        Ok(parsed.collect())
    }

    /// Waits until the table holds exactly these rows.
    pub async fn equals(&self, expected: impl AsyncFn() -> Rows) {
        let end = Instant::now() + SOON;
        loop {
            let (table, cluster) = (self.rows().await, expected().await);
            if table == cluster {
                return;
            }
            assert!(
                Instant::now() < end,
                "table ({} rows) and cluster ({}) differ: {:#?}",
                table.len(),
                cluster.len(),
                difference(&table, &cluster)
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The uids of a reader that keeps its connection, for tight polling.
    pub async fn uids(client: &tokio_postgres::Client, namespace: &str) -> BTreeSet<String> {
        client
            .query(
                "SELECT source_uid FROM rows WHERE inventory_namespace = $1",
                &[&namespace],
            )
            .await
            .unwrap()
            .iter()
            .map(|row| row.get(0))
            .collect()
    }

    pub async fn execute(&self, sql: &str) {
        self.connect().await.unwrap().batch_execute(sql).await.unwrap();
    }
}

fn difference(table: &Rows, cluster: &Rows) -> Vec<String> {
    let names: BTreeSet<_> = table.keys().chain(cluster.keys()).collect();
    names
        .into_iter()
        .filter(|key| table.get(*key) != cluster.get(*key))
        .map(|key| format!("{key:?}: table {:?}, cluster {:?}", table.get(key), cluster.get(key)))
        .take(5)
        .collect()
}
