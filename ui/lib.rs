//! Read-only pages over exported inventories, rendered on the server.
//!
//! The pages ask two ports, [`InventoryReader`] and [`HealthReader`], and know no database and no cluster: that they
//! never write is a property of this package's dependencies. A request goes through these steps:
//!
//! 1. [`shield`] refuses what is neither GET nor HEAD and what is addressed to another host, and puts the security
//!    headers on every answer.
//! 2. [`routes`] finds the handler; [`query`] parses the parameters strictly.
//! 3. [`site`] asks the readers, each within a deadline.
//! 4. [`pages`] builds a page, one struct that is both rendered as HTML and serialised as its JSON twin.
//! 5. [`answer`] turns the page, or the [`failure`], into a response.
//!
//! Nothing here reads a clock, so a page is a function of the address and the data; the same page has the same `ETag`.

mod address;
mod answer;
mod assets;
mod cell;
mod columns;
mod failure;
mod freshness;
mod hosts;
mod names;
mod pages;
mod parameters;
mod query;
mod routes;
mod settings;
mod shield;
mod shown;
mod site;
mod tree;

use std::sync::Arc;

use axum::Router;
use kollect_ports::query::{HealthReader, InventoryReader};

pub use hosts::Hosts;
pub use settings::{BasePath, InvalidBasePath, Settings};

/// What the pages read.
#[derive(Debug, Clone)]
pub struct Readers {
    /// Inventories and rows.
    pub inventories: Arc<dyn InventoryReader>,
    /// How current they are.
    pub health: Arc<dyn HealthReader>,
}

/// The pages, to be served by any listener.
pub fn router(readers: Readers, settings: Settings) -> Router {
    routes::router(site::Site::new(readers, settings))
}
