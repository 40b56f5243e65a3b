//! What the pages show.

use std::sync::Arc;

use kollect_ports::fakes::query::FakeReader;
use kollect_ui::Settings;
use serde_json::{Value, json};

use super::client::{get, json, page, site, site_with};
use super::estate::{DEPLOYMENT, Object, estate, row, shop};
use super::markup::parse;

const SHOP: &str = "/?inventory=north-1/shop/everything";
const ROW: &str = "inventory=north-1/shop/everything&target=deployments&uid=deployment-accounts-accounts-images";

/// The texts of a member of all items.
fn texts(items: &Value, member: &str) -> Vec<String> {
    let items = items.as_array().unwrap();
    items
        .iter()
        .map(|item| item[member].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn the_start_page_lists_several_inventories_with_rows_kinds_and_state() {
    let page = parse(&page(&site(&estate()), "/").await);
    let rows = page.rows();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0][..4], ["lab", "experiments/all", "Listing", "0"]);
    assert_eq!(
        rows[1],
        [
            "north-1",
            "shop/everything",
            "Complete",
            "64",
            "Deployment 40Node 4Service 20",
            "2026-12-01 15:04:05Z"
        ]
    );
    assert_eq!(rows[2][2], "Degraded deployments, secrets");
    assert_eq!(page.link("shop/everything").as_deref(), Some(SHOP));
    assert_eq!(page.link("Deployment 40"), Some(format!("{SHOP}&kind=Deployment.apps")));
}

#[tokio::test]
async fn inventories_are_found_by_a_part_of_their_name() {
    let site = site(&estate());
    let found = parse(&page(&site, "/?q=SOUTH").await);
    assert_eq!(found.rows().len(), 1);
    let nothing = parse(&page(&site, "/?q=east").await);
    assert!(
        nothing.text().contains("None of the 3 has “east”"),
        "{}",
        nothing.text()
    );
    assert_eq!(nothing.link("Show all inventories").as_deref(), Some("/"));
}

#[tokio::test]
async fn the_only_inventory_is_shown_at_once() {
    let reader = Arc::new(FakeReader::default());
    let object = Object {
        kind: DEPLOYMENT,
        namespace: "shop",
        name: "web",
    };
    reader.put(row(&shop(), "deployments", object, &json!({"replicas": 3})));
    let page = parse(&page(&site(&reader), "/").await);
    assert_eq!(page.only("h1").text(), "shop/everything north-1");
    assert_eq!(
        page.rows()[0],
        ["shop", "web", "Deployment apps", "3", "2026-12-01 15:04:05Z"]
    );
    assert!(page.text().contains("No state was recorded"), "{}", page.text());
}

#[tokio::test]
async fn a_database_without_inventories_says_how_to_get_one() {
    let page = parse(&page(&site(&Arc::default()), "/").await);
    assert!(page.text().contains("There are no inventories yet"), "{}", page.text());
    assert!(page.text().contains("kollect collect"), "{}", page.text());
}

#[tokio::test]
async fn an_inventory_without_rows_and_a_filter_without_matches_say_so() {
    let site = site(&estate());
    let empty = parse(&page(&site, "/?inventory=lab/experiments/all").await).text();
    assert!(empty.contains("This inventory is empty"), "{empty}");
    let nothing = parse(&page(&site, &format!("{SHOP}&kind=Pod&q=zebra")).await);
    let text = nothing.text();
    assert!(text.contains("shop/everything has no Pod with “zebra”"), "{text}");
    assert_eq!(nothing.link("Show all rows").as_deref(), Some(SHOP));
    let kind = nothing
        .named("option")
        .into_iter()
        .find(|option| option.attribute("selected").is_some());
    assert!(kind.is_some(), "the kind stays chosen");
}

#[tokio::test]
async fn a_list_of_one_kind_has_its_attributes_as_columns() {
    let page = parse(&page(&site(&estate()), &format!("{SHOP}&kind=Deployment.apps&limit=2")).await);
    let heads: Vec<String> = page.only("thead").named("th").iter().map(|head| head.text()).collect();
    assert_eq!(
        heads,
        [
            "Namespace",
            "Name",
            "images",
            "labels",
            "owner",
            "ready",
            "replicas",
            "version",
            "Last export"
        ]
    );
    assert_eq!(page.only("caption").text(), "2 rows of 40");
}

