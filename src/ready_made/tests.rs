//! The profiles on objects as a cluster serves them, and the names they answer to.

mod objects;

use std::collections::{BTreeMap, BTreeSet};

use kollect_adapters::kube::convert::Configured as _;
use kollect_adapters::kube::crd::KollectProfile;
use kollect_domain::config::profile::ProfileSpec;
use kollect_domain::ids::TargetKey;
use kollect_domain::profile::Profile;
use serde_json::{Map, Value, json};

use super::*;
use crate::demo::estate::{Cluster, manifests};

fn written(ready_made: &ReadyMade) -> KollectProfile {
    serde_saphyr::from_str(ready_made.yaml()).unwrap_or_else(|error| panic!("{}: {error}", ready_made.resource()))
}

fn spec(ready_made: &ReadyMade) -> ProfileSpec {
    written(ready_made).validated().unwrap()
}

/// With every attribute required, so that a failure is not taken for a missing value.
fn required(ready_made: &ReadyMade) -> ProfileSpec {
    let mut spec = spec(ready_made);
    for attribute in &mut spec.attributes {
        attribute.optional = false;
    }
    spec
}

fn attributes(spec: &ProfileSpec, object: &Value) -> Map<String, Value> {
    let profile = Profile::validate(spec, &[]).unwrap();
    let row = profile
        .extract(object, &TargetKey::new("shop", "all"))
        .unwrap_or_else(|error| panic!("{}: {error}", spec.gvk));
    serde_json::from_str(row.attributes()).unwrap()
}

#[test]
fn every_profile_is_valid_and_surprises_nobody() {
    for ready_made in all() {
        let profile = Profile::validate(&spec(ready_made), &[]).unwrap();
        assert_eq!(profile.warnings(), [""; 0], "{}", ready_made.resource());
        assert_eq!(written(ready_made).metadata.name.as_deref(), Some(ready_made.plural));
        assert_eq!(&*profile.gvk().group, ready_made.group);
        assert_eq!(&*profile.gvk().version, ready_made.version);
        assert_eq!(profile.gvk().kind.to_lowercase(), ready_made.singular);
    }
}

#[test]
fn names_of_attributes_are_short_nouns_and_every_attribute_is_optional() {
    for ready_made in all() {
        for attribute in spec(ready_made).attributes {
            let name = &attribute.name;
            let is_camel_case =
                name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(char::is_alphanumeric);
            assert!(is_camel_case && name.len() <= 16, "{name} of {}", ready_made.resource());
            assert!(attribute.optional, "{name} of {}", ready_made.resource());
        }
    }
}

#[test]
fn every_attribute_of_a_full_object_has_its_value() {
    let full = objects::full();
    for ready_made in all() {
        let (body, own) = &full[ready_made.plural];
        let spec = spec(ready_made);
        let mut expected = objects::expected_metadata();
        expected.extend(own.as_object().unwrap().clone());
        // Cluster-scoped kinds that nothing owns do not ask for owners, and only workloads for a version.
        for name in ["owners", "version"] {
            if !spec.attributes.iter().any(|attribute| attribute.name == name) {
                expected.remove(name);
            }
        }
        let object = objects::with_metadata(body);
        assert_eq!(
            Value::Object(attributes(&spec, &object)),
            Value::Object(expected),
            "{}",
            ready_made.resource()
        );
    }
}

#[test]
fn the_smallest_legal_object_makes_no_attribute_fail_even_if_it_were_required() {
    let smallest = objects::smallest();
    for ready_made in all() {
        let mut body = smallest.get(ready_made.plural).cloned().unwrap_or_else(|| json!({}));
        body["metadata"] = json!({"name": "x", "uid": "u-1"});
        let spec = required(ready_made);
        let found = attributes(&spec, &body);
        assert_eq!(found.len(), spec.attributes.len());
        assert_eq!(found["labels"], Value::Null, "{}", ready_made.resource());
    }
}

#[test]
fn no_attribute_fails_on_any_object_of_the_sample_estate() {
    let list: Value = serde_json::from_str(&manifests(Cluster::ProdEu)).unwrap();
    let mut extracted = BTreeSet::new();
    for object in list["items"].as_array().unwrap() {
        if let Ok(ready_made) = profile(object["kind"].as_str().unwrap()) {
            attributes(&required(ready_made), object);
            extracted.insert(ready_made.plural);
        }
    }
    assert!(extracted.len() >= 18, "{extracted:?}");
}

