//! A real browser opens the pages, with scripts and without.

use std::net::Ipv4Addr;

use kollect_testbed::{Chromium, Scripts, Visit, required};
use tokio::net::TcpListener;

use super::client::site;
use super::estate::estate;

const LIST: &str = "?inventory=north-1/shop/everything&kind=Deployment.apps";
const ROW: &str = "row?inventory=north-1/shop/everything&target=deployments&uid=deployment-accounts-accounts-images";

/// Serves the estate while the browser visits each address, with scripts and without.
async fn visits(addresses: &[&str]) -> Vec<(Visit, Visit)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let base = format!("http://{}/", listener.local_addr().unwrap());
    let server = tokio::spawn(axum::serve(listener, site(&estate())).into_future());
    let urls: Vec<String> = addresses.iter().map(|address| format!("{base}{address}")).collect();
    let visits = tokio::task::spawn_blocking(move || {
        let browser = Chromium::find().unwrap();
        let visit = |url: &String, scripts| browser.visit(url, scripts).unwrap();
        urls.iter()
            .map(|url| (visit(url, Scripts::Run), visit(url, Scripts::Off)))
            .collect()
    });
    let visits = visits.await.unwrap();
    server.abort();
    visits
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_shows_every_page_with_and_without_scripts_and_complains_about_nothing() {
    if !required("chromium") {
        return;
    }
    let none: Vec<String> = Vec::new();
    let visits = visits(&["", LIST, ROW]).await;
    for (with, without) in &visits {
        assert_eq!((&with.console, &without.console), (&none, &none));
    }
    let [(overview, _), (list, plain_list), (row, plain_row)] = &visits[..] else {
        panic!("{} visits", visits.len());
    };
    assert!(overview.document.contains("platform/core"));
    for list in [list, plain_list] {
        assert!(list.document.contains("accounts-images</a>"), "{}", list.document);
        assert!(list.document.contains("<button type=\"submit\">Show</button>"));
    }
    for row in [row, plain_row] {
        assert!(row.document.contains("registry.example.org/platform/proxy:3.1.0"));
    }
    // Only a script adds it, which shows that ours ran in one visit and not in the other.
    assert!(row.document.contains("Copy JSON</button>"), "{}", row.document);
    assert!(!plain_row.document.contains("Copy JSON</button>"));
}
