//! Rows against the published checksums and against a model of what `jsonb` does to a value.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn identity<'a>() -> RowIdentity<'a> {
    RowIdentity {
        target_namespace: "shop",
        target_name: "web-deploys",
        namespace: "shop",
        name: "cart",
        group: "apps",
        version: "v1",
        kind: "Deployment",
        uid: "11111111-2222-3333-4444-555555555555",
    }
}

fn attributes(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("attributes are an object, not {other}"),
    }
}

fn deployment() -> Row {
    let values = json!({"replicas": 2, "note": "a<b&c", "image": "registry.example/cart:1.4"});
    Row::new(&identity(), &attributes(values))
}

#[test]
fn no_rows_have_the_fingerprint_of_an_empty_array() {
    let none: [&Row; 0] = [];
    assert_eq!(
        fingerprint(none),
        "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
    );
}

#[test]
fn a_row_of_a_named_group_has_the_published_fingerprint() {
    assert_eq!(
        deployment().payload(),
        concat!(
            r#"{"targetNamespace":"shop","targetName":"web-deploys","namespace":"shop","name":"cart","#,
            r#""group":"apps","version":"v1","kind":"Deployment","uid":"11111111-2222-3333-4444-555555555555","#,
            r#""attributes":{"image":"registry.example/cart:1.4","note":"a\u003cb\u0026c","replicas":2}}"#
        )
    );
    assert_eq!(
        fingerprint([&deployment()]),
        "b10f340dd65463e7e30dffc7b1c1a6e0ee6a99816fa3be679312f29f12c49660"
    );
}

#[test]
fn a_row_of_the_core_group_has_the_published_fingerprint() {
    let identity = RowIdentity {
        target_name: "cms",
        name: "cfg",
        group: "",
        kind: "ConfigMap",
        uid: "u-1",
        ..identity()
    };
    let row = Row::new(
        &identity,
        &attributes(json!({"void": null, "ratio": 0.5, "tags": ["a", "b"]})),
    );
    assert_eq!(
        fingerprint([&row]),
        "2afb7ee18b1d6639add706d8ad1db9df274c963dfe2f54ff68f47428945a5759"
    );
    assert_eq!(row.identity(), identity);
}

#[test]
fn a_document_of_two_rows_has_the_published_checksum() {
    let apps = RowIdentity {
        target_name: "apps",
        ..identity()
    };
    let cart = Row::new(
        &RowIdentity { uid: "7d0e-01", ..apps },
        &attributes(json!({"args": "a < b", "image": "registry.example/cart:2.4", "replicas": 3})),
    );
    let web = Row::new(
        &RowIdentity {
            name: "web",
            uid: "7d0e-02",
            ..apps
        },
        &attributes(json!({"image": "registry.example/web:1.0", "replicas": 1})),
    );
    let mut rows = [&web, &cart];
    rows.sort_by(|a, b| a.canonical_cmp(b));
    assert_eq!(
        fingerprint(rows),
        "a75210d38a09f3f5b47c12c50fa9f007a4180ab630b0ab84089fad251ea9ed30"
    );
}

#[test]
fn fields_that_were_escaped_are_served_unescaped() {
    let odd = RowIdentity {
        name: "system:<odd>&\"name\"",
        namespace: "",
        ..identity()
    };
    let row = Row::new(&odd, &Map::new());
    assert_eq!(row.identity(), odd);
    assert_eq!(row.attributes(), "{}");
}

#[test]
fn attributes_are_served_as_they_stand_in_the_payload() {
    assert_eq!(
        deployment().attributes(),
        r#"{"image":"registry.example/cart:1.4","note":"a\u003cb\u0026c","replicas":2}"#
    );
}

#[test]
fn replaced_characters_are_counted() {
    let row = Row::new(&identity(), &attributes(json!({"a\0": "\0\0"})));
    assert_eq!(row.replaced_characters(), 3);
    assert_eq!(row.attributes(), "{\"a\u{fffd}\":\"\u{fffd}\u{fffd}\"}");
}

#[test]
fn a_member_that_rows_do_not_have_changes_the_digest() {
    let row = deployment();
    let extra = row
        .payload()
        .replace("{\"targetNamespace\"", "{\"extra\":1,\"targetNamespace\"");
    assert_ne!(RowDigest::of_payload(&extra).unwrap(), row.digest());
    let without = row.payload().replace("\"group\":\"apps\",", "");
    assert_ne!(RowDigest::of_payload(&without).unwrap(), row.digest());
}

#[test]
fn rows_order_by_uid_before_group_and_a_prefix_before_its_extensions() {
    let row = |name, uid, group| {
        Row::new(
            &RowIdentity {
                name,
                group,
                uid,
                ..identity()
            },
            &Map::new(),
        )
    };
    let ordered = [
        row("a", "1", "z"),
        row("a", "2", "a"),
        row("a-b", "0", "a"),
        row("ab", "0", "a"),
    ];
    for pair in ordered.windows(2) {
        assert_eq!(pair[0].canonical_cmp(&pair[1]), Ordering::Less);
    }
}

/// JSON as a document spells it, so that numbers keep their spelling.
#[derive(Debug, Clone)]
enum Spelled {
    Plain(Value),
    Number(String),
    Array(Vec<Spelled>),
    Object(Vec<(String, Spelled)>),
}

