//! Releases as Helm stores them, and as nobody should.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

fn release() -> Value {
    json!({
        "name": "cart", "namespace": "shop", "version": 7, "manifest": "kind: Secret", "hooks": [{"manifest": "x"}],
        "info": {"status": "deployed", "last_deployed": "2026-01-02T03:04:05Z", "notes": null},
        "chart": {
            "metadata": {"name": "web", "version": "1.20.0", "appVersion": "9.1"},
            "templates": [{"data": "c2VjcmV0"}], "files": [], "values": {"a": "secret"}, "raw": "secret", "lock": null,
        },
        "config": {"replicas": 2, "image": {"tag": "v3"}},
    })
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// As the API serves a Secret of Helm.
fn secret(json: &[u8]) -> Value {
    json!({"data": {"release": STANDARD.encode(STANDARD.encode(gzip(json)))}})
}

fn value_in(object: &Value, field: &str) -> Result<Option<Value>, ReleaseFault> {
    let field = ReleaseField::parse(field).unwrap();
    let mut mask = Mask::default();
    field.add_to(&mut mask);
    let release = Release::new(object, &mask);
    field.value(&release).map(Option::<&Value>::cloned)
}

fn value(field: &str) -> Result<Option<Value>, ReleaseFault> {
    value_in(&secret(release().to_string().as_bytes()), field)
}

#[rstest]
#[case("release.releaseName", json!("cart"))]
#[case("release.chartName", json!("web"))]
#[case("release.chartVersion", json!("1.20.0"))]
#[case("release.appVersion", json!("9.1"))]
#[case("release.revision", json!(7))]
#[case("release.status", json!("deployed"))]
#[case("release.lastDeployed", json!("2026-01-02T03:04:05Z"))]
#[case("release.namespace", json!("shop"))]
#[case("release.config", json!({"replicas": 2, "image": {"tag": "v3"}}))]
#[case("release.chart.metadata.version", json!("1.20.0"))]
#[case("release.config.image.tag", json!("v3"))]
#[case("release. chartName ", json!("web"))]
fn row_62_aliases_and_dotted_paths_are_resolved(#[case] field: &str, #[case] expected: Value) {
    assert_eq!(value(field), Ok(Some(expected)));
}

#[rstest]
#[case("release.manifest")]
#[case("release.manifest.x")]
#[case("release.hooks")]
#[case("release.chart.templates")]
#[case("release.chart.files.x")]
#[case("release.chart.values.a")]
#[case("release.chart.raw")]
fn row_63_denied_fields_are_refused(#[case] field: &str) {
    assert!(matches!(ReleaseField::parse(field), Err(FieldError::Denied(_))));
}

#[rstest]
#[case("release.")]
#[case("release. ")]
#[case("release")]
#[case("other.x")]
#[case("")]
fn row_63_paths_without_a_field_are_refused(#[case] field: &str) {
    assert_eq!(ReleaseField::parse(field), Err(FieldError::NoField));
}

#[test]
fn names_that_only_begin_like_denied_ones_are_fields() {
    assert!(ReleaseField::parse("release.manifests").is_ok());
    assert!(ReleaseField::parse("release.chart.rawer").is_ok());
}

#[test]
fn w44_what_contains_denied_fields_loses_them() {
    assert_eq!(
        value("release.chart"),
        Ok(Some(json!({
            "metadata": {"name": "web", "version": "1.20.0", "appVersion": "9.1"}, "lock": null,
        })))
    );
}

#[rstest]
#[case("release.gone")]
#[case("release.gone.deeper")]
#[case("release.info.notes.deeper")]
#[case("release.chart..metadata")]
fn missing_fields_have_no_value(#[case] field: &str) {
    assert_eq!(value(field), Ok(None));
}

#[test]
fn null_counts_as_found() {
    assert_eq!(value("release.info.notes"), Ok(Some(Value::Null)));
}

#[test]
fn a_way_through_a_scalar_is_a_fault_that_quotes_no_value() {
    assert_eq!(
        value("release.info.status.deeper"),
        Err(ReleaseFault::NotAMap("info.status".to_owned()))
    );
}

#[rstest]
#[case::config_map(STANDARD.encode(gzip(br#"{"name":"n"}"#)))]
#[case::secret(STANDARD.encode(STANDARD.encode(gzip(br#"{"name":"n"}"#))))]
#[case::not_compressed(STANDARD.encode(br#"{"name":"n"}"#))]
#[case::broken_lines(STANDARD.encode(gzip(br#"{"name":"n"}"#)).replace('A', "A\r\n"))]
fn every_way_to_store_a_release_is_read(#[case] stored: String) {
    let object = json!({"data": {"release": stored}});
    assert_eq!(value_in(&object, "release.releaseName"), Ok(Some(json!("n"))));
}

#[rstest]
#[case(json!({}), Undecodable::Missing)]
#[case(json!([]), Undecodable::Missing)]
#[case(json!({"data": {}}), Undecodable::Missing)]
#[case(json!({"data": {"release": 1}}), Undecodable::Base64)]
#[case(json!({"data": {"release": "***"}}), Undecodable::Base64)]
#[case(json!({"data": {"release": STANDARD.encode([0x1f, 0x8b, 8, 0, 0])}}), Undecodable::Gzip)]
#[case(secret(b"[]"), Undecodable::Json)]
#[case(secret(b"{} {}"), Undecodable::Json)]
#[case(secret(b"{\"name\":"), Undecodable::Json)]
fn what_is_no_release_is_a_fault(#[case] object: Value, #[case] fault: Undecodable) {
    assert_eq!(
        value_in(&object, "release.status"),
        Err(ReleaseFault::Undecodable(fault))
    );
}

#[test]
fn w44_releases_that_grow_too_much_are_not_decompressed() {
    // Four MiB of blanks are compressed by a factor of a thousand; the same size in numbers is a release like another.
    let blanks = format!("{{\"name\":\"n\",\"x\":\"{}\"}}", " ".repeat(4 * 1024 * 1024));
    let fault = ReleaseFault::Undecodable(Undecodable::TooLarge);
    assert_eq!(value_in(&secret(blanks.as_bytes()), "release.name"), Err(fault.clone()));
    let numbers: Vec<u64> = (0..600_000).collect();
    let varied = json!({"name": "n", "x": numbers}).to_string();
    assert_eq!(
        value_in(&secret(varied.as_bytes()), "release.name"),
        Ok(Some(json!("n")))
    );
    // Within the factor, and above 32 MiB.
    let large = varied.repeat(9);
    assert!(large.len() > 32 * 1024 * 1024);
    assert_eq!(value_in(&secret(large.as_bytes()), "release.name"), Err(fault));
}

#[test]
fn nesting_is_bounded_where_somebody_looks() {
    let deep = format!(
        "{{\"name\":\"n\",\"config\":{}1{}}}",
        "[".repeat(200_000),
        "]".repeat(200_000)
    );
    let object = secret(deep.as_bytes());
    let fault = ReleaseFault::Undecodable(Undecodable::Json);
    assert_eq!(value_in(&object, "release.config"), Err(fault));
    assert_eq!(value_in(&object, "release.name"), Ok(Some(json!("n"))));
}

proptest! {
    #[test]
    fn no_content_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), field in "release\\.\\PC{1,20}") {
        if ReleaseField::parse(&field).is_ok() {
            let zipped = gzip(&bytes);
            let half = zipped.len() / 2;
            for stored in [&bytes[..], &zipped[..], &zipped[..half]] {
                let _ = value_in(&json!({"data": {"release": STANDARD.encode(stored)}}), &field);
            }
        }
    }
}
