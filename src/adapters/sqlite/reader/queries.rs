//! The SQL of the questions.
//!
//! Members of a payload that are not text, and payloads that are no JSON, count as empty text.

use kollect_ports::query::Order;

use crate::listing::SortColumn;
use crate::sqlite::identifier::TableName;

const INVENTORY: &str = "cluster = ?1 AND inventory_namespace = ?2 AND inventory_name = ?3";
/// The library lowers ASCII letters only, which is what is asked for.
const MATCHES: &str =
    "(?7 IS NULL OR instr(lower(name), ?7) OR instr(lower(namespace), ?7) OR instr(lower(attributes), ?8))";
/// Number of a page's first parameter that depends on its order.
const FIRST_SORT_PARAMETER: usize = 10;

/// Text of every question.
#[derive(Debug)]
pub(super) struct Queries {
    pub(super) main: TableName,
    pub(super) sync: TableName,
    /// Visible rows by inventory and kind. Parameters: visible clusters, visible namespaces.
    pub(super) counts: String,
    /// Inventories with visible states. Parameters as in `counts`.
    pub(super) recorded: String,
    /// One visible row. Parameters: cluster, inventory namespace, inventory name, visible namespaces, target, uid.
    pub(super) row: String,
    /// Visible states. Parameters: cluster, inventory namespace, inventory name, visible namespaces.
    pub(super) states: String,
    /// Rows with what can be asked about them.
    rows: String,
}

impl Queries {
    /// The questions to one pair of tables.
    pub(super) fn new(main: &TableName, sync: &TableName) -> Self {
        let (rows, states) = (rows(main), sync.sql());
        Self {
            main: main.clone(),
            sync: sync.clone(),
            counts: format!(
                "SELECT cluster, inventory_namespace, inventory_name, api_group, kind, count(*), max(exported_at) \
                 FROM ({rows}) WHERE {} AND {} GROUP BY 1, 2, 3, 4, 5",
                among("cluster", 1),
                among("namespace", 2)
            ),
            recorded: format!(
                "SELECT DISTINCT cluster, inventory_namespace, inventory_name FROM {states} \
                 WHERE target_name <> '' AND {} AND (scope = '' OR {})",
                among("cluster", 1),
                among("scope", 2)
            ),
            row: format!(
                "SELECT target_name, source_uid, payload, exported_at FROM ({rows}) \
                 WHERE {INVENTORY} AND {} AND target_name = ?5 AND source_uid = ?6",
                among("namespace", 4)
            ),
            states: format!(
                "SELECT target_name, kind, scope, state, reason, last_list, last_event, as_of, rows, updated_at \
                 FROM {states} WHERE {INVENTORY} AND target_name <> '' AND (scope = '' OR {}) \
                 ORDER BY target_name COLLATE BINARY, kind COLLATE BINARY, scope COLLATE BINARY",
                among("scope", 4)
            ),
            rows,
        }
    }

    /// A page of rows and their sort values. Parameters: cluster, inventory namespace, inventory name, visible
    /// namespaces, kind, group, text in names, text in JSON, most rows; after a row also its sort values, target, uid.
    pub(super) fn page(&self, order: Order, after_a_row: bool) -> String {
        let rows = &self.rows;
        let mut columns: Vec<&str> = SortColumn::of(order.by).iter().map(|column| column.sql()).collect();
        let values = columns.join(", ");
        columns.extend(["target_name", "source_uid"]);
        let (direction, comparison) = if order.descending { ("DESC", "<") } else { ("ASC", ">") };
        let after = if after_a_row {
            let parameters = (0..columns.len()).map(|index| format!("?{}", FIRST_SORT_PARAMETER + index));
            let parameters: Vec<String> = parameters.collect();
            format!(" AND ({}) {comparison} ({})", columns.join(", "), parameters.join(", "))
        } else {
            String::new()
        };
        let order: Vec<String> = columns.iter().map(|column| format!("{column} {direction}")).collect();
        format!(
            "SELECT target_name, source_uid, payload, exported_at, {values} FROM ({rows}) \
             WHERE {INVENTORY} AND {} AND (?5 IS NULL OR (kind = ?5 AND api_group = ?6)) AND {MATCHES}{after} \
             ORDER BY {} LIMIT ?9",
            among("namespace", 4),
            order.join(", ")
        )
    }
}

/// Rows with what can be asked about them; text is compared bytewise.
fn rows(main: &TableName) -> String {
    format!(
        "SELECT cluster, inventory_namespace, inventory_name, target_name COLLATE BINARY AS target_name, \
         source_uid COLLATE BINARY AS source_uid, payload, CAST(exported_at AS TEXT) AS exported_at, \
         {} AS namespace, {} AS name, {} AS kind, {} AS api_group, \
         CASE WHEN json_valid(payload) THEN payload -> '$.attributes' ELSE '' END AS attributes FROM {}",
        member("namespace"),
        member("name"),
        member("kind"),
        member("group"),
        main.sql()
    )
}

/// A member of the payload if it is text; `CASE` looks at nothing that is not needed.
fn member(name: &str) -> String {
    format!(
        "CASE WHEN json_valid(payload) THEN CASE json_type(payload, '$.{name}') WHEN 'text' \
         THEN payload ->> '$.{name}' ELSE '' END ELSE '' END"
    )
}

/// Whether a column has one of the values of a JSON array, if there is one.
fn among(column: &str, parameter: usize) -> String {
    format!("(?{parameter} IS NULL OR {column} IN (SELECT value FROM json_each(?{parameter})))")
}
