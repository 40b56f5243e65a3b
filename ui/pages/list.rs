//! The rows of one inventory.

mod head;
mod line;

use askama::Template;
use kollect_ports::query::{GroupKind, InventorySummary, PageRequest};
use serde::Serialize;

use super::{Frame, InventoryName};
use crate::address::{self, Format};
use crate::columns::columns;
use crate::failure::Failure;
use crate::freshness::Freshness;
use crate::names;
use crate::query::ListQuery;
use crate::shown::Count;
use crate::site::Site;
use head::Head;
use line::Line;

/// Most inventories that can be chosen on the page of one; the overview finds the others.
const MOST_CHOICES: usize = 200;

/// Some rows of one inventory.
#[derive(Debug, Template, Serialize)]
#[template(path = "list.html")]
#[serde(rename_all = "camelCase")]
pub struct ListPage {
    #[serde(skip)]
    frame: Frame,
    page: &'static str,
    inventory: InventoryName,
    freshness: Freshness,
    kinds: Vec<KindChoice>,
    query: Asked,
    /// Attributes that the columns show.
    columns: Vec<String>,
    rows: Vec<Line>,
    /// Rows on all pages, where it is known without counting.
    total: Option<Count>,
    /// Address of the next page's JSON.
    next: Option<String>,
    #[serde(skip)]
    view: Presentation,
}

/// What was asked, as it was understood.
#[derive(Debug, Serialize)]
struct Asked {
    kind: Option<String>,
    text: String,
    sort: &'static str,
    order: &'static str,
    limit: u32,
}

/// A kind that can be chosen.
#[derive(Debug, Serialize)]
struct KindChoice {
    id: String,
    kind: String,
    group: String,
    rows: Count,
    #[serde(skip)]
    is_chosen: bool,
}

/// What only the HTML has.
#[derive(Debug)]
struct Presentation {
    choices: Vec<InventoryName>,
    heads: Vec<Head>,
    has_kind: bool,
    own_limit: Option<u32>,
    is_default_order: bool,
    first: Option<String>,
    next: Option<String>,
    /// The list without kind and text.
    all: Option<String>,
}

impl ListPage {
    /// The page for a query, whose inventory is the chosen one.
    pub async fn load(
        site: &Site,
        inventories: &[InventorySummary],
        chosen: &InventorySummary,
        query: ListQuery,
    ) -> Result<Self, Failure> {
        let base = &site.settings.base_path;
        let limit = query.limit.unwrap_or(site.settings.page_rows).get();
        let request = PageRequest {
            inventory: chosen.id.clone(),
            kind: query.kind.clone(),
            text: query.text.clone(),
            order: query.order,
            after: query.after.clone(),
            limit,
        };
        let (page, states) = site.page(&request).await?;
        // Of one kind, attributes are columns; of several they have little in common.
        let is_one_kind = query.kind.is_some() || chosen.kinds.len() == 1;
        let payloads = page.rows.iter().filter_map(|row| row.payload.get("attributes"));
        let columns = if is_one_kind { columns(payloads) } else { Vec::new() };
        let rows = page
            .rows
            .iter()
            .map(|row| Line::new(base, row, is_one_kind.then_some(columns.as_slice())))
            .collect();
        let next = page.next.map(|after| ListQuery {
            after: Some(after),
            ..query.clone()
        });
        let link = |format, query: &ListQuery| address::list(base, format, query);
        let first = ListQuery {
            after: None,
            ..query.clone()
        };
        let all = ListQuery {
            kind: None,
            text: String::new(),
            ..first.clone()
        };
        Ok(Self {
            frame: site.frame(Some(link(Format::Json, &query))),
            page: "list",
            inventory: InventoryName::new(&chosen.id),
            freshness: Freshness::new(&states),
            kinds: kind_choices(chosen, query.kind.as_ref()),
            total: total(chosen, &query),
            next: next.as_ref().map(|next| link(Format::Json, next)),
            view: Presentation {
                choices: choices(inventories, chosen),
                heads: head::heads(base, &query, &columns, is_one_kind),
                has_kind: query.kind.is_none(),
                own_limit: query.limit.map(std::num::NonZeroU32::get),
                is_default_order: query.order == kollect_ports::query::Order::default(),
                first: query.after.is_some().then(|| link(Format::Html, &first)),
                next: next.as_ref().map(|next| link(Format::Html, next)),
                all: query.is_narrowed().then(|| link(Format::Html, &all)),
            },
            query: Asked {
                kind: query.kind.as_ref().map(names::kind_word),
                sort: query.order.by.id(),
                order: if query.order.descending { "desc" } else { "asc" },
                text: query.text,
                limit,
            },
            columns: columns.into_iter().map(|column| column.name).collect(),
            rows,
        })
    }

    fn is_chosen(&self, choice: &InventoryName) -> bool {
        *choice == self.inventory
    }

    /// What the page shows, in words.
    fn shown(&self) -> String {
        let shown = Count::from(self.rows.len()).of("row", "rows");
        match self.total {
            Some(total) if total != Count::from(self.rows.len()) => format!("{shown} of {total}"),
            _ if self.view.next.is_some() || self.view.first.is_some() => format!("{shown} on this page"),
            _ => shown,
        }
    }
}

fn kind_choices(chosen: &InventorySummary, kind: Option<&GroupKind>) -> Vec<KindChoice> {
    let mut kinds: Vec<(&GroupKind, u64)> = chosen.kinds.iter().map(|(kind, rows)| (kind, *rows)).collect();
    // One that was chosen stays so when its last row goes, or its inventory is another one.
    if let Some(kind) = kind.filter(|kind| chosen.kinds.iter().all(|(known, _)| known != *kind)) {
        kinds.push((kind, 0));
    }
    kinds.sort_by(|(a, _), (b, _)| (&a.kind, &a.group).cmp(&(&b.kind, &b.group)));
    let choice = |(own, rows): (&GroupKind, u64)| KindChoice {
        id: names::kind_word(own),
        kind: own.kind.to_string(),
        group: own.group.to_string(),
        rows: Count(rows),
        is_chosen: kind == Some(own),
    };
    kinds.into_iter().map(choice).collect()
}

fn choices(inventories: &[InventorySummary], chosen: &InventorySummary) -> Vec<InventoryName> {
    let mut choices: Vec<&InventorySummary> = inventories.iter().take(MOST_CHOICES).collect();
    if !choices.iter().any(|choice| choice.id == chosen.id) {
        choices.push(chosen);
    }
    choices
        .into_iter()
        .map(|choice| InventoryName::new(&choice.id))
        .collect()
}

/// Rows that the query has on all pages. A text would have to be looked for in all of them.
fn total(chosen: &InventorySummary, query: &ListQuery) -> Option<Count> {
    let is_wanted = |kind: &GroupKind| query.kind.as_ref().is_none_or(|wanted| wanted == kind);
    let rows = chosen
        .kinds
        .iter()
        .filter(|(kind, _)| is_wanted(kind))
        .map(|(_, rows)| rows);
    query.text.is_empty().then(|| Count(rows.sum()))
}