#[tokio::test]
async fn the_json_twin_has_what_the_page_has() {
    let site = site(&estate());
    for query in [
        "",
        "&kind=Service",
        "&q=CHECKOUT&sort=exported&order=desc",
        "&limit=3&sort=kind",
    ] {
        let html = page(&site, &format!("{SHOP}{query}")).await;
        let page = parse(&html);
        let twin = page
            .named("link")
            .into_iter()
            .find(|link| link.attribute("rel") == Some("alternate"));
        let twin = json(&site, twin.unwrap().attribute("href").unwrap()).await;
        let names: Vec<String> = page.rows().iter().map(|row| row[1].clone()).collect();
        assert_eq!(names, texts(&twin["rows"], "name"), "{query}");
        let times: Vec<String> = page
            .rows()
            .iter()
            .map(|row| row.last().unwrap().replace(' ', "T"))
            .collect();
        assert_eq!(times, texts(&twin["rows"], "exportedAt"), "{query}");
        assert_eq!(twin["next"].is_null(), page.link("Next page").is_none(), "{query}");
        assert_eq!(twin["freshness"]["health"], "complete");
        for column in twin["columns"].as_array().unwrap() {
            assert!(
                page.only("thead").text().contains(column.as_str().unwrap()),
                "{query}: {column}"
            );
        }
    }
}

#[tokio::test]
async fn the_twins_of_overview_and_row_have_what_the_pages_have() {
    let site = site(&estate());
    let overview = json(&site, "/index.json").await;
    let page_rows = parse(&page(&site, "/").await).rows();
    for (entry, row) in overview["inventories"].as_array().unwrap().iter().zip(&page_rows) {
        assert_eq!(entry["inventory"]["cluster"], row[0].as_str());
        assert_eq!(entry["rows"].to_string(), row[3]);
    }
    let row = json(&site, &format!("/row.json?{ROW}")).await;
    let shown = parse(&page(&site, &format!("/row?{ROW}")).await);
    let text: Value = serde_json::from_str(&shown.only("pre").text()).unwrap();
    assert_eq!(row["item"], text);
    assert_eq!(row["target"], "deployments");
    assert_eq!(row["scopes"][0]["state"], "Complete");
}

#[tokio::test]
async fn pages_of_one_row_put_together_are_the_list() {
    let site = site(&estate());
    for order in ["", "&sort=name&order=desc", "&sort=exported&order=desc", "&sort=kind"] {
        let whole = json(
            &site,
            &format!("/index.json?inventory=north-1/shop/everything&limit=500{order}"),
        )
        .await;
        let whole = texts(&whole["rows"], "uid");
        assert_eq!(whole.len(), 64);
        let mut next = Some(format!("{SHOP}&limit=1{order}"));
        let mut uids = Vec::new();
        while let Some(address) = next {
            let page = parse(&page(&site, &address).await);
            let link = page.only("tbody").only("a").attribute("href").unwrap().to_owned();
            uids.push(link.split("uid=").nth(1).unwrap().to_owned());
            next = page.link("Next page");
        }
        assert_eq!(uids, whole, "{order}");
    }
}

#[tokio::test]
async fn a_head_sorts_and_sorts_the_other_way_the_second_time() {
    let site = site(&estate());
    let list = parse(&page(&site, &format!("{SHOP}&q=web")).await);
    let by_name = list.link("Name").unwrap();
    assert!(
        by_name.contains("sort=name&order=asc") && by_name.contains("q=web"),
        "{by_name}"
    );
    let list = parse(&page(&site, &by_name).await);
    let sorted: Vec<_> = list
        .named("th")
        .into_iter()
        .filter_map(|head| head.attribute("aria-sort"))
        .collect();
    assert_eq!(sorted, ["ascending"]);
    let back = parse(&page(&site, &list.link("Name").unwrap()).await);
    let mut reversed = back.rows();
    reversed.reverse();
    assert_eq!(list.rows(), reversed);
}

