//! Fields of Helm releases in rows.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rstest::rstest;
use serde::de::DeserializeSeed;
use serde_json::{Value, json};

use super::{attribute, list, optional, secrets, spec, target, valid};
use crate::ids::Gvk;
use crate::profile::{Profile, ProfileSpec};

fn stored(encode: impl Fn(&str) -> String) -> Value {
    let release = json!({
        "name": "cart", "version": 7, "chart": {"metadata": {"name": "web", "version": "1.20.0"}},
        "config": {"database": {"host": "db", "password": "p"}, "auth": {"token": "t"}, "image": {"tag": "v3"}},
    });
    json!({
        "metadata": {"name": "sh.helm.release.v1.cart.v7", "namespace": "shop", "uid": "u"},
        "data": {"release": encode(&release.to_string())},
    })
}

fn secret() -> Value {
    stored(|json| STANDARD.encode(STANDARD.encode(json)))
}

fn attributes(spec: &ProfileSpec, object: &Value) -> Value {
    let profile = valid(spec);
    let row = profile.extract(object, &target()).unwrap();
    let text = object.to_string();
    let mut deserializer = serde_json::Deserializer::from_str(&text);
    let masked = profile.mask().deserialize(&mut deserializer).unwrap();
    assert_eq!(profile.extract(&masked, &target()).unwrap(), row);
    serde_json::from_str(row.attributes()).unwrap()
}

#[test]
fn w43_fields_are_decoded_from_the_original_although_the_data_are_guarded() {
    let spec = secrets(vec![
        attribute("chart", "helm:release.chartName"),
        attribute("revision", "helm:release.revision"),
        attribute("gone", "helm:release.info.status"),
        optional("omitted", "helm:release.info.status"),
        list("versions", " helm:release.chartVersion "),
        attribute("name", "$.metadata.name"),
    ]);
    assert_eq!(
        attributes(&spec, &secret()),
        json!({
            "chart": "web", "revision": 7, "gone": null, "versions": ["1.20.0"],
            "name": "sh.helm.release.v1.cart.v7",
        })
    );
}

#[test]
fn row_62_releases_in_config_maps_are_read_too() {
    let mut spec = spec(vec![attribute("tag", "helm:release.config.image.tag")]);
    spec.gvk = Gvk::new("", "v1", "ConfigMap");
    assert_eq!(
        attributes(&spec, &stored(|json| STANDARD.encode(json))),
        json!({"tag": "v3"})
    );
}

#[rstest]
#[case("helm:release.chartVersion", false)]
#[case("helm:release.chart", false)]
#[case("helm:release.configuration", false)]
#[case("helm:release.config", true)]
#[case("helm:release.config.x", true)]
fn row_64_the_configuration_of_secrets_needs_the_annotation(#[case] path: &str, #[case] needed: bool) {
    let mut spec = secrets(vec![attribute("x", path)]);
    assert_eq!(Profile::validate(&spec, &[]).is_err(), needed);
    spec.allow_secret_extraction = true;
    assert!(Profile::validate(&spec, &[]).is_ok());
}

#[test]
fn row_67_the_configuration_is_redacted() {
    let mut spec = secrets(vec![attribute("config", "helm:release.config")]);
    spec.allow_secret_extraction = true;
    let mark = json!({"redacted": true, "reason": "sensitive-key"});
    assert_eq!(
        attributes(&spec, &secret())["config"],
        json!({"database": {"host": "db", "password": mark}, "auth": mark, "image": {"tag": "v3"}})
    );
}

#[test]
fn an_object_without_a_release_fails_what_is_not_optional() {
    let object = json!({"metadata": {"name": "n", "uid": "u"}, "data": {"key": "eA=="}});
    assert_eq!(
        attributes(&secrets(vec![optional("chart", "helm:release.chartName")]), &object),
        json!({})
    );
    let profile = valid(&secrets(vec![attribute("chart", "helm:release.chartName")]));
    let message = profile.extract(&object, &target()).unwrap_err().to_string();
    assert!(
        message.starts_with("attribute `chart`: the object has no `data.release`"),
        "{message}"
    );
}
