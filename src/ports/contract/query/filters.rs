//! Which rows are asked for.

use serde_json::json;

use super::estate::{listed, member, row, varied};
use super::{QueryHarness, StoredRow, inventory, kind, orders, pages, request, uids};
use crate::query::View;

/// Kinds of one name in two groups are two kinds; versions make no difference.
pub async fn a_kind_is_told_apart_by_its_group(harness: &dyn QueryHarness) {
    let apps = inventory("north", "apps");
    let mut rows = varied(&apps);
    rows[1].payload["version"] = "v1beta1".into();
    harness.put(&rows).await;
    let reader = harness.reader().await;
    for wanted in [
        kind("", "Pod"),
        kind("example.com", "Pod"),
        kind("apps", "Deployment"),
        kind("apps", "Pod"),
    ] {
        let mut request = request(&apps);
        request.kind = Some(wanted.clone());
        let of_kind = |row: &&StoredRow| member(row, "kind") == &*wanted.kind && member(row, "group") == &*wanted.group;
        let expected: Vec<StoredRow> = rows.iter().filter(of_kind).cloned().collect();
        let found = pages(&*reader, &request, &View::default()).await;
        assert_eq!(found, listed(&expected, request.order), "{wanted:?}");
    }
}

/// Rows of the texts in them: names, namespaces, and attributes at any depth.
fn texts(inventory: &crate::query::InventoryId) -> Vec<StoredRow> {
    let object = |uid: &str, namespace: &str, name: &str, attributes| {
        row(inventory, uid, ("", "ConfigMap", namespace, name), &attributes)
    };
    vec![
        object("name", "", "Payments-API", json!({})),
        object("namespace", "payments", "x", json!({})),
        object(
            "attribute",
            "",
            "x",
            json!({ "image": "registry.example/Payments:1.2" }),
        ),
        object("label", "", "x", json!({ "labels": { "team/payments": "yes" } })),
        object(
            "deep",
            "",
            "x",
            json!({ "list": [[{ "a": "no" }, { "b": ["x", "the PAYMENTS team"] }]] }),
        ),
        object("number", "", "x", json!({ "replicas": 31_415 })),
        object("percent", "", "100%", json!({ "note": "50% off" })),
        object("underscore", "", "a_b", json!({})),
        object("letter", "", "axb", json!({})),
        object("backslash", "", "x", json!({ "path": "C:\\temp\\new" })),
        object("quotes", "", "x", json!({ "note": "say \"hi\" to o'reilly" })),
        object("umlaut", "", "x", json!({ "note": "Grüße aus Köln" })),
        object("wide", "", "x", json!({ "note": "世界 👩‍👩‍👧" })),
        object("lines", "", "x", json!({ "note": "first\nsecond\tthird" })),
    ]
}

/// In names, namespaces, and attributes with their names; not in the rest of a row.
pub async fn a_text_is_found_where_it_stands_and_nowhere_else(harness: &dyn QueryHarness) {
    let expectations: [(&str, &[&str]); 8] = [
        ("payments", &["attribute", "deep", "label", "name", "namespace"]),
        ("PAYMENTS TEAM", &["deep"]),
        ("team/pay", &["label"]),
        ("3141", &["number"]),
        ("replicas", &["number"]),
        ("ConfigMap", &[]),
        ("targetName", &[]),
        ("no such text", &[]),
    ];
    finds(harness, &expectations).await;
}

/// Signs that mean something in patterns and in JSON stand for themselves.
pub async fn a_text_is_no_pattern_and_only_ascii_letters_lose_their_case(harness: &dyn QueryHarness) {
    let expectations: [(&str, &[&str]); 14] = [
        ("%", &["percent"]),
        ("0% OFF", &["percent"]),
        ("a_b", &["underscore"]),
        ("a.b", &[]),
        ("\\temp\\", &["backslash"]),
        ("\\", &["backslash"]),
        ("\"hi\"", &["quotes"]),
        ("o'r", &["quotes"]),
        ("grüße", &["umlaut"]),
        ("GRÜSSE", &[]),
        ("KöLN", &["umlaut"]),
        ("KÖLN", &[]),
        ("界 👩", &["wide"]),
        ("first\nsecond\t", &["lines"]),
    ];
    finds(harness, &expectations).await;
}

async fn finds(harness: &dyn QueryHarness, expectations: &[(&str, &[&str])]) {
    let apps = inventory("north", "apps");
    let rows = texts(&apps);
    harness.put(&rows).await;
    let reader = harness.reader().await;
    let mut request = request(&apps);
    for (text, expected) in expectations {
        (*text).clone_into(&mut request.text);
        let found = pages(&*reader, &request, &View::default()).await;
        let mut found = uids(&found);
        found.sort_unstable();
        assert_eq!(&found, expected, "{text:?}");
    }
    request.text = " \t".into();
    assert_eq!(pages(&*reader, &request, &View::default()).await.len(), rows.len());
}

/// Kind, text and order together, one row at a time.
pub async fn filters_hold_over_pages(harness: &dyn QueryHarness) {
    let apps = inventory("north", "apps");
    let rows = varied(&apps);
    harness.put(&rows).await;
    let reader = harness.reader().await;
    for order in orders() {
        let mut request = request(&apps);
        (request.order, request.limit) = (order, 1);
        request.kind = Some(kind("", "Pod"));
        request.text = "WEB".into();
        let wanted = |row: &&StoredRow| {
            member(row, "kind") == "Pod"
                && member(row, "group").is_empty()
                && member(row, "name").to_ascii_lowercase().contains("web")
        };
        let expected: Vec<StoredRow> = rows.iter().filter(wanted).cloned().collect();
        assert!(expected.len() > 5, "the case is about several rows");
        let found = pages(&*reader, &request, &View::default()).await;
        assert_eq!(uids(&found), uids(&listed(&expected, order)), "{order:?}");
    }
}
