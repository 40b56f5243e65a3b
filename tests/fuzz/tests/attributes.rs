//! Attributes as users write them, on objects as clusters hold them: no text and no object stops the program.
#![expect(clippy::unwrap_used, reason = "all of it is a test")]

use kollect_domain::config::profile::AttributeSpec;
use kollect_domain::ids::{Gvk, TargetKey};
use kollect_domain::profile::{Profile, ProfileSpec};
use kollect_fuzz::text;
use proptest::prelude::*;
use serde_json::{Value, json};

const PATHS: &[&str] = &[
    "$.metadata.name",
    "{.metadata.labels.app\\.kubernetes\\.io/name}",
    "{$.spec.c[?(@.n==\"b\")].p[0:2:1]}",
    "$.spec.c[-1]['n','p'][*]",
    "{range .spec.c[*]}{.n}{\" \"}{end}",
    "metadata['labels'][\"zone\"]",
    "$..p[?(@ >= 80)]",
    "$.spec.c[?(@.m)].n",
];
const PATH_TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "'",
    "\"",
    "..",
    "*",
    "@",
    "$",
    "?(",
    "\\",
    ":",
    ",",
    "==",
    "&&",
    "range",
    "end",
    "-1",
    "99999999999999999999",
    "\u{0}",
    "\u{1f600}",
];
const EXPRESSIONS: &[&str] = &[
    "cel:size(object.spec.c)",
    "cel:has(object.status) && object.status.conditions.exists(c, c.type == \"Ready\" && c.status == 'True')",
    "cel:object.spec.c.map(c, c.n + '/' + string(size(c.p)))",
    "cel:object.spec.c.filter(c, c.p.all(p, p > 80))[0].n.matches('^[a-z]+$')",
    "cel:int(timestamp('2024-01-01T00:00:00Z')) - duration('1h').getSeconds()",
    "cel:{'a': [1, 2.5, null, true], 'b': object.metadata.labels}",
];
const EXPRESSION_TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    ":",
    "?",
    "'",
    "\"",
    "\"\"\"",
    "object",
    "map(x,",
    "all(x,",
    "exists(x,",
    "has(",
    "size(",
    "-",
    "!",
    "&&",
    "||",
    "in",
    "9223372036854775807",
    "1e308",
    "b'\\xff'",
    "r'\\d'",
    "\u{0}",
    "string(",
    "bytes(",
];

fn object() -> Value {
    json!({
        "metadata": {"name": "cart", "uid": "u-1", "labels": {"zone": "z1", "app.kubernetes.io/name": "cart"}},
        "spec": {"replicas": 2, "c": [
            {"n": "a", "p": [80, 81]}, {"n": "b", "p": []}, {"n": "c", "p": [90], "m": null},
        ]},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    })
}

/// What a profile of this attribute makes of the object: nothing, an error, or a row that is JSON.
fn extract(path: String, optional: bool) {
    let spec = ProfileSpec {
        attributes: vec![AttributeSpec {
            name: "a".into(),
            path,
            type_hint: String::new(),
            optional,
        }],
        ..ProfileSpec::of(Gvk::new("apps", "v1", "Deployment"))
    };
    let Ok(profile) = Profile::validate(&spec, &[]) else {
        return;
    };
    let target = TargetKey::new("shop", "web");
    if let Ok(row) = profile.extract(&object(), &target) {
        let payload: Value = serde_json::from_str(row.payload()).unwrap();
        assert_eq!(payload["uid"], "u-1");
    } else {
        assert!(!optional, "an optional attribute fails no object");
    }
}

proptest! {
    #[test]
    fn mutated_paths(path in text(PATHS, PATH_TOKENS), optional: bool) {
        extract(path, optional);
    }

    #[test]
    fn mutated_expressions(path in text(EXPRESSIONS, EXPRESSION_TOKENS), optional: bool) {
        extract(path, optional);
    }
}
