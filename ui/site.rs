//! What every handler shares: the readers, each asked within a deadline, and what pages have in common.

use std::future::Future;
use std::sync::Arc;

use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use kollect_domain::ids::RowKey;
use kollect_ports::error::PortError;
use kollect_ports::query::{InventoryId, InventorySummary, Page, PageRequest, ScopeState, StoredRow, View};
use tokio::time::timeout;

use crate::Readers;
use crate::assets::Assets;
use crate::failure::Failure;
use crate::pages::Frame;
use crate::settings::Settings;

/// Questions of one page that are asked at the same time; readers have few connections.
const AT_ONCE: usize = 4;

/// The site, shared by all requests.
#[derive(Debug)]
pub struct Site {
    readers: Readers,
    /// How it is served.
    pub settings: Settings,
    /// Its files.
    pub assets: Assets,
    view: View,
}

impl Site {
    /// A site over readers.
    pub fn new(readers: Readers, settings: Settings) -> Arc<Self> {
        let view = View {
            at: None,
            visibility: settings.visibility.clone(),
        };
        Arc::new(Self {
            readers,
            settings,
            assets: Assets::new(),
            view,
        })
    }

    /// What the pages have in common; `twin` is the address of the JSON twin.
    pub fn frame(&self, twin: Option<String>) -> Frame {
        Frame {
            site: self.settings.title.clone(),
            version: self.settings.version.clone(),
            home: format!("{}/", self.settings.base_path),
            assets: self.assets.addresses(&self.settings.base_path),
            twin,
        }
    }

    /// All inventories.
    pub async fn inventories(&self) -> Result<Vec<InventorySummary>, Failure> {
        self.in_time(self.readers.inventories.inventories(&self.view)).await
    }

    /// Some rows, and the states of their inventory.
    pub async fn page(&self, request: &PageRequest) -> Result<(Page, Vec<ScopeState>), Failure> {
        let page = self.in_time(self.readers.inventories.page(request, &self.view));
        let states = self.in_time(self.readers.health.states(&request.inventory, &self.view));
        tokio::try_join!(page, states)
    }

    /// One row, and the states of its inventory.
    pub async fn row(
        &self,
        inventory: &InventoryId,
        key: &RowKey,
    ) -> Result<(Option<StoredRow>, Vec<ScopeState>), Failure> {
        let row = self.in_time(self.readers.inventories.row(inventory, key, &self.view));
        let states = self.in_time(self.readers.health.states(inventory, &self.view));
        tokio::try_join!(row, states)
    }

    /// The states of some inventories, in their order.
    pub async fn states(&self, inventories: &[InventorySummary]) -> Result<Vec<Vec<ScopeState>>, Failure> {
        let questions: Vec<_> = inventories
            .iter()
            .map(|summary| self.in_time(self.readers.health.states(&summary.id, &self.view)))
            .collect();
        stream::iter(questions).buffered(AT_ONCE).try_collect().await
    }

    async fn in_time<T>(&self, answer: impl Future<Output = Result<T, PortError>>) -> Result<T, Failure> {
        match timeout(self.settings.deadline, answer).await {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(Failure::Late),
        }
    }
}
