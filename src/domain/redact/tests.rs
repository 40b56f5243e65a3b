//! What is redacted and what is not.

use rstest::rstest;
use serde_json::{Value, json};

use super::*;

fn redacted(value: Value) -> Value {
    let redaction = Redaction::new([]);
    redaction.apply(Cow::Owned(value), Sensitivity::None).into_owned()
}

fn mark() -> Value {
    json!({"redacted": true, "reason": "sensitive-key"})
}

#[rstest]
#[case("Password")]
#[case("db_password")]
#[case("API_TOKEN")]
#[case("clientSecret")]
#[case("oauth")]
#[case("basic-auth")]
#[case("imagePullSecret")]
#[case(" token ")]
#[case("api-key")]
#[case("private-key")]
#[case("API-KEY")]
#[case("connection_string")]
#[case("kubectl.kubernetes.io/last-applied-configuration")]
fn values_under_sensitive_keys_are_replaced(#[case] key: &str) {
    for secret in [json!("x"), json!(7), json!(["x"]), json!({"k": "x"})] {
        assert_eq!(redacted(json!({ key: secret })), json!({ key: mark() }));
    }
}

#[rstest]
#[case("secretName")]
#[case("author")]
#[case("access_key")]
#[case("tokenizer")]
#[case("automountServiceAccountToken")]
fn values_under_other_keys_are_kept(#[case] key: &str) {
    let object = json!({ key: "x" });
    assert_eq!(redacted(object.clone()), object);
}

#[test]
fn booleans_and_nulls_are_never_redacted() {
    let object = json!({"password": true, "token": null, "env": [{"name": "DB_PASSWORD", "value": null}]});
    assert_eq!(redacted(object.clone()), object);
}

#[test]
fn plurals_hide_texts_but_not_references_and_numbers() {
    let object = json!({
        "tokens": ["a", "b"],
        "passwords": "p",
        "maxTokens": 100,
        "imagePullSecrets": [{"name": "registry"}],
    });
    let expected = json!({
        "tokens": [mark(), mark()],
        "passwords": mark(),
        "maxTokens": 100,
        "imagePullSecrets": [{"name": "registry"}],
    });
    assert_eq!(redacted(object), expected);
}

#[test]
fn credential_carriers_are_replaced_and_look_alikes_kept() {
    let object = json!({
        "env": [
            {"name": "X", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
            {"name": "Y", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}},
            {"name": "DB_PASSWORD", "value": "x"},
            {"name": "LOG_LEVEL", "value": "info"},
        ],
        "envFrom": [{"secretRef": {"name": "s"}}],
        "tls": {"key": "k", "crt": "c"},
        "ingress": {"tls": [{"hosts": ["h"], "secretName": "s"}]},
    });
    let expected = json!({
        "env": [
            {"name": "X", "valueFrom": mark()},
            {"name": "Y", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}},
            {"name": "DB_PASSWORD", "value": mark()},
            {"name": "LOG_LEVEL", "value": "info"},
        ],
        "envFrom": [{"secretRef": mark()}],
        "tls": mark(),
        "ingress": {"tls": [{"hosts": ["h"], "secretName": "s"}]},
    });
    assert_eq!(redacted(object), expected);
}

#[test]
fn helm_like_values_keep_what_is_no_secret() {
    let object = json!({
        "image": {"tag": "1"},
        "database": {"host": "db", "password": "p"},
        "auth": {"token": "t"},
    });
    let expected = json!({
        "image": {"tag": "1"},
        "database": {"host": "db", "password": mark()},
        "auth": mark(),
    });
    assert_eq!(redacted(object), expected);
}

#[rstest]
#[case("adminPassword", json!("x"), mark())]
#[case("pin-token", json!(1234), mark())]
#[case("tokens", json!(["a", 1]), json!([mark(), 1]))]
#[case("token", json!(["a", ["b", true]]), json!([mark(), [mark(), true]]))]
#[case("password", json!({"length": 12}), json!({"length": 12}))]
#[case("hasPassword", json!(true), json!(true))]
#[case("image", json!("x"), json!("x"))]
fn the_name_of_an_attribute_counts_as_a_key(#[case] name: &str, #[case] value: Value, #[case] expected: Value) {
    let redaction = Redaction::new([]);
    let kept = redaction.apply(Cow::Borrowed(&value), redaction.sensitivity(name));
    assert_eq!(kept.into_owned(), expected);
}

#[test]
fn additional_keys_only_add() {
    let redaction = Redaction::new(["internalId", " ", "ID"]);
    let object = json!({"internal-id": "1", "id": "2", "uuid": "3", "password": "4"});
    let expected = json!({"internal-id": mark(), "id": mark(), "uuid": "3", "password": mark()});
    let kept = redaction.apply(Cow::Owned(object), Sensitivity::None);
    assert_eq!(kept.into_owned(), expected);
}

#[test]
fn data_of_secrets_become_markers_and_their_keys_stay() {
    let secret = json!({
        "metadata": {
            "name": "s",
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{\"data\":\"x\"}", "owner": "me"},
        },
        "type": "Opaque",
        "data": {"a": "eA==", "b": null},
        "stringData": {"c": {"deep": "x"}},
    });
    let mark = json!({"redacted": true, "reason": "secret-data"});
    let expected = json!({
        "metadata": {
            "name": "s",
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": mark, "owner": "me"},
        },
        "type": "Opaque",
        "data": {"a": mark, "b": mark},
        "stringData": {"c": mark},
    });
    assert_eq!(without_secret_data(&secret), expected);
}
