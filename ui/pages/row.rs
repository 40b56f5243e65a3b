//! One row: all attributes, where they come from and how current they are.

use askama::Template;
use kollect_ports::query::{ScopeState, StoredRow};
use serde::Serialize;
use serde_json::Value;

use super::{Frame, InventoryName};
use crate::address::{self, Format};
use crate::cell::cut;
use crate::failure::Failure;
use crate::freshness::{Health, ScopeHealth};
use crate::query::{ListQuery, RowQuery};
use crate::shown::Moment;
use crate::site::Site;
use crate::tree::{Room, Tree};

/// Longest JSON that the page shows as text, in bytes; the twin has all of it.
const LONGEST_TEXT: usize = 64 * 1024;
/// Longest name in a heading, in characters; Kubernetes has none that is longer.
const LONGEST_NAME: usize = 253;
/// Most attributes of the page.
const MOST_ATTRIBUTES: usize = 500;

/// One row.
#[derive(Debug, Template, Serialize)]
#[template(path = "row.html")]
#[serde(rename_all = "camelCase")]
pub struct RowPage {
    #[serde(skip)]
    frame: Frame,
    page: &'static str,
    inventory: InventoryName,
    target: String,
    uid: String,
    exported_at: Moment,
    /// The watch scopes that the row belongs to.
    scopes: Vec<ScopeHealth>,
    /// The exported item, whole.
    item: Value,
    #[serde(skip)]
    view: Presentation,
}

/// What only the HTML has.
#[derive(Debug)]
struct Presentation {
    title: String,
    identity: Vec<(&'static str, String)>,
    kind: String,
    namespace: String,
    attributes: Vec<(String, Tree)>,
    hidden_attributes: usize,
    /// Attributes that are no object, or the whole of an item that is none.
    other: Option<Tree>,
    health: Health,
    list: String,
    same_kind: String,
    text: String,
    is_text_cut: bool,
}

impl RowPage {
    /// The page of a row.
    pub async fn load(site: &Site, query: RowQuery) -> Result<Self, Failure> {
        let (row, states) = site.row(&query.inventory, &query.key).await?;
        let row = row.ok_or(Failure::NoRow)?;
        let base = &site.settings.base_path;
        let scopes: Vec<ScopeHealth> = states
            .iter()
            .filter(|state| belongs(&row, state))
            .map(ScopeHealth::new)
            .collect();
        let twin = address::row(base, Format::Json, &query.inventory, &query.key);
        let list = |kind| {
            let list = ListQuery {
                inventory: Some(query.inventory.clone()),
                kind,
                ..ListQuery::default()
            };
            address::list(base, Format::Html, &list)
        };
        let kind = kollect_ports::query::GroupKind {
            group: member(&row, "group").into(),
            kind: member(&row, "kind").into(),
        };
        let (list, same_kind) = (list(None), list(Some(kind)));
        let view = Presentation::new(&row, &scopes, list, same_kind)?;
        Ok(Self {
            frame: site.frame(Some(twin)),
            page: "row",
            inventory: InventoryName::new(&row.inventory),
            target: row.key.target.to_string(),
            uid: row.key.uid.to_string(),
            exported_at: Moment(row.exported_at),
            scopes,
            item: row.payload,
            view,
        })
    }
}

impl Presentation {
    fn new(row: &StoredRow, scopes: &[ScopeHealth], list: String, same_kind: String) -> Result<Self, Failure> {
        let shown = |name| cut(member(row, name), LONGEST_NAME);
        let names = [
            ("Namespace", "namespace"),
            ("Name", "name"),
            ("Kind", "kind"),
            ("Group", "group"),
            ("Version", "version"),
        ];
        let identity = names
            .into_iter()
            .map(|(label, name)| (label, shown(name)))
            .filter(|(_, value)| !value.is_empty())
            .chain([("Uid", row.key.uid.to_string())])
            .collect();
        let mut room = Room::default();
        let (attributes, hidden_attributes, other) = match row.payload.get("attributes") {
            Some(Value::Object(members)) => {
                let shown: Vec<(String, Tree)> = members
                    .iter()
                    .take(MOST_ATTRIBUTES)
                    .map(|(name, value)| (cut(name, LONGEST_NAME), Tree::new(value, &mut room)))
                    .collect();
                let hidden = members.len() - shown.len();
                (shown, hidden, None)
            }
            Some(value) => (Vec::new(), 0, Some(Tree::new(value, &mut room))),
            None => (Vec::new(), 0, Some(Tree::new(&row.payload, &mut room))),
        };
        let mut text = serde_json::to_string_pretty(&row.payload).map_err(|error| Failure::Rendering(error.into()))?;
        let is_text_cut = text.len() > LONGEST_TEXT;
        text.truncate(text.floor_char_boundary(LONGEST_TEXT));
        let title = match shown("name") {
            name if name.is_empty() => row.key.uid.to_string(),
            name => name,
        };
        Ok(Self {
            title,
            identity,
            kind: shown("kind"),
            namespace: shown("namespace"),
            attributes,
            hidden_attributes,
            other,
            health: Health::worst(scopes.iter().map(|scope| scope.health)),
            list,
            same_kind,
            text,
            is_text_cut,
        })
    }
}

/// Whether a row is in a watch scope: of its target, its kind in any version, and its namespace or the whole cluster.
fn belongs(row: &StoredRow, state: &ScopeState) -> bool {
    let mut kind = state.kind.splitn(3, '/');
    let (group, _version, name) = (kind.next(), kind.next(), kind.next());
    state.target == row.key.target
        && group == Some(member(row, "group"))
        && name == Some(member(row, "kind"))
        && (state.scope.is_empty() || state.scope == member(row, "namespace"))
}

fn member<'a>(row: &'a StoredRow, name: &str) -> &'a str {
    row.payload.get(name).and_then(Value::as_str).unwrap_or_default()
}
