//! The browser of the bed, started for real.

#![expect(clippy::unwrap_used, reason = "a test file: the helpers fail as its tests do")]

use std::fs;
use std::path::Path;

use kollect_testbed::{Chromium, Look, Scripts, required};

fn page(folder: &Path, html: &str) -> String {
    let file = folder.join("page.html");
    fs::write(&file, html).unwrap();
    format!("file://{}", file.display())
}

#[test]
fn a_visit_shows_what_scripts_did_and_what_went_wrong() {
    if !required("chromium") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let url = page(
        folder.path(),
        "<body><p>always</p><script>document.body.append('from a ' + 'script'); throw new Error('on purpose')</script></body>",
    );
    let browser = Chromium::find().unwrap();
    let visit = browser.visit(&url, Scripts::Run).unwrap();
    assert!(visit.document.contains("from a script"), "{visit:?}");
    assert!(visit.console.concat().contains("on purpose"), "{visit:?}");
    let quiet = browser.visit(&url, Scripts::Off).unwrap();
    assert!(quiet.document.contains("<p>always</p>"), "{quiet:?}");
    assert!(!quiet.document.contains("from a script"), "{quiet:?}");
    assert_eq!(quiet.console, Vec::<String>::new());
}

#[test]
fn what_a_content_security_policy_stops_is_on_the_console() {
    if !required("chromium") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let url = page(
        folder.path(),
        "<meta http-equiv=Content-Security-Policy content=\"style-src 'self'\"><body><p style='color: red'>red</p></body>",
    );
    let visit = Chromium::find().unwrap().visit(&url, Scripts::Run).unwrap();
    assert!(visit.console.concat().contains("Content Security Policy"), "{visit:?}");
}

#[test]
fn a_picture_has_the_size_that_was_asked_for() {
    if !required("chromium") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let url = page(folder.path(), "<p>hello</p>");
    let file = folder.path().join("picture.png");
    let look = Look {
        width: 640,
        height: 480,
        dark: true,
    };
    Chromium::find().unwrap().picture(&url, look, &file).unwrap();
    let png = fs::read(&file).unwrap();
    // The first chunk of a PNG file has width and height, after eight bytes of signature and eight of its own head.
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((number(16), number(20)), (640, 480));
}
