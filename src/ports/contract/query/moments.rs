//! The moment that a question is about.

use super::estate::estate;
use super::{QueryHarness, inventory, key, request};
use crate::error::ErrorClass;
use crate::query::{HISTORY_UNAVAILABLE, View};

/// Nobody gets the present in place of the past.
pub async fn a_moment_in_the_past_is_refused(harness: &dyn QueryHarness) {
    harness.put(&estate()).await;
    let (reader, apps) = (harness.reader().await, inventory("north", "apps"));
    let view = View {
        at: Some("2020-01-01T00:00:00Z".parse().expect("a time")),
        ..View::default()
    };
    let refusals = [
        reader.inventories(&view).await.map(|_| ()),
        reader.page(&request(&apps), &view).await.map(|_| ()),
        reader.row(&apps, &key("all", "u-1"), &view).await.map(|_| ()),
        reader.states(&apps, &view).await.map(|_| ()),
    ];
    for refusal in refusals {
        let refusal = refusal.expect_err("no history is kept");
        assert_eq!(
            (refusal.class, refusal.reason),
            (ErrorClass::Rejected, HISTORY_UNAVAILABLE)
        );
    }
}
