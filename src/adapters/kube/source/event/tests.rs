use rstest::rstest;
use serde_json::json;

use super::super::decoder::Everything;
use super::*;

/// The same event in both orders of its members.
fn lines(event_type: &str, object: &Value) -> [String; 2] {
    [
        format!(r#"{{"type":"{event_type}","object":{object}}}"#),
        format!(r#"{{"object":{object},"type":"{event_type}"}}"#),
    ]
}

fn pod() -> Value {
    json!({"kind": "Pod", "metadata": {"uid": "u", "name": "n", "resourceVersion": "7"}, "spec": {"a": [1, {"b": null}]}})
}

#[rstest]
#[case("ADDED")]
#[case("MODIFIED")]
fn an_added_or_modified_object_is_seen_in_either_order(#[case] event_type: &str) {
    for line in lines(event_type, &pod()) {
        let event = decode_event(&Everything, line.as_bytes()).unwrap();
        assert!(matches!(event, WatchEvent::Seen(value) if value == pod()), "{line}");
    }
}

#[test]
fn a_deleted_object_is_gone_in_either_order() {
    for line in lines("DELETED", &pod()) {
        let event = decode_event(&Everything, line.as_bytes()).unwrap();
        assert!(matches!(event, WatchEvent::Gone(value) if value == pod()), "{line}");
    }
}

#[test]
fn a_bookmark_gives_its_version_in_either_order() {
    let object = json!({"kind": "Pod", "metadata": {"resourceVersion": "42", "creationTimestamp": null}});
    for line in lines("BOOKMARK", &object) {
        let event = decode_event(&Everything, line.as_bytes()).unwrap();
        assert!(
            matches!(event, WatchEvent::Bookmark { resource_version } if resource_version == "42"),
            "{line}"
        );
    }
}

#[test]
fn an_error_gives_its_code_in_either_order() {
    let object = json!({"kind": "Status", "metadata": {}, "code": 410, "reason": "Expired", "message": "too old"});
    for line in lines("ERROR", &object) {
        let event = decode_event(&Everything, line.as_bytes()).unwrap();
        let WatchEvent::Failed(refusal) = event else {
            panic!("{line}");
        };
        assert_eq!((refusal.code, refusal.message.as_str()), (410, "too old"));
    }
}

#[test]
fn an_object_that_is_nested_too_deeply_is_reported_with_its_name_and_version() {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let line = format!(
        r#"{{"type":"MODIFIED","object":{{"spec":{deep},"metadata":{{"name":"n","uid":"u","resourceVersion":"9"}}}}}}"#
    );
    let event = decode_event(&Everything, line.as_bytes()).unwrap();
    let WatchEvent::Undecodable { meta, .. } = event else {
        panic!("the object was decoded");
    };
    assert_eq!((meta.name.as_str(), meta.resource_version.as_str()), ("n", "9"));
}

#[rstest]
#[case::not_json("no event")]
#[case::cut_short(r#"{"type":"ADDED","object":{"metadata":{"uid":"u""#)]
#[case::without_type(r#"{"object":{"spec":1}}"#)]
#[case::without_object(r#"{"type":"ADDED"}"#)]
#[case::two_values(r#"{"type":"ADDED","object":{}} {}"#)]
fn what_is_no_event_is_refused(#[case] line: &str) {
    let decoded = decode_event(&Everything, line.as_bytes());
    assert!(
        !matches!(
            decoded,
            Ok(WatchEvent::Seen(_) | WatchEvent::Gone(_) | WatchEvent::Bookmark { .. })
        ),
        "{decoded:?}"
    );
}

#[test]
fn the_version_can_be_read_without_the_rest() {
    let line = &lines("ADDED", &pod())[0];
    assert_eq!(resource_version_of(line.as_bytes()).as_deref(), Some("7"));
}