impl Spelled {
    fn source(&self) -> String {
        match self {
            Self::Plain(value) => value.to_string(),
            Self::Number(text) => text.clone(),
            Self::Array(items) => {
                let items: Vec<_> = items.iter().map(Self::source).collect();
                format!("[{}]", items.join(","))
            }
            Self::Object(members) => {
                let members: Vec<_> = members
                    .iter()
                    .map(|(name, value)| format!("{}:{}", json!(name), value.source()))
                    .collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }

    /// What `jsonb` prints: shorter names first, the last of equal names, a space after `:` and `,`, exact decimals.
    fn jsonb(&self) -> String {
        match self {
            Self::Plain(value) => value.to_string(),
            Self::Number(text) => numeric(text),
            Self::Array(items) => {
                let items: Vec<_> = items.iter().map(Self::jsonb).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Object(members) => {
                let mut last: Vec<(&String, &Self)> = Vec::new();
                for (name, value) in members {
                    last.retain(|(other, _)| *other != name);
                    last.push((name, value));
                }
                last.sort_by_key(|(name, _)| (name.len(), name.as_bytes().to_vec()));
                let members: Vec<_> = last
                    .iter()
                    .map(|(name, value)| format!("{}: {}", json!(name), value.jsonb()))
                    .collect();
                format!("{{{}}}", members.join(", "))
            }
        }
    }
}

/// How Postgres prints a `numeric`: no exponent, trailing zeros kept, no negative zero.
fn numeric(text: &str) -> String {
    let (mantissa, exponent) = text
        .split_once(['e', 'E'])
        .map_or((text, 0), |(mantissa, exponent)| (mantissa, exponent.parse().unwrap()));
    let negative = mantissa.starts_with('-');
    let mantissa = mantissa.trim_start_matches('-');
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let point = i64::try_from(whole.len()).unwrap() + exponent;
    let (whole, fraction) = match usize::try_from(point) {
        Ok(point) if point >= digits.len() => (digits.clone() + &"0".repeat(point - digits.len()), String::new()),
        Ok(point) => (digits[..point].to_owned(), digits[point..].to_owned()),
        Err(_) => {
            let zeros = usize::try_from(-point).unwrap();
            (String::new(), "0".repeat(zeros) + &digits)
        }
    };
    let whole = whole.trim_start_matches('0');
    let zero = whole.is_empty() && fraction.bytes().all(|digit| digit == b'0');
    let sign = if negative && !zero { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { whole };
    if fraction.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction}")
    }
}

#[test]
fn the_model_prints_numbers_as_the_database_does() {
    // Seen with `select '...'::jsonb`.
    for (source, printed) in [
        ("1e5", "100000"),
        ("1.0", "1.0"),
        ("1.50e-7", "0.000000150"),
        ("-0.0", "0.0"),
        ("12.5e1", "125"),
    ] {
        assert_eq!(numeric(source), printed);
    }
}

fn number() -> impl Strategy<Value = Spelled> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        (-1000_i64..1000).prop_map(|number| format!("{number}.0")),
        ("-?(0|[1-9][0-9]{0,20})", "(\\.[0-9]{1,20})?", "([eE][+-]?[0-9]{1,2})?")
            .prop_map(|(whole, fraction, exponent)| format!("{whole}{fraction}{exponent}")),
        any::<f64>()
            .prop_filter("JSON has no infinity", |number| number.is_finite())
            .prop_map(|number| format!("{number:e}")),
    ]
    .prop_map(Spelled::Number)
}

/// Text without NUL: the canonical encoder replaces it before anything is stored.
fn document() -> impl Strategy<Value = Spelled> {
    let leaf = prop_oneof![
        Just(Spelled::Plain(Value::Null)),
        any::<bool>().prop_map(|flag| Spelled::Plain(json!(flag))),
        "[^\0]{0,12}".prop_map(|text| Spelled::Plain(json!(text))),
        number(),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Spelled::Array),
            prop::collection::vec(("[a-c<é\"]{0,3}", inner), 0..5).prop_map(Spelled::Object),
        ]
    })
}

fn row_of(attribute: &Value) -> Row {
    let mut attributes = Map::new();
    attributes.insert("value".to_owned(), attribute.clone());
    Row::new(&identity(), &attributes)
}

/// The payload as the database would print it after it was sent as `attribute`.
fn read_back(attribute: &str) -> String {
    format!(
        r#"{{"uid": "{}", "kind": "Deployment", "name": "cart", "group": "apps", "version": "v1",
            "namespace": "shop", "attributes": {{"value": {attribute}}}, "targetName": "web-deploys",
            "targetNamespace": "shop"}}"#,
        identity().uid
    )
}

proptest! {
    #[test]
    fn the_digest_survives_a_round_trip_through_jsonb(document in document()) {
        let value: Value = serde_json::from_str(&document.source()).unwrap();
        let row = row_of(&value);
        let printed = read_back(&document.jsonb());
        prop_assert_eq!(RowDigest::of_payload(&printed).unwrap(), row.digest());
    }

    #[test]
    fn encoding_is_a_fixed_point(document in document()) {
        let value: Value = serde_json::from_str(&document.source()).unwrap();
        let row = row_of(&value);
        let reread: Value = serde_json::from_str(row.payload()).unwrap();
        let again = row_of(&reread["attributes"]["value"]);
        prop_assert_eq!(again.payload(), row.payload());
        prop_assert_eq!(RowDigest::of_value(&reread), row.digest());
    }

    #[test]
    fn digests_are_equal_exactly_when_payloads_are(a in document(), b in document()) {
        let row = |document: &Spelled| row_of(&serde_json::from_str(&document.source()).unwrap());
        let (a, b) = (row(&a), row(&b));
        prop_assert_eq!(a.digest() == b.digest(), a.payload() == b.payload());
    }

    #[test]
    fn a_database_accepts_every_payload(text in "\\PC{0,8}\0?\\PC{0,8}") {
        let row = row_of(&json!({ &text: &text }));
        prop_assert!(!row.payload().contains("\\u0000"));
        prop_assert!(!row.payload().contains('\0'));
    }
}
