//! The SQL of a destination.
//!
//! Parameters 1 to 3 are the same everywhere: cluster, inventory namespace, inventory name.

use super::identifier::TableName;

/// Identity columns of the main table.
pub(super) const KEY: [&str; 5] = [
    "cluster",
    "inventory_namespace",
    "inventory_name",
    "target_name",
    "source_uid",
];
/// Identity columns of the table of states and claims.
pub(super) const SYNC_KEY: [&str; 6] = [
    "cluster",
    "inventory_namespace",
    "inventory_name",
    "target_name",
    "kind",
    "scope",
];

const INVENTORY: &str = "cluster = ?1 AND inventory_namespace = ?2 AND inventory_name = ?3";
/// The row of the sync table that holds the claim: no target has an empty name.
const CLAIM: &str = "target_name = '' AND kind = '' AND scope = ''";

/// Text of every statement.
#[derive(Debug)]
pub(super) struct Statements {
    /// Takes the claim, unless another writer has it. Parameters 4 to 6: writer, session, time.
    pub(super) claim: String,
    /// Hands the claim to another session of the same writer. Parameters 4 to 6 as in `claim`.
    pub(super) renew: String,
    /// Writer and session that hold the claim.
    pub(super) holder: String,
    /// Gives up the claim.
    pub(super) release: String,
    /// The first target after a name, parameter 4.
    pub(super) next_target: String,
    /// Rows of one target in the order of their uids. Parameters 4 to 6: target, uid to begin after, most rows.
    pub(super) rows: String,
    /// Writes a row that is new or differs. Parameters 4 to 8: target, uid, namespace, payload, time.
    pub(super) write: String,
    /// Removes a row. Parameters 4 and 5: target, uid.
    pub(super) delete: String,
    /// Removes the rows of a target, parameter 4.
    pub(super) purge_target: String,
    /// Removes the states of a target, parameter 4.
    pub(super) purge_target_states: String,
    /// Removes all rows of the inventory.
    pub(super) purge_inventory: String,
    /// Removes all states of the inventory, but not the claim.
    pub(super) purge_states: String,
    /// Writes a state. Parameters 4 to 16: target, kind, scope, writer, session, state, reason, last list, last event,
    /// rows, checksum, as-of time, time.
    pub(super) record: String,
    /// Makes one row look recent. Parameter 4: time.
    pub(super) touch: String,
}

impl Statements {
    /// The statements for one pair of tables.
    pub(super) fn new(main: &TableName, sync: &TableName) -> Self {
        let (main, sync) = (main.sql(), sync.sql());
        let sync_key = SYNC_KEY.join(", ");
        Self {
            claim: format!(
                "INSERT INTO {sync} AS held ({sync_key}, writer, writer_session, state, updated_at) \
                 VALUES (?1, ?2, ?3, '', '', '', ?4, ?5, 'Claimed', ?6) \
                 ON CONFLICT ({sync_key}) DO UPDATE SET writer_session = excluded.writer_session, \
                 updated_at = excluded.updated_at WHERE held.writer = excluded.writer"
            ),
            renew: format!(
                "UPDATE {sync} SET writer_session = ?5, updated_at = ?6 WHERE {INVENTORY} AND {CLAIM} AND writer = ?4"
            ),
            holder: format!("SELECT writer, writer_session FROM {sync} WHERE {INVENTORY} AND {CLAIM}"),
            release: format!("DELETE FROM {sync} WHERE {INVENTORY} AND {CLAIM}"),
            next_target: format!(
                "SELECT target_name FROM {main} WHERE {INVENTORY} AND target_name > ?4 ORDER BY target_name LIMIT 1"
            ),
            rows: format!(
                "SELECT source_uid, resource_namespace, payload FROM {main} \
                 WHERE {INVENTORY} AND target_name = ?4 AND source_uid > ?5 ORDER BY source_uid LIMIT ?6"
            ),
            write: write(&main),
            delete: format!("DELETE FROM {main} WHERE {INVENTORY} AND target_name = ?4 AND source_uid = ?5"),
            purge_target: format!("DELETE FROM {main} WHERE {INVENTORY} AND target_name = ?4"),
            purge_target_states: format!(
                "DELETE FROM {sync} WHERE {INVENTORY} AND target_name = ?4 AND target_name <> ''"
            ),
            purge_inventory: format!("DELETE FROM {main} WHERE {INVENTORY}"),
            purge_states: format!("DELETE FROM {sync} WHERE {INVENTORY} AND target_name <> ''"),
            record: record(&sync),
            touch: format!(
                "UPDATE {main} SET exported_at = ?4 WHERE {INVENTORY} AND (target_name, source_uid) = \
                 (SELECT target_name, source_uid FROM {main} WHERE {INVENTORY} LIMIT 1)"
            ),
        }
    }
}

/// A conflict of another kind than equal keys undoes the row and nothing else, whatever the table says.
fn write(main: &str) -> String {
    let key = KEY.join(", ");
    format!(
        "INSERT OR ABORT INTO {main} AS held ({key}, resource_namespace, payload, exported_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
         ON CONFLICT ({key}) DO UPDATE SET payload = excluded.payload, \
         resource_namespace = excluded.resource_namespace, exported_at = excluded.exported_at \
         WHERE held.payload IS NOT excluded.payload OR held.resource_namespace IS NOT excluded.resource_namespace"
    )
}

/// A watermark that was reached stays while a later one is not known.
fn record(sync: &str) -> String {
    let key = SYNC_KEY.join(", ");
    format!(
        "INSERT INTO {sync} AS held ({key}, writer, writer_session, state, reason, last_list, last_event, rows, \
         checksum, as_of, updated_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) \
         ON CONFLICT ({key}) DO UPDATE SET writer = excluded.writer, writer_session = excluded.writer_session, \
         state = excluded.state, reason = excluded.reason, last_list = excluded.last_list, \
         last_event = excluded.last_event, rows = excluded.rows, checksum = excluded.checksum, \
         as_of = coalesce(excluded.as_of, held.as_of), updated_at = excluded.updated_at"
    )
}
