use proptest::prelude::*;
use serde_json::json;

use super::super::decoder::Everything;
use super::*;

const DEPTH: usize = 200;

/// Feeds `body` in pieces of the given sizes, repeated, trying to decode after each one.
fn decode(body: &[u8], sizes: &[usize]) -> Result<(Vec<Value>, usize, ListMeta), ListError> {
    let mut list = ListDecoder::new(Everything, Vec::new());
    list.text.impatient();
    let mut rest = body;
    let mut sizes = sizes.iter().cycle();
    let (mut objects, mut skipped) = (Vec::new(), 0);
    loop {
        match list.next()? {
            Step::Object { value, .. } => objects.push(value),
            Step::Skipped { .. } => skipped += 1,
            Step::End(meta) => return Ok((objects, skipped, meta)),
            Step::NeedMore if rest.is_empty() => list.finish(),
            Step::NeedMore => {
                let size = sizes.next().copied().unwrap_or(1).min(rest.len());
                let (chunk, later) = rest.split_at(size);
                list.push(chunk);
                rest = later;
            }
        }
    }
}

fn objects() -> impl Strategy<Value = Vec<Value>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Text with everything that means something to JSON, and to a careless search for `"items":[`.
        prop::collection::vec(
            prop_oneof![
                Just('"'),
                Just('\\'),
                Just('['),
                Just(']'),
                Just('{'),
                Just('}'),
                Just(','),
                Just('é'),
                Just('x')
            ],
            0..12,
        )
        .prop_map(|text| Value::from(text.into_iter().collect::<String>())),
        Just(Value::from("\"items\":[")),
    ];
    let value = leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop_oneof![Just("items".to_owned()), "[a-z]{1,4}"], inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    prop::collection::vec(value.prop_map(|value| json!({ "spec": value })), 0..6)
}

fn body(objects: &[Value], metadata_first: bool, blank: &str) -> String {
    let metadata = format!(r#""metadata"{blank}:{blank}{{"continue":"a,b]","resourceVersion":"7"}}"#);
    let items: Vec<String> = objects.iter().map(Value::to_string).collect();
    let items = format!(r#""items":{blank}[{}]"#, items.join(&format!("{blank},{blank}")));
    let members = if metadata_first {
        [r#""kind":"PodList","apiVersion":"v1""#.to_owned(), metadata, items]
    } else {
        [items, r#""kind":"PodList""#.to_owned(), metadata]
    };
    format!("{blank}{{{blank}{}{blank}}}{blank}", members.join(&format!(",{blank}")))
}

proptest! {
    #[test]
    fn objects_do_not_depend_on_how_the_body_arrives(
        objects in objects(),
        metadata_first in any::<bool>(),
        blank in "[ \n]{0,2}",
        sizes in prop::collection::vec(1_usize..40, 1..20),
    ) {
        let body = body(&objects, metadata_first, &blank);
        let (decoded, skipped, meta) = decode(body.as_bytes(), &sizes).unwrap();
        prop_assert_eq!(decoded, objects);
        prop_assert_eq!(skipped, 0);
        prop_assert_eq!(meta, ListMeta { resource_version: "7".to_owned(), r#continue: "a,b]".to_owned() });
    }

    #[test]
    fn a_body_that_is_cut_short_is_never_a_list(
        objects in objects(),
        metadata_first in any::<bool>(),
        cut in any::<prop::sample::Index>(),
        sizes in prop::collection::vec(1_usize..40, 1..5),
    ) {
        let body = body(&objects, metadata_first, "");
        let cut = cut.index(body.len());
        prop_assert!(matches!(decode(&body.as_bytes()[..cut], &sizes), Err(ListError::Json(_))));
    }

    #[test]
    fn any_bytes_come_to_an_end_without_a_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        sizes in prop::collection::vec(1_usize..40, 1..5),
    ) {
        if let Ok((objects, skipped, _)) = decode(&bytes, &sizes) {
            prop_assert_eq!((objects.len(), skipped), (0, 0));
        }
    }
}

#[test]
fn an_object_that_is_nested_too_deeply_costs_only_itself() {
    let deep = format!(r#"{{"a":{}1{}}}"#, "[".repeat(DEPTH), "]".repeat(DEPTH));
    let body = format!(r#"{{"items":[{{"n":1}},{deep},{{"n":2}}],"metadata":{{"resourceVersion":"7"}}}}"#);
    let (objects, skipped, meta) = decode(body.as_bytes(), &[50]).unwrap();
    assert_eq!(objects, [json!({"n": 1}), json!({"n": 2})]);
    assert_eq!(skipped, 1);
    assert_eq!(meta.resource_version, "7");
}

#[test]
fn an_object_of_megabytes_is_decoded_whole() {
    let text = "x".repeat(5 << 20);
    let body = format!(r#"{{"items":[{{"text":"{text}"}}],"metadata":{{"resourceVersion":"7"}}}}"#);
    let (objects, _, _) = decode(body.as_bytes(), &[64 << 10]).unwrap();
    assert_eq!(objects, [json!({ "text": text })]);
}

#[test]
fn an_object_without_end_is_given_up_at_the_limit() {
    let text = "x".repeat(PIECE_LIMIT_BYTES + 1);
    let body = format!(r#"{{"items":[{{"text":"{text}"#);
    assert!(matches!(decode(body.as_bytes(), &[1 << 20]), Err(ListError::TooLarge)));
}

#[test]
fn an_error_under_a_status_of_success_is_still_an_error() {
    let body = br#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
        "message":"expired","reason":"Expired","details":{"retryAfterSeconds":3},"code":410}"#;
    let Err(ListError::Status(refusal)) = decode(body, &[7]) else {
        panic!("a status was taken for a list");
    };
    assert_eq!((refusal.code, refusal.reason.as_str()), (410, "Expired"));
    assert_eq!(refusal.retry_after, Some(std::time::Duration::from_secs(3)));
}

#[test]
fn a_list_whose_items_are_null_is_empty() {
    let body = br#"{"kind":"FooList","metadata":{"resourceVersion":"7"},"items":null}"#;
    let (objects, _, meta) = decode(body, &[3]).unwrap();
    assert!(objects.is_empty());
    assert_eq!(meta.resource_version, "7");
}
