//! Order and pages.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::estate::{at, compared, listed, row, varied};
use super::{Order, QueryHarness, SortBy, StoredRow, inventory, orders, pages, request, uids};
use crate::error::ErrorClass;
use crate::query::{Cursor, INVALID_CURSOR, View};

/// Bytewise order in both directions, equal values told apart by the key, at every size of page.
pub async fn pages_together_equal_the_listing_in_every_order(harness: &dyn QueryHarness) {
    let apps = inventory("north", "apps");
    let rows = varied(&apps);
    harness.put(&rows).await;
    harness.put(&varied(&inventory("south", "apps"))).await;
    harness.put(&varied(&inventory("north", "infra"))).await;
    let reader = harness.reader().await;
    for order in orders() {
        let expected = listed(&rows, order);
        for limit in [1, 5, 72, 500] {
            let mut request = request(&apps);
            (request.order, request.limit) = (order, limit);
            let found = pages(&*reader, &request, &View::default()).await;
            assert_eq!(uids(&found), uids(&expected), "{order:?} in pages of {limit}");
            assert_eq!(found, expected);
        }
    }
}

/// A row that is there all the time is given exactly once, whatever comes and goes around it.
pub async fn no_row_is_lost_or_doubled_by_changes_between_pages(harness: &dyn QueryHarness) {
    let reader = harness.reader().await;
    for (round, order) in orders().enumerate() {
        let apps = inventory("north", &format!("apps-{round}"));
        let rows = varied(&apps);
        harness.put(&rows).await;
        let mut numbers = Numbers(round as u64 + 1);
        let removed: BTreeSet<usize> = (0..5).map(|_| numbers.below(rows.len())).collect();
        let mut still_to_remove: Vec<usize> = removed.iter().copied().collect();
        let mut request = request(&apps);
        (request.order, request.limit) = (order, 4);
        let mut found: Vec<StoredRow> = Vec::new();
        loop {
            let page = reader.page(&request, &View::default()).await.expect("a page");
            found.extend(page.rows);
            request.after = page.next;
            if request.after.is_none() {
                break;
            }
            if let Some(index) = still_to_remove.pop() {
                harness.remove(&rows[index]).await;
                let mut new = rows[numbers.below(rows.len())].clone();
                new.key.uid = format!("new-{index}").into();
                harness.put(&[new]).await;
            }
        }
        let mut times: BTreeMap<_, usize> = BTreeMap::new();
        for row in &found {
            *times.entry(&row.key).or_default() += 1;
        }
        assert!(times.values().all(|count| *count == 1), "{order:?}: a row came twice");
        let stayed = rows.iter().enumerate().filter(|(index, _)| !removed.contains(index));
        for (_, row) in stayed {
            assert!(times.contains_key(&row.key), "{order:?}: {:?} is missing", row.key);
        }
        assert!(found.is_sorted_by(|a, b| compared(a, b, order).is_lt()), "{order:?}");
    }
}

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit
    }
}

/// No page has more rows than were asked for, and none has no row while there are more.
pub async fn a_limit_is_kept_and_is_one_at_least(harness: &dyn QueryHarness) {
    let apps = inventory("north", "apps");
    let rows: Vec<StoredRow> = (0..4)
        .map(|number| row(&apps, &format!("u-{number}"), ("", "Pod", "shop", "web"), &json!({})))
        .collect();
    harness.put(&rows).await;
    let reader = harness.reader().await;
    for (limit, expected, more) in [
        (0, 1, true),
        (1, 1, true),
        (3, 3, true),
        (4, 4, false),
        (u32::MAX, 4, false),
    ] {
        let mut request = request(&apps);
        request.limit = limit;
        let page = reader.page(&request, &View::default()).await.expect("a page");
        assert_eq!(
            (page.rows.len(), page.next.is_some()),
            (expected, more),
            "limit {limit}"
        );
    }
}

/// A cursor belongs to its order.
pub async fn a_cursor_of_another_list_is_refused(harness: &dyn QueryHarness) {
    let apps = inventory("north", "apps");
    harness.put(&varied(&apps)).await;
    let reader = harness.reader().await;
    let mut request = request(&apps);
    request.limit = 1;
    let next = reader.page(&request, &View::default()).await.expect("a page").next;
    let of_two_values = next.expect("more rows");
    let key = of_two_values.key().clone();
    let by_name = Order {
        by: SortBy::Name,
        descending: false,
    };
    let backwards = Order {
        descending: true,
        ..request.order
    };
    let of_no_values = Cursor::new(request.order, Vec::new(), key);
    for (order, cursor) in [
        (by_name, of_two_values.clone()),
        (backwards, of_two_values),
        (request.order, of_no_values),
    ] {
        (request.order, request.after) = (order, Some(cursor));
        let refusal = reader.page(&request, &View::default()).await.expect_err("another list");
        assert_eq!((refusal.class, refusal.reason), (ErrorClass::Rejected, INVALID_CURSOR));
    }
}

/// A change that replaces all rows as one is seen whole or not at all.
pub async fn pages_are_whole_while_a_writer_writes(harness: &dyn QueryHarness) {
    let apps = inventory("north", "apps");
    let generation = |number: i64| -> Vec<StoredRow> {
        (0..100)
            .map(|row_number| {
                let attributes = json!({ "generation": number });
                let mut row = row(
                    &apps,
                    &format!("u-{row_number:03}"),
                    ("", "Pod", "shop", "web"),
                    &attributes,
                );
                row.exported_at = at(number);
                row
            })
            .collect()
    };
    harness.put(&generation(0)).await;
    let reader = harness.reader().await;
    let writing = async {
        for number in 1..=10 {
            harness.put(&generation(number)).await;
        }
    };
    let reading = async {
        for _ in 0..30 {
            let page = reader.page(&request(&apps), &View::default()).await.expect("a page");
            assert_eq!(page.rows.len(), 100);
            let first = &page.rows[0].payload["attributes"];
            assert!(
                page.rows.iter().all(|row| row.payload["attributes"] == *first),
                "half a change"
            );
        }
    };
    futures::join!(writing, reading);
    let page = reader.page(&request(&apps), &View::default()).await.expect("a page");
    assert_eq!(page.rows, generation(10));
}
