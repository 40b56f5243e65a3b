//! The behaviour of an [`InventoryReader`] that is a [`HealthReader`] as well.
//!
//! Every function is one case and panics when the reader does not behave; [`query_contract!`](crate::query_contract)
//! makes one test of each. A case gets a database of its own.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a suite of tests: an assertion that fails is its purpose"
)]

mod estate;
mod filters;
mod lists;
mod moments;
mod pages;
mod visibility;

use std::sync::Arc;

use async_trait::async_trait;
use kollect_domain::ids::{InventoryKey, RowKey};

pub use filters::*;
pub use lists::*;
pub use moments::*;
pub use pages::*;
pub use visibility::*;

use crate::query::{
    GroupKind, HealthReader, InventoryId, InventoryReader, Order, PageRequest, ScopeState, SortBy, StoredRow, View,
};

/// A reader of rows and of their states.
pub trait Reader: InventoryReader + HealthReader {}

impl<T: InventoryReader + HealthReader> Reader for T {}

/// An inventory database without rows and states, and the means to change it.
#[async_trait]
pub trait QueryHarness: Sync {
    /// A new reader of the database.
    async fn reader(&self) -> Arc<dyn Reader>;

    /// Adds these rows, or replaces those with their inventory and key, as one change.
    async fn put(&self, rows: &[StoredRow]);

    /// Takes a row away.
    async fn remove(&self, row: &StoredRow);

    /// Adds states of an inventory that has none.
    async fn record(&self, inventory: &InventoryId, states: &[ScopeState]);
}

/// Makes a test of every case of the query suite.
///
/// `$harness` is an expression that makes a harness, awaited once per test; `$run` runs a future to its end.
#[macro_export]
macro_rules! query_contract {
    ($harness:expr, $run:path) => {
        $crate::query_contract!(@cases $harness, $run,
            an_empty_database_has_nothing_and_says_so
            inventories_are_listed_with_their_kinds_and_their_newest_row
            states_come_back_in_order_and_unchanged
            a_row_is_found_by_its_whole_key
            odd_payloads_are_shown_and_fail_nothing
            pages_together_equal_the_listing_in_every_order
            no_row_is_lost_or_doubled_by_changes_between_pages
            a_limit_is_kept_and_is_one_at_least
            a_cursor_of_another_list_is_refused
            pages_are_whole_while_a_writer_writes
            a_kind_is_told_apart_by_its_group
            a_text_is_found_where_it_stands_and_nowhere_else
            a_text_is_no_pattern_and_only_ascii_letters_lose_their_case
            filters_hold_over_pages
            what_cannot_be_seen_is_in_no_answer
            whoever_sees_nothing_is_told_of_nothing
            states_of_namespaces_that_cannot_be_seen_are_left_out
            a_moment_in_the_past_is_refused
        );
    };
    (@cases $harness:expr, $run:path, $($case:ident)+) => {
        $(
            #[test]
            fn $case() {
                $run(async {
                    let harness = $harness.await;
                    $crate::contract::query::$case(&harness).await;
                });
            }
        )+
    };
}

/// More pages than any case has.
const MOST_PAGES: usize = 1_000;

fn inventory(cluster: &str, name: &str) -> InventoryId {
    InventoryId {
        cluster: cluster.into(),
        inventory: InventoryKey::new("team-a", name),
    }
}

fn key(target: &str, uid: &str) -> RowKey {
    RowKey {
        target: target.into(),
        uid: uid.into(),
    }
}

fn kind(group: &str, kind: &str) -> GroupKind {
    GroupKind {
        group: group.into(),
        kind: kind.into(),
    }
}

/// The first rows of an inventory in the usual order; enough for all of them.
fn request(inventory: &InventoryId) -> PageRequest {
    PageRequest {
        inventory: inventory.clone(),
        kind: None,
        text: String::new(),
        order: Order::default(),
        after: None,
        limit: 500,
    }
}

/// Every order there is.
fn orders() -> impl Iterator<Item = Order> {
    [SortBy::Namespace, SortBy::Name, SortBy::Kind, SortBy::ExportedAt]
        .into_iter()
        .flat_map(|by| [false, true].map(|descending| Order { by, descending }))
}

/// All pages of a request, one after the other; cursors travel as text.
async fn pages(reader: &dyn Reader, request: &PageRequest, view: &View) -> Vec<StoredRow> {
    let mut request = request.clone();
    let mut rows = Vec::new();
    for _ in 0..MOST_PAGES {
        let page = reader.page(&request, view).await.expect("a page can be read");
        assert!(
            page.rows.len() <= request.limit as usize,
            "more rows than were asked for"
        );
        rows.extend(page.rows);
        let Some(next) = page.next else {
            return rows;
        };
        request.after = Some(next.to_string().parse().expect("a cursor survives its text"));
    }
    let given = rows.len();
    assert_eq!(given, 0, "the list does not end");
    rows
}

/// Keys of rows, as they come.
fn uids(rows: &[StoredRow]) -> Vec<&str> {
    rows.iter().map(|row| &*row.key.uid).collect()
}