#[tokio::test]
async fn a_row_shows_all_attributes_its_identity_and_where_it_comes_from() {
    let site = site(&estate());
    let page = parse(&page(&site, &format!("/row?{ROW}")).await);
    assert_eq!(page.only("h1").text(), "accounts-images Deployment");
    let pairs: Vec<(String, String)> = page
        .named("div")
        .into_iter()
        .filter(|pair| pair.named("dt").len() == 1)
        .map(|pair| (pair.only("dt").text(), pair.only("dd").text()))
        .collect();
    for (name, value) in [
        ("Namespace", "accounts"),
        ("Group", "apps"),
        ("Version", "v1"),
        ("Uid", "deployment-accounts-accounts-images"),
        ("Inventory", "shop/everything"),
        ("Cluster", "north-1"),
        ("Target", "deployments"),
        ("Scope", "apps/v1/Deployment, whole cluster"),
        ("State", "Complete"),
        ("Last list", "2026-12-01 14:22:05Z"),
        ("owner", "accounts@example.org"),
        ("memory", "512Mi"),
    ] {
        assert!(
            pairs.contains(&(name.to_owned(), value.to_owned())),
            "{name}: {pairs:?}"
        );
    }
    assert!(page.text().contains("registry.example.org/platform/proxy:3.1.0"));
}

#[tokio::test]
async fn a_degraded_target_is_named_with_its_reason() {
    let list = parse(&page(&site(&estate()), "/?inventory=south-2/platform/core").await);
    let problems = list
        .named("ul")
        .into_iter()
        .find(|list| list.has_class("problems"))
        .unwrap();
    let text = problems.text();
    assert!(
        text.contains("secrets /v1/Secret, namespace platform ScopeForbidden"),
        "{text}"
    );
    assert!(
        text.contains("SourceUnavailable The API server does not answer"),
        "{text}"
    );
    let facts = list.named("div");
    let last_list = facts
        .iter()
        .find(|fact| fact.text().starts_with("Last complete list"))
        .unwrap();
    assert_eq!(last_list.only("dd").text(), "not yet", "the older of two is not known");
}

#[tokio::test]
async fn pages_work_below_a_base_path() {
    let settings = Settings {
        base_path: "/tools/kollect".parse().unwrap(),
        ..Settings::default()
    };
    let site = site_with(&estate(), settings);
    let start = get(&site, "/tools/kollect").await;
    assert_eq!(start.header("location"), "/tools/kollect/");
    let mut left = vec!["/tools/kollect/".to_owned()];
    let mut seen = std::collections::BTreeSet::new();
    while let Some(address) = left.pop() {
        if seen.len() > 60 || !seen.insert(address.clone()) {
            continue;
        }
        assert!(address.starts_with("/tools/kollect/"), "{address}");
        let answer = get(&site, &address).await;
        assert_eq!(answer.status, 200, "{address}");
        if answer.header("content-type").starts_with("text/html") {
            let page = parse(&answer.body);
            let addresses = page.all().into_iter().filter_map(|element| {
                let address = element.attribute("href").or_else(|| element.attribute("src"));
                address.or_else(|| element.attribute("action")).map(str::to_owned)
            });
            left.extend(addresses.filter(|address| address != "#content"));
        }
    }
    assert!(seen.len() > 60);
    assert_eq!(get(&site, "/").await.status, 404);
}

#[tokio::test]
async fn what_the_settings_hide_is_on_no_page() {
    let settings = Settings {
        visibility: kollect_ports::query::Visibility {
            clusters: None,
            namespaces: Some(["accounts".to_owned()].into()),
        },
        ..Settings::default()
    };
    let site = site_with(&estate(), settings);
    let list = json(&site, "/index.json?inventory=north-1/shop/everything").await;
    assert_eq!(list["total"], 15);
    assert!(
        list["rows"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["namespace"] == "accounts")
    );
    let hidden = "/row?inventory=north-1/shop/everything&target=nodes&uid=node--node-1";
    assert_eq!(get(&site, hidden).await.status, 404);
}
