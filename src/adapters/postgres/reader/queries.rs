//! The SQL of the questions.
//!
//! Members of a payload that are not text count as empty text. Text is compared bytewise.

use kollect_ports::query::{Order, SortBy};
use tokio_postgres::types::Type;

use crate::listing::SortColumn;
use crate::postgres::identifier::TableName;

const INVENTORY: &str = "cluster = $1 AND inventory_namespace = $2 AND inventory_name = $3";
/// Under this collation the server lowers ASCII letters only, which is what is asked for.
const MATCHES: &str = "($7::text IS NULL OR strpos(lower(name), $7) > 0 OR strpos(lower(namespace), $7) > 0 \
    OR strpos(lower(attributes), $8) > 0)";
/// Number of a page's first parameter that depends on its order.
const FIRST_SORT_PARAMETER: usize = 10;

/// Text of every question.
#[derive(Debug)]
pub(super) struct Queries {
    /// Whether the table of states exists.
    pub(super) has_states: String,
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
        let (rows, states) = (rows(&main.sql()), sync.sql());
        Self {
            has_states: format!("SELECT to_regclass('{}') IS NOT NULL", states.replace('\'', "''")),
            counts: format!(
                "SELECT cluster, inventory_namespace, inventory_name, api_group, kind, count(*), max(exported_at) \
                 FROM ({rows}) r WHERE {} AND {} GROUP BY 1, 2, 3, 4, 5",
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
                "SELECT target_name, source_uid, payload::text, exported_at FROM ({rows}) r \
                 WHERE {INVENTORY} AND {} AND target_name = $5 AND source_uid = $6",
                among("namespace", 4)
            ),
            states: format!(
                "SELECT target_name, kind, scope, state, reason, {}, {}, {}, rows, {} \
                 FROM {states} WHERE {INVENTORY} AND target_name <> '' AND (scope = '' OR {}) \
                 ORDER BY target_name COLLATE \"C\", kind COLLATE \"C\", scope COLLATE \"C\"",
                time("last_list"),
                time("last_event"),
                time("as_of"),
                time("updated_at"),
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
            let parameters = (0..columns.len()).map(|index| format!("${}", FIRST_SORT_PARAMETER + index));
            let parameters: Vec<String> = parameters.collect();
            format!(" AND ({}) {comparison} ({})", columns.join(", "), parameters.join(", "))
        } else {
            String::new()
        };
        let order: Vec<String> = columns.iter().map(|column| format!("{column} {direction}")).collect();
        format!(
            "SELECT target_name, source_uid, payload::text, exported_at, {values} FROM ({rows}) r \
             WHERE {INVENTORY} AND {} AND ($5::text IS NULL OR (kind = $5 AND api_group = $6)) AND {MATCHES}{after} \
             ORDER BY {} LIMIT $9",
            among("namespace", 4),
            order.join(", ")
        )
    }
}

/// The type of the sort values of an order.
pub(super) fn sort_type(by: SortBy) -> Type {
    match by {
        SortBy::Namespace | SortBy::Name | SortBy::Kind => Type::TEXT,
        SortBy::ExportedAt => Type::TIMESTAMPTZ,
    }
}

/// Rows with what can be asked about them.
fn rows(main: &str) -> String {
    let column = |name: &str| format!("{name} COLLATE \"C\" AS {name}");
    format!(
        "SELECT cluster, inventory_namespace, inventory_name, {}, {}, payload, {} AS exported_at, \
         {} AS namespace, {} AS name, {} AS kind, {} AS api_group, \
         (payload -> 'attributes')::text COLLATE \"C\" AS attributes FROM {main}",
        column("target_name"),
        column("source_uid"),
        time("exported_at"),
        member("namespace"),
        member("name"),
        member("kind"),
        member("group")
    )
}

/// A member of the payload if it is text.
fn member(name: &str) -> String {
    format!(
        "(CASE jsonb_typeof(payload -> '{name}') WHEN 'string' THEN payload ->> '{name}' ELSE '' END) COLLATE \"C\""
    )
}

/// A time within the range that this program knows; the server also knows infinity.
fn time(column: &str) -> String {
    format!(
        "CASE WHEN {column} IS NOT NULL THEN \
         greatest(least({column}, '9999-12-30 00:00:00+00'), '0001-01-01 00:00:00+00') END"
    )
}

/// Whether a column has one of the values of an array, if there is one.
fn among(column: &str, parameter: usize) -> String {
    format!("(${parameter}::text[] IS NULL OR {column} = ANY (${parameter}))")
}
