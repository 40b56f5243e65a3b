//! Headers, hosts and methods.

use std::collections::BTreeSet;

use axum::http::{Method, StatusCode};
use kollect_ui::{Hosts, Settings};

use super::client::{get, page, request, send, site, site_with};
use super::estate::estate;
use super::markup::parse;

const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// One address for every kind of answer.
fn addresses(page: &str) -> Vec<String> {
    let page = parse(page);
    let assets = page.all().into_iter().filter_map(|element| {
        let address = element.attribute("href").or_else(|| element.attribute("src"))?;
        address.starts_with("/assets/").then(|| address.to_owned())
    });
    let fixed = [
        "/",
        "/index.json",
        "/row",
        "/row.json?x=y",
        "/?q=x&q=y",
        "/nowhere",
        "/healthz",
        "/assets/x.css",
    ];
    assets.chain(fixed.map(str::to_owned)).collect()
}

#[tokio::test]
async fn every_answer_has_the_security_headers_and_says_how_long_it_may_be_kept() {
    let site = site(&estate());
    for address in addresses(&page(&site, "/").await) {
        for method in [Method::GET, Method::HEAD, Method::POST, Method::OPTIONS] {
            let answer = send(&site, request(method.clone(), &address)).await;
            assert_eq!(answer.header("content-security-policy"), POLICY, "{method} {address}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
            assert_eq!(answer.header("referrer-policy"), "no-referrer");
            assert!(
                !answer.header("cache-control").is_empty() || address == "/healthz",
                "{method} {address}"
            );
            assert!(!answer.header("content-type").is_empty(), "{method} {address}");
        }
    }
}

#[tokio::test]
async fn whatever_is_not_reading_is_refused() {
    let site = site(&estate());
    let extended = Method::from_bytes(b"PROPFIND").unwrap();
    for method in [
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
        extended,
    ] {
        for address in ["/", "/index.json", "/row", "/healthz", "/nowhere"] {
            let answer = send(&site, request(method.clone(), address)).await;
            assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {address}");
            assert_eq!(answer.header("allow"), "GET, HEAD");
        }
    }
    let json = send(&site, request(Method::POST, "/index.json")).await.json();
    assert_eq!(json["status"], 405);
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_no_body() {
    let site = site(&estate());
    for address in addresses(&page(&site, "/").await) {
        let whole = get(&site, &address).await;
        let head = send(&site, request(Method::HEAD, &address)).await;
        assert_eq!((head.status, head.body.as_str()), (whole.status, ""), "{address}");
        for name in ["content-type", "etag", "cache-control"] {
            assert_eq!(head.header(name), whole.header(name), "{address}");
        }
    }
}

#[tokio::test]
async fn a_page_that_did_not_change_is_not_sent_again() {
    let reader = estate();
    let site = site(&reader);
    let first = get(&site, "/").await;
    let again = |tag: &str| request(Method::GET, "/").header("if-none-match", tag.to_owned());
    let same = send(&site, again(first.header("etag"))).await;
    assert_eq!((same.status, same.body.as_str()), (StatusCode::NOT_MODIFIED, ""));
    assert_eq!(same.header("etag"), first.header("etag"));
    reader.record(&super::estate::shop(), Vec::new());
    let changed = send(&site, again(first.header("etag"))).await;
    assert_eq!(changed.status, StatusCode::OK);
}

#[tokio::test]
async fn files_are_kept_for_ever_and_have_their_type() {
    let site = site(&estate());
    let page = page(&site, "/").await;
    let types: BTreeSet<String> = {
        let mut types = BTreeSet::new();
        for address in addresses(&page)
            .into_iter()
            .filter(|address| address.starts_with("/assets/") && address.len() > 30)
        {
            let answer = get(&site, &address).await;
            assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
            types.insert(answer.header("content-type").to_owned());
        }
        types
    };
    let wanted = [
        "image/svg+xml",
        "text/css; charset=utf-8",
        "text/javascript; charset=utf-8",
    ];
    assert_eq!(types, wanted.map(str::to_owned).into());
}

#[tokio::test]
async fn a_request_for_another_host_is_refused() {
    let ask = |host: &str| axum::http::Request::get("/index.json").header("host", host.to_owned());
    let own = site(&estate());
    for host in ["localhost", "127.0.0.1:8080", "[::1]:8080"] {
        assert_eq!(send(&own, ask(host)).await.status, StatusCode::OK, "{host}");
    }
    for host in ["evil.example", "evil.example:8080", "", "127.0.0.1.evil.example"] {
        let answer = send(&own, ask(host)).await;
        assert_eq!(answer.status, StatusCode::MISDIRECTED_REQUEST, "{host}");
        assert!(!answer.body.contains("north-1"), "nothing of the estate is told");
    }
    let none = axum::http::Request::get("/index.json");
    assert_eq!(send(&own, none).await.status, StatusCode::MISDIRECTED_REQUEST);
    let absolute = axum::http::Request::get("http://evil.example/index.json").header("host", "localhost");
    assert_eq!(send(&own, absolute).await.status, StatusCode::MISDIRECTED_REQUEST);
    let probe = axum::http::Request::get("/healthz").header("host", "10.0.0.7:8080");
    assert_eq!(send(&own, probe).await.body, "ok");
    let settings = Settings {
        hosts: Hosts::Named(["kollect.example.org".to_owned()].into()),
        ..Settings::default()
    };
    let named = site_with(&estate(), settings);
    assert_eq!(send(&named, ask("kollect.example.org")).await.status, StatusCode::OK);
    assert_eq!(
        send(&named, ask("evil.example")).await.status,
        StatusCode::MISDIRECTED_REQUEST
    );
}
