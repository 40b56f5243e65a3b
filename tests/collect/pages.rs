//! The pages in a real browser, with and without JavaScript.

use std::net::TcpListener;

use kollect_testbed::{Chromium, Postgres, Scripts, required};

use crate::manifests::{config_map, deployment, put};
use crate::program::{kollect, text};
use crate::server::Server;

const LIST: &str = "?inventory=prod-eu/default/estate&kind=Deployment.apps";

/// The page in the browser, which must have nothing to complain about.
fn visit(browser: &Chromium, url: &str, scripts: Scripts) -> String {
    let visit = browser.visit(url, scripts).unwrap();
    assert_eq!(visit.console, Vec::<String>::new(), "{url}");
    visit.document
}

/// Addresses and texts of the rows of a list.
fn rows(document: &str) -> Vec<(String, String)> {
    let links = document
        .split("<a href=\"")
        .skip(1)
        .filter(|link| link.contains("row?"));
    links
        .map(|link| {
            let (address, rest) = link.split_once('"').unwrap();
            let text = rest.split_once('>').unwrap().1.split_once('<').unwrap().0;
            let path = address.trim_start_matches('/').replace("&amp;", "&");
            (path, text.to_owned())
        })
        .collect()
}

#[test]
fn the_demo_is_usable_with_and_without_scripts() {
    if !required("chromium") {
        return;
    }
    let browser = Chromium::find().unwrap();
    let demo = Server::start(&["demo"]);
    for scripts in [Scripts::Run, Scripts::Off] {
        let start = visit(&browser, &demo.url, scripts);
        assert!(start.contains("prod-eu"), "{start}");
        let list = visit(&browser, &format!("{}{LIST}", demo.url), scripts);
        let found = rows(&list);
        assert_eq!(found.len(), 15, "{list}");
        let (path, name) = &found[0];
        let row = visit(&browser, &format!("{}{path}", demo.url), scripts);
        assert!(row.contains(&format!("<h1>{name} ")), "{row}");
        for attribute in ["images", "replicas"] {
            assert!(row.contains(&format!("<dt>{attribute}</dt>")), "{row}");
        }
        // What the form asks for when somebody types the name and submits it.
        let filtered = format!("{}{LIST}&q={name}&sort=&order=", demo.url);
        let filtered = rows(&visit(&browser, &filtered, scripts));
        assert!(filtered.contains(&found[0]), "{filtered:?}");
        assert!(filtered.len() < found.len(), "{filtered:?}");
        let nothing = visit(&browser, &format!("{}{LIST}&q=nobody-is-called-so", demo.url), scripts);
        assert!(nothing.contains("No row fits"), "{nothing}");
    }
}

#[test]
fn rows_of_postgres_are_shown() {
    if !required("chromium") {
        return;
    }
    let postgres = Postgres::shared().unwrap();
    let url = postgres.url(&postgres.create_database().unwrap());
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "a.json", &config_map("a", "1"));
    put(folder.path(), "web.json", &deployment("web", "shop/main:1.0"));
    kollect(&[
        "collect",
        "--from",
        text(folder.path()),
        "--cluster",
        "files",
        "--to",
        &url,
    ])
    .complete();
    let ui = Server::start(&["ui", "--database", &url, "--listen", "127.0.0.1:0"]);
    let browser = Chromium::find().unwrap();
    for scripts in [Scripts::Run, Scripts::Off] {
        let list = visit(
            &browser,
            &format!("{}?inventory=files/default/collect", ui.url),
            scripts,
        );
        let found = rows(&list);
        assert_eq!(found.len(), 2, "{list}");
        let web = found.iter().find(|(_, name)| name == "web").unwrap();
        let row = visit(&browser, &format!("{}{}", ui.url, web.0), scripts);
        assert!(row.contains("shop/main:1.0"), "{row}");
    }
}

#[test]
fn pages_of_a_database_that_is_not_there_are_not_served() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.db");
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused = format!("postgres://somebody:pa55-of-nobody@127.0.0.1:{nobody}/fleet");
    for (database, words) in [(text(&missing), text(&missing)), (&refused, "refused")] {
        let ended = kollect(&["ui", "--database", database, "--listen", "127.0.0.1:0"]);
        ended.failed(1, &["the database cannot be read", words]);
        assert!(!ended.stderr.contains("pa55-of-nobody"), "{}", ended.stderr);
    }
    assert!(!missing.exists());
}
