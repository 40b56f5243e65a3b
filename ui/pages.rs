//! Pages: what each shows, as one struct for HTML and JSON.

mod error;
mod frame;
mod list;
mod overview;
mod row;

pub use error::ErrorPage;
pub use frame::{Frame, InventoryName};
pub use list::ListPage;
pub use overview::OverviewPage;
pub use row::RowPage;

use kollect_ports::query::InventoryId;

use crate::failure::Failure;
use crate::names;
use crate::query::ListQuery;
use crate::site::Site;

/// What the start page is: the inventories, or the rows of one.
pub enum Home {
    /// No inventory was chosen, and there is not exactly one.
    Overview(Box<OverviewPage>),
    /// The rows of one inventory.
    List(Box<ListPage>),
}

impl Home {
    /// The start page for an address.
    pub async fn load(site: &Site, query: ListQuery) -> Result<Self, Failure> {
        let inventories = site.inventories().await?;
        let chosen = match (&query.inventory, inventories.as_slice()) {
            (Some(id), _) => Some(
                inventories
                    .iter()
                    .find(|summary| summary.id == *id)
                    .ok_or_else(|| no_inventory(id))?,
            ),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        let Some(chosen) = chosen else {
            let page = OverviewPage::load(site, inventories, query).await?;
            return Ok(Self::Overview(Box::new(page)));
        };
        let query = ListQuery {
            inventory: Some(chosen.id.clone()),
            ..query
        };
        let page = ListPage::load(site, &inventories, chosen, query).await?;
        Ok(Self::List(Box::new(page)))
    }
}

fn no_inventory(id: &InventoryId) -> Failure {
    Failure::NoInventory(names::inventory_word(id))
}