#[test]
fn a_workload_without_status_has_no_ready_replica() {
    let deployment = json!({"metadata": {"name": "x", "uid": "u-1"}, "spec": {"replicas": 2}});
    let found = attributes(&spec(profile("deploy").unwrap()), &deployment);
    assert_eq!((&found["replicas"], &found["ready"]), (&json!(2), &json!(0)));
    assert!(!found.contains_key("version"));
}

#[test]
fn nothing_of_the_data_of_secrets_and_no_value_of_settings_is_read() {
    let secret = spec(profile("secrets").unwrap());
    assert!(!secret.allow_secret_extraction);
    let mask = Profile::validate(&secret, &[]).unwrap().mask().clone();
    assert!(!mask.reads_member("data") && !mask.reads_member("stringData"));

    let mut object = objects::with_metadata(&json!({
        "data": {"tls": "aGlkZGVu"}, "stringData": {"a": "aGlkZGVu"}, "binaryData": {"b": "aGlkZGVu"},
    }));
    object["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/last-applied-configuration": "aGlkZGVu"});
    for ready_made in all()
        .iter()
        .filter(|profile| ["secrets", "configmaps"].contains(&profile.plural))
    {
        let found = Value::Object(attributes(&spec(ready_made), &object)).to_string();
        assert!(!found.contains("aGlkZGVu"), "{found}");
    }
}

#[test]
fn a_kind_is_found_by_every_name_that_kubectl_takes() {
    for name in [
        "deployments.apps",
        "deployments",
        "deployment",
        "deployment.apps",
        "deploy",
        "deploy.apps",
        "Deployment",
        "DEPLOYMENTS.APPS",
        "deployments.v1.apps",
        "deployments.v1",
        " deployments ",
    ] {
        assert_eq!(profile(name).unwrap().resource(), "deployments.apps", "{name}");
    }
    for name in ["po", "Pod", "pods", "pods.v1", "pods.v1."] {
        assert_eq!(profile(name).unwrap().resource(), "pods", "{name}");
    }
    for ready_made in all() {
        assert_eq!(profile(&ready_made.resource()), Ok(ready_made));
        assert_eq!(profile(&spec(ready_made).gvk.kind), Ok(ready_made));
    }
}

#[test]
fn no_name_is_taken_twice() {
    let mut owners = BTreeMap::new();
    for ready_made in all() {
        for name in ready_made.names().collect::<BTreeSet<_>>() {
            assert_eq!(owners.insert(name, ready_made.plural), None, "{name}");
        }
    }
}

#[test]
fn the_same_word_in_another_group_or_version_is_another_kind() {
    for name in [
        "ingresses.extensions",
        "deployments.v1beta1.apps",
        "pods.metrics.k8s.io",
        "pods.v1.apps",
        "",
        ".",
    ] {
        assert!(profile(name).is_err(), "{name}");
    }
}

#[test]
fn an_unknown_kind_is_answered_with_similar_ones_and_all_there_are() {
    let error = profile("deploymnets.apps").unwrap_err();
    assert_eq!(error.similar, ["deployments.apps"]);
    let message = error.to_string();
    assert!(
        message.starts_with("there is no ready-made profile for `deploymnets.apps`; did you mean deployments.apps? "),
        "{message}"
    );
    for ready_made in all() {
        assert!(message.contains(&ready_made.resource()), "{message}");
    }
    assert_eq!(
        profile("persist").unwrap_err().similar,
        ["persistentvolumes", "persistentvolumeclaims"]
    );
    assert_eq!(profile("certificates.cert-manager.io").unwrap_err().similar, [""; 0]);
}

#[test]
fn a_profile_introduces_itself_in_one_line() {
    assert_eq!(
        profile("deploy").unwrap().to_string(),
        "deployments.apps (deploy): Which images and versions run, and how many replicas are ready."
    );
    for ready_made in all() {
        assert!(
            ready_made.summary().ends_with('.') && ready_made.summary().len() <= 90,
            "{ready_made}"
        );
    }
}
