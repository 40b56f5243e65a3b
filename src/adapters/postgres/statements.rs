//! The SQL of a destination, built once per session.
//!
//! Every statement that writes begins with the claim: it locks the row that says who may write the inventory, and does
//! nothing unless that is this session. A change that fits into one statement is therefore one round trip, atomic and
//! fenced; larger ones run the same statements inside a transaction.
//!
//! Parameters 1 to 5 are the same everywhere: cluster, inventory namespace, inventory name, writer, session.

use super::identifier::TableName;
use super::schema::Key;

/// The row of the sync table that holds the claim: no target has an empty name.
const CLAIM_ROW: &str = "cluster = $1 AND inventory_namespace = $2 AND inventory_name = $3 \
    AND target_name = '' AND kind = '' AND scope = ''";
const SYNC_KEY: &str = "cluster, inventory_namespace, inventory_name, target_name, kind, scope";
const INVENTORY: &str = "t.cluster = $1 AND t.inventory_namespace = $2 AND t.inventory_name = $3";

/// Columns of the main table in the order of its COPY statement.
const MAIN_COLUMNS: &str = "inventory_namespace, inventory_name, target_name, source_uid, \
    cluster, resource_namespace, payload, exported_at";

/// Text of every statement.
#[derive(Debug)]
pub(super) struct Statements {
    /// Takes the claim, unless another writer has it. Gives a row if it is held now.
    pub(super) claim: String,
    /// Hands the claim to another session of the same writer. Gives a row if it is held now.
    pub(super) renew: String,
    /// Who holds the claim. Parameters 1 to 3.
    pub(super) holder: String,
    /// Locks the claim. Gives (held, time of the transaction).
    pub(super) lock: String,
    /// Whether the inventory has rows. Parameters 1 to 3.
    pub(super) has_rows: String,
    /// Names of targets with rows. Parameters 1 to 3.
    pub(super) targets: String,
    /// Rows of one target. Parameters 1 to 3 and the target.
    pub(super) rows: String,
    /// Upserts. Parameters 6 to 9: targets, uids, namespaces, payloads.
    pub(super) write: String,
    /// Deletes. Parameters 6 and 7: targets, uids.
    pub(super) delete: String,
    /// Upserts and deletes. Parameters 6 to 9 as in `write`, 10 and 11 as in `delete`.
    pub(super) write_and_delete: String,
    /// Removes targets. Parameter 6: their names.
    pub(super) purge_targets: String,
    /// Removes everything of the inventory but the claim.
    pub(super) purge_inventory: String,
    /// Gives up the claim.
    pub(super) release: String,
    /// Sync states. Parameters 6 to 15: targets, kinds, scopes, states, reasons, lists, events, as-of times, rows, checksums.
    pub(super) record: String,
    /// Makes one row look recent. Gives (held, rows touched).
    pub(super) touch: String,
    /// Binary COPY of new rows.
    pub(super) copy: String,
}

impl Statements {
    /// The statements for one pair of tables.
    pub(super) fn new(main: &TableName, sync: &TableName, key: Key) -> Self {
        let (main, sync) = (main.sql(), sync.sql());
        let claim = format!(
            "claim AS MATERIALIZED (SELECT 1 FROM {sync} WHERE {CLAIM_ROW} \
             AND writer = $4 AND writer_session = $5 FOR NO KEY UPDATE)"
        );
        let held = "EXISTS (SELECT 1 FROM claim)";
        let upsert = upsert(&main, key);
        let foreign = foreign(&main, key);
        let written = "(SELECT count(*) FROM written)";
        let removed = "(SELECT count(*) FROM removed)";
        let foreign_columns = "(SELECT array_agg(target_name) FROM foreign_rows), \
             (SELECT array_agg(source_uid) FROM foreign_rows), (SELECT array_agg(cluster) FROM foreign_rows)";
        Self {
            claim: take(&sync),
            renew: format!(
                "UPDATE {sync} SET writer_session = $5, updated_at = now() WHERE {CLAIM_ROW} AND writer = $4 \
                 RETURNING true"
            ),
            holder: format!("SELECT writer FROM {sync} WHERE {CLAIM_ROW}"),
            lock: format!("WITH {claim} SELECT {held}, now()"),
            has_rows: format!("SELECT EXISTS (SELECT 1 FROM {main} t WHERE {INVENTORY})"),
            targets: targets(&main),
            rows: format!(
                "SELECT t.source_uid, t.resource_namespace, t.payload::text FROM {main} t \
                 WHERE {INVENTORY} AND t.target_name = $4"
            ),
            write: format!("WITH {claim}, {foreign}, {upsert} SELECT {held}, {written}, 0::bigint, {foreign_columns}"),
            delete: format!(
                "WITH {claim}, {} SELECT {held}, 0::bigint, {removed}, NULL::text[], NULL::text[], NULL::text[]",
                delete(&main, 6)
            ),
            write_and_delete: format!(
                "WITH {claim}, {foreign}, {}, {upsert} SELECT {held}, {written}, {removed}, {foreign_columns}",
                delete(&main, 10)
            ),
            purge_targets: format!(
                "WITH {claim}, states AS (DELETE FROM {sync} t USING claim WHERE {INVENTORY} \
                 AND t.target_name <> '' AND t.target_name = ANY ($6)), \
                 removed AS (DELETE FROM {main} t USING claim WHERE {INVENTORY} \
                 AND t.target_name = ANY ($6) RETURNING 1) SELECT {held}, {removed}"
            ),
            purge_inventory: format!(
                "WITH {claim}, states AS (DELETE FROM {sync} t USING claim WHERE {INVENTORY} \
                 AND t.target_name <> ''), \
                 removed AS (DELETE FROM {main} t USING claim WHERE {INVENTORY} RETURNING 1) \
                 SELECT {held}, {removed}"
            ),
            release: format!("DELETE FROM {sync} WHERE {CLAIM_ROW} AND writer = $4 AND writer_session = $5"),
            record: record(&sync, &claim),
            touch: format!(
                "WITH {claim}, touched AS (UPDATE {main} u SET exported_at = now() FROM claim \
                 WHERE u.ctid = (SELECT t.ctid FROM {main} t WHERE {INVENTORY} LIMIT 1) \
                 AND u.cluster = $1 RETURNING 1) SELECT {held}, (SELECT count(*) FROM touched)"
            ),
            copy: format!("COPY {main} ({MAIN_COLUMNS}) FROM STDIN (FORMAT binary)"),
        }
    }
}

