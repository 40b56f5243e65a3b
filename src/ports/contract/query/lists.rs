//! What there is.

use serde_json::{Value, json};

use super::estate::{at, estate, row, varied};
use super::{QueryHarness, ScopeState, inventory, key, kind, pages, request, uids};
use crate::query::{GroupKind, InventorySummary, StoredRow, View};

/// No rows, no states: no error.
pub async fn an_empty_database_has_nothing_and_says_so(harness: &dyn QueryHarness) {
    let (reader, view, apps) = (harness.reader().await, View::default(), inventory("north", "apps"));
    assert_eq!(reader.inventories(&view).await, Ok(Vec::new()));
    let page = reader.page(&request(&apps), &view).await.expect("an empty page");
    assert_eq!((page.rows, page.next), (Vec::new(), None));
    assert_eq!(reader.row(&apps, &key("all", "u-1"), &view).await, Ok(None));
    assert_eq!(reader.states(&apps, &view).await, Ok(Vec::new()));
}

/// Counts by kind, whatever the version, and the newest time; inventories without rows that are known to be empty.
pub async fn inventories_are_listed_with_their_kinds_and_their_newest_row(harness: &dyn QueryHarness) {
    let mut rows = estate();
    rows[1].exported_at = at(90);
    rows[1].payload["version"] = "v2".into();
    harness.put(&rows).await;
    let empty = inventory("north", "empty");
    harness.record(&empty, &[state("all", "", 0)]).await;
    let kinds: Vec<(GroupKind, u64)> = vec![
        (kind("", "Node"), 1),
        (kind("", "Pod"), 1),
        (kind("apps", "Deployment"), 2),
    ];
    let summary = |cluster, name, exported_at| InventorySummary {
        id: inventory(cluster, name),
        kinds: kinds.clone(),
        exported_at: Some(at(exported_at)),
    };
    let expected = vec![
        summary("north", "apps", 90),
        InventorySummary {
            id: empty,
            kinds: Vec::new(),
            exported_at: None,
        },
        summary("north", "infra", 0),
        summary("south", "apps", 0),
    ];
    let reader = harness.reader().await;
    assert_eq!(reader.inventories(&View::default()).await, Ok(expected));
}

/// A state of one watch scope.
pub(super) fn state(target: &str, scope: &str, rows: u64) -> ScopeState {
    ScopeState {
        target: target.into(),
        kind: "apps/v1/Deployment".to_owned(),
        scope: scope.to_owned(),
        state: "Complete".to_owned(),
        reason: String::new(),
        last_list: Some(at(1)),
        last_event: None,
        as_of: Some(at(2)),
        rows,
        updated_at: at(3),
    }
}

/// All fields of every state, ascending by target, kind and scope, bytewise.
pub async fn states_come_back_in_order_and_unchanged(harness: &dyn QueryHarness) {
    let apps = inventory("north", "apps");
    let mut degraded = state("b", "shop", 7);
    degraded.state = "Degraded".into();
    degraded.reason = "ScopeForbidden".into();
    degraded.last_event = Some("2026-12-01T10:00:00.123456Z".parse().expect("a time"));
    (degraded.last_list, degraded.as_of) = (None, None);
    let mut of_pods = state("b", "", 4_000_000_000);
    of_pods.kind = "/v1/Pod".into();
    let sorted = [
        state("All", "shop", 1),
        state("all", "Shop", 0),
        state("all", "shop", 2),
        of_pods,
        degraded,
    ];
    let mut shuffled = sorted.clone();
    shuffled.reverse();
    harness.record(&apps, &shuffled).await;
    harness
        .record(&inventory("south", "apps"), &[state("elsewhere", "", 1)])
        .await;
    let reader = harness.reader().await;
    assert_eq!(reader.states(&apps, &View::default()).await, Ok(sorted.to_vec()));
}

/// Every part of a key counts, and what is found is what was stored.
pub async fn a_row_is_found_by_its_whole_key(harness: &dyn QueryHarness) {
    let mut rows = varied(&inventory("north", "apps"));
    rows.extend(varied(&inventory("south", "apps")));
    harness.put(&rows).await;
    let (reader, view) = (harness.reader().await, View::default());
    let wanted = &rows[5];
    let found = reader.row(&wanted.inventory, &wanted.key, &view).await;
    assert_eq!(found, Ok(Some(wanted.clone())));
    let (target, uid) = (&*wanted.key.target, &*wanted.key.uid);
    let others = [
        (inventory("north", "infra"), key(target, uid)),
        (inventory("west", "apps"), key(target, uid)),
        (wanted.inventory.clone(), key("none", uid)),
        (
            wanted.inventory.clone(),
            key(target, &uid.to_ascii_lowercase().replace('u', "x")),
        ),
        (wanted.inventory.clone(), key(target, "u-\u{0}")),
        (inventory("north\u{0}", "apps"), key(target, uid)),
    ];
    for (inventory, key) in others {
        assert_eq!(reader.row(&inventory, &key, &view).await, Ok(None), "{key:?}");
    }
}

/// Other programs write other things: they are shown, and members that are no text count as empty.
pub async fn odd_payloads_are_shown_and_fail_nothing(harness: &dyn QueryHarness) {
    let apps = inventory("north", "apps");
    let odd = [
        json!(null),
        json!([{ "name": "web" }]),
        json!("text"),
        json!(7),
        json!({}),
        json!({ "name": 1, "namespace": ["shop"], "kind": null, "group": {}, "attributes": "web" }),
        json!({ "name": "grüße, 世界 \"quoted\" \\ \n\t", "attributes": { "": [null, 0.1, 1e300, u64::MAX] } }),
    ];
    let stored = |(number, payload): (usize, &Value)| StoredRow {
        payload: payload.clone(),
        ..row(&apps, &format!("u-{number}"), ("", "", "", ""), &json!({}))
    };
    let rows: Vec<StoredRow> = odd.iter().enumerate().map(stored).collect();
    harness.put(&rows).await;
    let (reader, view) = (harness.reader().await, View::default());
    let listed = pages(&*reader, &request(&apps), &view).await;
    assert_eq!(listed, rows, "all names but the last one's count as empty");
    let mut of_web = request(&apps);
    of_web.text = "WEB".into();
    assert_eq!(uids(&pages(&*reader, &of_web, &view).await), ["u-5"]);
    let summaries = reader.inventories(&view).await.expect("a list of inventories");
    assert_eq!(summaries[0].kinds, [(kind("", ""), 7)]);
}
