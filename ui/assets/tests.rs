//! What the files must be, apart from what they look like.

use std::collections::BTreeMap;

use super::*;

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The colours that a part of the style sheet sets.
fn colours(part: &str) -> BTreeMap<&str, [f64; 3]> {
    let channel = |hex: &str, at: usize| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
    part.lines()
        .filter_map(|line| line.trim().strip_prefix("--")?.strip_suffix(';')?.split_once(": #"))
        .map(|(name, hex)| (name, [0, 2, 4].map(|at| channel(hex, at))))
        .collect()
}

/// Contrast of two colours.
/// Source: WCAG 2.2, "contrast ratio" and "relative luminance".
fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let luminance = |colour: [f64; 3]| {
        let [red, green, blue] = colour.map(|value| {
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn black_on_white_has_the_greatest_contrast() {
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 1e-9);
}

#[test]
fn every_text_can_be_read_in_light_and_dark() {
    let style = text(STYLE);
    let mut parts = style.split("@media (prefers-color-scheme: dark)");
    let light = colours(parts.next().unwrap());
    let dark = colours(parts.next().unwrap().split("*, ::before").next().unwrap());
    assert_eq!(
        light.keys().collect::<Vec<_>>(),
        dark.keys().collect::<Vec<_>>(),
        "both themes set the same colours"
    );
    let grounds = ["paper", "ground", "stripe", "hover"];
    let texts = ["ink", "faint", "link", "code"];
    let on_grounds = grounds
        .iter()
        .flat_map(|ground| texts.iter().map(move |text| (*text, *ground)));
    let pairs = [
        ("on-accent", "accent"),
        ("on-head", "head"),
        ("faint-on-head", "head"),
        ("good", "good-ground"),
        ("busy", "busy-ground"),
        ("bad", "bad-ground"),
        ("plain", "plain-ground"),
    ];
    for (theme, colours) in [("light", light), ("dark", dark)] {
        for (text, ground) in on_grounds.clone().chain(pairs) {
            let ratio = contrast(colours[text], colours[ground]);
            assert!(ratio >= 4.5, "{theme}: {text} on {ground} has {ratio:.2}");
        }
    }
}

#[test]
fn the_script_is_small_and_nothing_is_loaded_from_elsewhere() {
    assert!(SCRIPT.len() < 3 * 1024, "{} bytes", SCRIPT.len());
    for bytes in [STYLE, SCRIPT] {
        for trace in ["http:", "https:", "url(", "@import", "import(", "fetch("] {
            assert!(!text(bytes).contains(trace), "{trace}");
        }
    }
}

#[test]
fn a_name_is_the_digest_of_the_content() {
    let assets = Assets::new();
    let address = assets.addresses(&"/base".parse().unwrap()).style;
    let name = address.strip_prefix("/base/assets/").unwrap();
    assert_eq!(assets.get(name).unwrap().bytes, STYLE);
    assert_eq!(name.len(), "0123456789abcdef0123456789abcdef.css".len());
    assert!(assets.get("kollect.css").is_none());
    assert_ne!(digest(b"a"), digest(b"b"));
}
