//! Data that somebody else wrote, to do harm or by accident.

use std::sync::Arc;

use kollect_domain::ids::RowKey;
use kollect_ports::fakes::query::FakeReader;
use kollect_ports::query::StoredRow;
use serde_json::{Value, json};

use super::client::{json as twin, page, site};
use super::estate::{DEPLOYMENT, Object, inventory, now, row, state};
use super::markup::{Element, parse};

const EVIL: &str = "<script>alert('1')</script>\"><img src=x onerror=alert(2)>&amp;{{7*7}}";

/// What our own pages have, and nothing else.
fn is_ours(page: &Element) {
    assert_eq!(page.named("script").len(), 1, "the one script is ours");
    for element in page.all() {
        for (name, value) in &element.attributes {
            assert!(
                !name.starts_with("on") && name != "style",
                "{name}={value} in <{}>",
                element.name
            );
            let is_address = ["href", "src", "action"].contains(&name.as_str());
            assert!(
                !is_address || value.starts_with('/') || value == "#content",
                "{name}={value}"
            );
        }
    }
}

fn hrefs(page: &Element) -> Vec<String> {
    let links = page.named("a").into_iter().filter_map(|link| link.attribute("href"));
    links.filter(|href| !href.starts_with('#')).map(str::to_owned).collect()
}

#[tokio::test]
async fn markup_in_every_field_is_shown_as_text() {
    let evil = inventory(EVIL, EVIL, EVIL);
    let reader = Arc::new(FakeReader::default());
    let payload = json!({
        "namespace": EVIL, "name": EVIL, "kind": EVIL, "group": EVIL, "version": EVIL, "uid": EVIL,
        "attributes": {EVIL: EVIL, "list": [EVIL, {EVIL: [EVIL]}], "object": {EVIL: EVIL}, "lines": format!("a\n{EVIL}")},
    });
    reader.put(StoredRow {
        inventory: evil.clone(),
        key: RowKey {
            target: EVIL.into(),
            uid: EVIL.into(),
        },
        payload,
        exported_at: now(),
    });
    let degraded = kollect_ports::query::ScopeState {
        reason: EVIL.to_owned(),
        scope: EVIL.to_owned(),
        ..state(EVIL, &format!("{EVIL}/{EVIL}"), "Degraded", 1)
    };
    reader.record(&evil, vec![degraded]);
    reader.put(row(
        &inventory("", "b", "c"),
        "t",
        Object {
            kind: DEPLOYMENT,
            namespace: "b",
            name: "d",
        },
        &json!({}),
    ));
    let site = site(&reader);
    let overview = parse(&page(&site, "/").await);
    is_ours(&overview);
    let mut left = hrefs(&overview);
    let mut seen = std::collections::BTreeSet::new();
    while let Some(address) = left.pop() {
        if address.contains(".json") || !seen.insert(address.clone()) {
            continue;
        }
        let page = parse(&page(&site, &address).await);
        is_ours(&page);
        left.extend(hrefs(&page));
    }
    let row = seen
        .iter()
        .find(|address| address.starts_with("/row?") && address.contains("script"));
    let shown = parse(&page(&site, row.expect("the links lead to the row")).await);
    assert_eq!(shown.only("h1").text(), format!("{EVIL} {EVIL}"));
    let found = parse(&page(&site, "/?inventory=b/c&q=%3Cscript%3E%22").await);
    is_ours(&found);
    assert!(found.text().contains("“<script>\"”"), "{}", found.text());
}

#[tokio::test]
async fn huge_values_are_cut_on_the_pages_and_whole_in_the_twin() {
    let huge = inventory("", "huge", "all");
    let deep = (0..100).fold(json!("bottom"), |value, _| json!([value]));
    let attributes = json!({
        "deep": deep,
        "items": (0..1000).collect::<Vec<_>>(),
        "long": "x".repeat(10_000),
        "wide": (0..5000).map(|number| (format!("member{number}"), json!(number))).collect::<serde_json::Map<_, _>>(),
    });
    let object = Object {
        kind: DEPLOYMENT,
        namespace: "huge",
        name: "one",
    };
    let reader = Arc::new(FakeReader::default());
    reader.put(row(&huge, "all", object, &attributes));
    let site = site(&reader);
    let list = page(&site, "/").await;
    assert!(list.len() < 8 * 1024, "{} bytes", list.len());
    let address = parse(&list)
        .only("tbody")
        .only("a")
        .attribute("href")
        .unwrap()
        .to_owned();
    let html = page(&site, &address).await;
    assert!(html.len() < 256 * 1024, "{} bytes", html.len());
    let text = parse(&html).text();
    for said in [
        "6000 more characters",
        "800 more items",
        "4800 more entries",
        "not shown here",
        "has all of it",
    ] {
        assert!(text.contains(said), "{said}");
    }
    let whole = twin(&site, &address.replace("/row?", "/row.json?")).await;
    assert_eq!(whole["item"]["attributes"], attributes);
}

#[tokio::test]
async fn rows_of_other_programs_are_shown_as_they_are() {
    let strange = inventory("", "strange", "all");
    let payloads = [
        json!(null),
        json!("text"),
        json!([1, 2]),
        json!({"name": 7, "attributes": "none"}),
        json!({}),
    ];
    let reader = Arc::new(FakeReader::default());
    for (index, payload) in payloads.iter().enumerate() {
        reader.put(StoredRow {
            inventory: strange.clone(),
            key: RowKey {
                target: "t".into(),
                uid: format!("uid-{index}").into(),
            },
            payload: payload.clone(),
            exported_at: now(),
        });
    }
    let site = site(&reader);
    let list = parse(&page(&site, "/").await);
    let names: Vec<String> = list.rows().iter().map(|row| row[1].clone()).collect();
    assert_eq!(
        names,
        ["uid-0", "uid-1", "uid-2", "uid-3", "uid-4"],
        "the uid stands for the name"
    );
    for (link, payload) in list.only("tbody").named("a").into_iter().zip(&payloads) {
        let shown = parse(&page(&site, link.attribute("href").unwrap()).await);
        let text: Value = serde_json::from_str(&shown.only("pre").text()).unwrap();
        assert_eq!(text, *payload);
        assert!(shown.text().contains("not written by Kollect"), "{payload}");
    }
}
