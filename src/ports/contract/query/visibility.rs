//! What a reader may see.

use super::estate::estate;
use super::lists::state;
use super::{QueryHarness, inventory, kind, pages, request, uids};
use crate::query::{InventorySummary, View, Visibility};

fn view(clusters: Option<&[&str]>, namespaces: Option<&[&str]>) -> View {
    let set = |names: Option<&[&str]>| names.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
    View {
        at: None,
        visibility: Visibility {
            clusters: set(clusters),
            namespaces: set(namespaces),
        },
    }
}

/// Lists, counts and single rows leave the same rows out.
pub async fn what_cannot_be_seen_is_in_no_answer(harness: &dyn QueryHarness) {
    let rows = estate();
    harness.put(&rows).await;
    let reader = harness.reader().await;
    let cases: [(View, &[&str]); 5] = [
        (view(None, Some(&["shop"])), &["u-1", "u-2"]),
        (view(None, Some(&["bank", "none"])), &["u-3"]),
        (view(None, Some(&[""])), &["u-4"]),
        (view(Some(&["north"]), Some(&["", "shop"])), &["u-1", "u-2", "u-4"]),
        (view(Some(&["south"]), None), &[]),
    ];
    let apps = inventory("north", "apps");
    for (view, visible) in cases {
        let found = pages(&*reader, &request(&apps), &view).await;
        let mut found = uids(&found);
        found.sort_unstable();
        assert_eq!(found, visible, "{view:?}");
        for row in rows.iter().filter(|row| row.inventory == apps) {
            let shown = reader.row(&apps, &row.key, &view).await.expect("a row or none");
            let expected = visible.contains(&&*row.key.uid).then(|| row.clone());
            assert_eq!(shown, expected, "{view:?}");
        }
        let summaries = reader.inventories(&view).await.expect("a list of inventories");
        let own = summaries.iter().find(|summary| summary.id == apps);
        let count = own.map_or(0, |summary| summary.kinds.iter().map(|(_, count)| count).sum());
        assert_eq!(count, visible.len() as u64, "{view:?}");
    }
    let of_shop = reader.inventories(&view(Some(&["north"]), Some(&["shop"]))).await;
    let summary = |name| InventorySummary {
        id: inventory("north", name),
        kinds: vec![(kind("apps", "Deployment"), 2)],
        exported_at: Some(rows[0].exported_at),
    };
    assert_eq!(of_shop, Ok(vec![summary("apps"), summary("infra")]));
}

/// An empty list is not the absence of one.
pub async fn whoever_sees_nothing_is_told_of_nothing(harness: &dyn QueryHarness) {
    harness.put(&estate()).await;
    let apps = inventory("north", "apps");
    harness.record(&apps, &[state("all", "shop", 2)]).await;
    let reader = harness.reader().await;
    for view in [
        view(Some(&[]), None),
        view(None, Some(&[])),
        view(Some(&[""]), Some(&["shop"])),
    ] {
        assert_eq!(reader.inventories(&view).await, Ok(Vec::new()), "{view:?}");
        assert_eq!(pages(&*reader, &request(&apps), &view).await, []);
        assert_eq!(reader.states(&apps, &view).await, Ok(Vec::new()));
    }
}

/// Scopes of other namespaces are nobody's business; those of the whole cluster say how current all rows are.
pub async fn states_of_namespaces_that_cannot_be_seen_are_left_out(harness: &dyn QueryHarness) {
    let (apps, hidden) = (inventory("north", "apps"), inventory("north", "hidden"));
    let (of_cluster, of_bank, of_shop) = (state("all", "", 9), state("all", "bank", 1), state("all", "shop", 2));
    harness
        .record(&apps, &[of_cluster.clone(), of_bank.clone(), of_shop.clone()])
        .await;
    harness.record(&hidden, &[of_bank]).await;
    let reader = harness.reader().await;
    let shop = view(None, Some(&["shop"]));
    assert_eq!(reader.states(&apps, &shop).await, Ok(vec![of_cluster, of_shop]));
    let summaries = reader.inventories(&shop).await.expect("a list of inventories");
    let ids: Vec<_> = summaries.into_iter().map(|summary| summary.id).collect();
    assert_eq!(
        ids,
        std::slice::from_ref(&apps),
        "an inventory of which nothing can be seen is not named"
    );
    assert_eq!(
        reader.states(&apps, &view(Some(&["south"]), None)).await,
        Ok(Vec::new())
    );
}
