//! Requests that have no page, and databases that have no answer.

use std::time::Duration;

use axum::http::StatusCode;
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::query::{INVALID_CURSOR, QUERY_TIMEOUT};
use kollect_ui::Settings;

use super::client::{get, json, page, site, site_with};
use super::estate::estate;
use super::markup::parse;

const SHOP: &str = "inventory=north-1/shop/everything";

#[tokio::test]
async fn an_address_that_cannot_be_understood_says_what_to_change() {
    let site = site(&estate());
    let long = format!("q={}", "x".repeat(201));
    for (query, advice) in [
        (
            "page=2",
            "there is no parameter `page` here; known are inventory, kind, q",
        ),
        ("limit=501", "the parameter `limit` must be a number from 1 to 500"),
        ("limit=many", "the parameter `limit` must be a number from 1 to 500"),
        (
            "sort=uid",
            "the parameter `sort` must be `namespace`, `name`, `kind` or `exported`",
        ),
        ("after=%21", "begin again with the first page"),
        ("q=%00", "has control characters"),
        ("q=a&q=b", "the parameter `q` is there twice; keep one"),
        ("inventory=shop", "must be `namespace/name` or `cluster/namespace/name`"),
        (&long, "is longer than 200 bytes; shorten it"),
    ] {
        let answer = get(&site, &format!("/?{query}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
        let text = parse(&answer.body).text();
        assert!(text.contains(advice), "{query}: {text}");
        let twin = get(&site, &format!("/index.json?{query}")).await;
        assert_eq!(twin.status, StatusCode::BAD_REQUEST, "{query}");
        assert!(twin.json()["message"].as_str().unwrap().contains(advice), "{query}");
    }
    for missing in ["inventory", "target", "uid"] {
        let parameters = ["inventory=shop/all", "target=t", "uid=u"].into_iter();
        let others: Vec<&str> = parameters.filter(|parameter| !parameter.starts_with(missing)).collect();
        let answer = get(&site, &format!("/row.json?{}", others.join("&"))).await;
        assert_eq!(
            answer.json()["message"],
            format!("the parameter `{missing}` is missing")
        );
    }
}

#[tokio::test]
async fn a_place_of_another_order_is_refused_with_a_way_out() {
    let site = site(&estate());
    let first = json(&site, &format!("/index.json?{SHOP}&limit=1")).await;
    let next = first["next"].as_str().unwrap().replace("/index.json", "/");
    let answer = get(&site, &format!("{next}&sort=name")).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let text = parse(&answer.body).text();
    assert!(text.contains("Begin again with the first page"), "{text}");
}

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let site = site(&estate());
    for address in [
        "/nowhere",
        "/row/",
        "/assets/nothing.css",
        "/?inventory=east/shop/all",
        "/row?inventory=north-1/shop/everything&target=deployments&uid=gone",
    ] {
        let answer = get(&site, address).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{address}");
        let page = parse(&answer.body);
        assert_eq!(page.link("Go to the start page").as_deref(), Some("/"), "{address}");
    }
    let twin = get(&site, "/index.json?inventory=east/shop/all").await;
    assert_eq!(twin.json()["message"], "there is no inventory `east/shop/all`");
}

#[tokio::test]
async fn each_failure_of_the_database_has_its_status_and_its_words() {
    let throttled = ErrorClass::Throttled {
        after: Duration::from_secs(1),
    };
    for (class, reason, status, title) in [
        (ErrorClass::Unavailable, "ExportFailed", 503, "The database is away"),
        (ErrorClass::Transient, "ExportFailed", 503, "The database is away"),
        (ErrorClass::Transient, QUERY_TIMEOUT, 504, "The database is slow"),
        (throttled, QUERY_TIMEOUT, 504, "The database is slow"),
        (
            ErrorClass::Misconfigured,
            "ExportFailed",
            500,
            "The database cannot be shown",
        ),
        (
            ErrorClass::Rejected,
            INVALID_CURSOR,
            400,
            "The address is not understood",
        ),
    ] {
        let reader = estate();
        let site = site(&reader);
        for address in [
            "/",
            "/index.json",
            "/row?inventory=a/b&target=t&uid=u",
            "/row.json?inventory=a/b&target=t&uid=u",
        ] {
            reader.fail(PortError::new(class, reason, "the <fake> database said no"));
            let answer = get(&site, address).await;
            assert_eq!(answer.status, status, "{address}");
            assert_eq!(answer.header("retry-after").is_empty(), status != 503, "{address}");
            if address.contains(".json") {
                assert_eq!(answer.json()["title"], title);
                assert_eq!(answer.json()["message"], "the <fake> database said no");
            } else {
                let page = parse(&answer.body);
                assert_eq!(page.only("h1").text(), title);
                assert!(page.text().contains("the <fake> database said no"));
            }
        }
        page(&site, "/").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_database_that_never_answers_is_given_up() {
    let reader = estate();
    let settings = Settings {
        deadline: Duration::from_secs(3),
        ..Settings::default()
    };
    let site = site_with(&reader, settings);
    reader.stay_silent();
    let begin = tokio::time::Instant::now();
    let answer = get(&site, "/index.json").await;
    assert_eq!(answer.status, StatusCode::GATEWAY_TIMEOUT);
    assert_eq!(begin.elapsed().as_secs(), 3);
    assert_eq!(answer.json()["status"], 504);
}
