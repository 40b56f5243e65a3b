//! All inventories.

use askama::Template;
use kollect_ports::query::{InventorySummary, ScopeState};
use serde::Serialize;

use super::{Frame, InventoryName};
use crate::address::{self, Format};
use crate::failure::Failure;
use crate::freshness::{Freshness, Health};
use crate::names;
use crate::query::ListQuery;
use crate::settings::BasePath;
use crate::shown::{Count, Moment};
use crate::site::Site;

/// Most inventories of a page; each costs a question about its states.
const MOST: usize = 100;
/// Most kinds that an inventory shows.
const MOST_KINDS: usize = 12;

/// All inventories, or those whose name has a text.
#[derive(Debug, Template, Serialize)]
#[template(path = "overview.html")]
#[serde(rename_all = "camelCase")]
pub struct OverviewPage {
    #[serde(skip)]
    frame: Frame,
    page: &'static str,
    /// The text.
    text: String,
    /// Inventories in all.
    total: Count,
    /// Those that fit and whose name has the text.
    inventories: Vec<Entry>,
    /// Such that are not in the list.
    more: Count,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    inventory: InventoryName,
    health: Health,
    degraded: Vec<String>,
    rows: Count,
    kinds: Vec<KindEntry>,
    exported_at: Option<Moment>,
    #[serde(skip)]
    href: String,
    #[serde(skip)]
    hidden_kinds: usize,
}

#[derive(Debug, Serialize)]
struct KindEntry {
    kind: String,
    group: String,
    rows: Count,
    #[serde(skip)]
    href: String,
}

impl OverviewPage {
    /// The overview; of the query, the text counts.
    pub async fn load(site: &Site, inventories: Vec<InventorySummary>, query: ListQuery) -> Result<Self, Failure> {
        let base = &site.settings.base_path;
        let total = inventories.len();
        let wanted = query.text.to_ascii_lowercase();
        let mut found: Vec<InventorySummary> = inventories
            .into_iter()
            .filter(|summary| {
                names::inventory_word(&summary.id)
                    .to_ascii_lowercase()
                    .contains(&wanted)
            })
            .collect();
        let more = found.len().saturating_sub(MOST);
        found.truncate(MOST);
        let states = site.states(&found).await?;
        let inventories = found
            .iter()
            .zip(&states)
            .map(|(summary, states)| Entry::new(base, summary, states))
            .collect();
        Ok(Self {
            frame: site.frame(Some(address::list(base, Format::Json, &text_only(&query.text)))),
            page: "overview",
            text: query.text,
            total: total.into(),
            inventories,
            more: more.into(),
        })
    }

    fn rows(&self) -> Count {
        Count(self.inventories.iter().map(|entry| entry.rows.0).sum())
    }

    fn degraded(&self) -> usize {
        let is_degraded = |entry: &&Entry| entry.health == Health::Degraded;
        self.inventories.iter().filter(is_degraded).count()
    }
}

fn text_only(text: &str) -> ListQuery {
    ListQuery {
        text: text.to_owned(),
        ..ListQuery::default()
    }
}

impl Entry {
    fn new(base: &BasePath, summary: &InventorySummary, states: &[ScopeState]) -> Self {
        let list = |kind| {
            let query = ListQuery {
                inventory: Some(summary.id.clone()),
                kind,
                ..ListQuery::default()
            };
            address::list(base, Format::Html, &query)
        };
        let mut by_name: Vec<_> = summary.kinds.iter().collect();
        by_name.sort_by(|(a, _), (b, _)| (&a.kind, &a.group).cmp(&(&b.kind, &b.group)));
        let kinds = by_name.into_iter().map(|(kind, rows)| KindEntry {
            kind: kind.kind.to_string(),
            group: kind.group.to_string(),
            rows: Count(*rows),
            href: list(Some(kind.clone())),
        });
        let freshness = Freshness::new(states);
        let mut degraded: Vec<String> = freshness
            .problems
            .iter()
            .filter(|scope| scope.health == Health::Degraded)
            .map(|scope| scope.target.clone())
            .collect();
        degraded.dedup();
        Self {
            inventory: InventoryName::new(&summary.id),
            health: freshness.health,
            degraded,
            rows: Count(summary.kinds.iter().map(|(_, rows)| rows).sum()),
            kinds: kinds.collect(),
            exported_at: summary.exported_at.map(Moment),
            href: list(None),
            hidden_kinds: summary.kinds.len().saturating_sub(MOST_KINDS),
        }
    }

    fn shown_kinds(&self) -> impl Iterator<Item = &KindEntry> {
        self.kinds.iter().take(MOST_KINDS)
    }
}