/// Takes the claim, unless another writer has it.
fn take(sync: &str) -> String {
    format!(
        "INSERT INTO {sync} AS held ({SYNC_KEY}, writer, writer_session, state, updated_at) \
                 VALUES ($1, $2, $3, '', '', '', $4, $5, 'Claimed', now()) \
                 ON CONFLICT ({SYNC_KEY}) DO UPDATE SET writer_session = excluded.writer_session, \
                 updated_at = excluded.updated_at WHERE held.writer = excluded.writer RETURNING true"
    )
}

/// Writes rows that are new or differ. Parameters 6 to 9.
fn upsert(main: &str, key: Key) -> String {
    let differs = "t.payload IS DISTINCT FROM excluded.payload \
         OR t.resource_namespace IS DISTINCT FROM excluded.resource_namespace";
    // A row of another cluster is never taken over: its own writer would take it back, for ever.
    let condition = match key {
        Key::Wide => differs.to_owned(),
        Key::Legacy => format!("t.cluster = excluded.cluster AND ({differs})"),
    };
    format!(
        "written AS (INSERT INTO {main} AS t ({MAIN_COLUMNS}) \
         SELECT $2, $3, r.target_name, r.source_uid, $1, r.namespace, r.payload::jsonb, now() FROM claim, \
         unnest($6::text[], $7::text[], $8::text[], $9::text[]) AS r (target_name, source_uid, namespace, payload) \
         ON CONFLICT ({}) DO UPDATE SET payload = excluded.payload, \
         resource_namespace = excluded.resource_namespace, exported_at = excluded.exported_at \
         WHERE {condition} RETURNING 1)",
        key.columns().join(", ")
    )
}

/// Rows whose key another cluster occupies; impossible where the cluster is part of the key.
fn foreign(main: &str, key: Key) -> String {
    match key {
        Key::Wide => "foreign_rows (target_name, source_uid, cluster) AS \
             (SELECT NULL::text, NULL::text, NULL::text WHERE false)"
            .to_owned(),
        Key::Legacy => format!(
            "foreign_rows AS (SELECT t.target_name, t.source_uid, t.cluster FROM {main} t, \
             unnest($6::text[], $7::text[]) AS r (target_name, source_uid) \
             WHERE t.inventory_namespace = $2 AND t.inventory_name = $3 AND t.target_name = r.target_name \
             AND t.source_uid = r.source_uid AND t.cluster <> $1)"
        ),
    }
}

/// Removes rows by key; `first` is the number of the first of two parameters.
fn delete(main: &str, first: usize) -> String {
    let second = first + 1;
    format!(
        "removed AS (DELETE FROM {main} t USING claim, \
         unnest(${first}::text[], ${second}::text[]) AS d (target_name, source_uid) \
         WHERE {INVENTORY} AND t.target_name = d.target_name AND t.source_uid = d.source_uid RETURNING 1)"
    )
}

/// Distinct targets by skipping through the index: the cost follows the number of targets, not of rows.
fn targets(main: &str) -> String {
    format!(
        "WITH RECURSIVE names AS (\
         (SELECT t.target_name FROM {main} t WHERE {INVENTORY} ORDER BY t.target_name LIMIT 1) \
         UNION ALL SELECT (SELECT t.target_name FROM {main} t WHERE {INVENTORY} \
         AND t.target_name > n.target_name ORDER BY t.target_name LIMIT 1) \
         FROM names n WHERE n.target_name IS NOT NULL) \
         SELECT target_name FROM names WHERE target_name IS NOT NULL"
    )
}

/// Upserts sync states. A watermark that was reached stays while a later one is not known.
fn record(sync: &str, claim: &str) -> String {
    format!(
        "WITH {claim}, written AS (INSERT INTO {sync} AS s ({SYNC_KEY}, writer, writer_session, state, reason, \
         last_list, last_event, rows, checksum, as_of, updated_at) \
         SELECT $1, $2, $3, r.target_name, r.kind, r.scope, $4, $5, r.state, r.reason, \
         r.last_list, r.last_event, r.rows, r.checksum, r.as_of, clock_timestamp() FROM claim, \
         unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::timestamptz[], \
         $12::timestamptz[], $13::timestamptz[], $14::bigint[], $15::text[]) \
         AS r (target_name, kind, scope, state, reason, last_list, last_event, as_of, rows, checksum) \
         ON CONFLICT ({SYNC_KEY}) DO UPDATE SET writer = excluded.writer, \
         writer_session = excluded.writer_session, state = excluded.state, reason = excluded.reason, \
         last_list = excluded.last_list, last_event = excluded.last_event, rows = excluded.rows, \
         checksum = excluded.checksum, as_of = coalesce(excluded.as_of, s.as_of), updated_at = excluded.updated_at RETURNING 1) \
         SELECT EXISTS (SELECT 1 FROM claim), (SELECT count(*) FROM written)"
    )
}
