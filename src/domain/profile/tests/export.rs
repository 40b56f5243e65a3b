//! Whole objects in rows: what is kept, what is removed, and what stays secret.

use rstest::rstest;
use serde_json::{Value, json};

use super::{attribute, secrets, spec, target, valid};
use crate::profile::{Export, ExtractionError, Include, ObjectExport, Profile, ProfileSpec, PruneSpec};

pub(super) fn resource(export: ObjectExport) -> ProfileSpec {
    ProfileSpec {
        export: Some(Export::Resource(export)),
        ..spec(Vec::new())
    }
}

/// Keeps everything, removes only what is asked for.
pub(super) fn all(prune: PruneSpec) -> ObjectExport {
    ObjectExport {
        include: Include::All,
        keep_identity: true,
        prune: PruneSpec {
            keep_noise: true,
            ..prune
        },
        ..ObjectExport::default()
    }
}

pub(super) fn deployment() -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "namespace": "shop", "name": "cart", "uid": "u-77", "resourceVersion": "41", "generation": 3,
            "managedFields": [{"manager": "kubectl"}],
            "labels": {"app": "cart", "pod-template-hash": "5d"},
            "annotations": {
                "kubectl.kubernetes.io/last-applied-configuration": "{}",
                "argocd.argoproj.io/tracking-id": "t",
                "team": "payments",
                "x.example/y": "z",
            },
        },
        "spec": {"replicas": 2, "list": [1, 2, 3, 4], "containers": [
            {"name": "a", "env": [1]}, {"name": "b", "env": [2]},
        ], "env": {"dsn": "d", "host": "db", "password": "p"}},
        "status": {"readyReplicas": 2, "conditions": [{"type": "Ready"}]},
    })
}

pub(super) fn embedded(spec: &ProfileSpec, object: &Value) -> Result<Value, ExtractionError> {
    let row = valid(spec).extract(object, &target())?;
    let attributes: Value = serde_json::from_str(row.attributes()).unwrap();
    Ok(attributes["resource"].clone())
}

pub(super) fn paths(paths: &[&str]) -> PruneSpec {
    PruneSpec {
        paths: paths.iter().map(ToString::to_string).collect(),
        ..PruneSpec::default()
    }
}

pub(super) fn pointers(pointers: &[&str]) -> PruneSpec {
    PruneSpec {
        pointers: pointers.iter().map(ToString::to_string).collect(),
        ..PruneSpec::default()
    }
}

pub(super) fn computed(expression: &str) -> PruneSpec {
    PruneSpec {
        expressions: vec![expression.to_owned()],
        ..PruneSpec::default()
    }
}

#[rstest]
#[case(Include::MetadataOnly, &["metadata"])]
#[case(Include::SpecOnly, &["spec"])]
#[case(Include::StatusOnly, &["status"])]
#[case(Include::SpecAndStatus, &["spec", "status"])]
#[case(Include::All, &["metadata", "spec", "status"])]
fn row_52_each_include_keeps_its_sections_and_the_kind(#[case] include: Include, #[case] sections: &[&str]) {
    let export = ObjectExport {
        include,
        ..all(PruneSpec::default())
    };
    let embedded = embedded(&resource(export), &deployment()).unwrap();
    let mut expected = vec!["apiVersion", "kind"];
    expected.extend(sections);
    let kept: Vec<&str> = embedded.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(kept, expected);
}

#[test]
fn row_51_spec_and_status_are_kept_by_default() {
    let embedded = embedded(&resource(ObjectExport::default()), &deployment()).unwrap();
    assert_eq!(embedded.get("metadata"), None);
    assert_eq!(embedded["apiVersion"], "apps/v1");
    assert_eq!(embedded["kind"], "Deployment");
    assert_eq!(embedded["spec"]["replicas"], 2);
    assert_eq!(embedded["status"]["readyReplicas"], 2);
}

#[test]
fn what_a_list_leaves_out_of_its_items_is_set() {
    let mut object = deployment();
    object
        .as_object_mut()
        .unwrap()
        .retain(|name, _| name != "apiVersion" && name != "kind");
    let embedded = embedded(&resource(ObjectExport::default()), &object).unwrap();
    assert_eq!(embedded["apiVersion"], "apps/v1");
    assert_eq!(embedded["kind"], "Deployment");
}

#[test]
fn rows_53_and_54_noise_is_removed_unless_it_is_wanted() {
    let mut export = all(PruneSpec::default());
    let whole = embedded(&resource(export.clone()), &deployment()).unwrap();
    assert_eq!(whole["metadata"]["resourceVersion"], "41");
    export.prune.keep_noise = false;
    let quiet = embedded(&resource(export), &deployment()).unwrap();
    assert_eq!(
        quiet["metadata"],
        json!({
            "namespace": "shop", "name": "cart", "uid": "u-77", "labels": {"app": "cart", "pod-template-hash": "5d"},
            "annotations": {"team": "payments", "x.example/y": "z"},
        })
    );
}

#[test]
fn row_56_identity_goes_and_an_emptied_map_stays() {
    let export = ObjectExport {
        include: Include::MetadataOnly,
        ..ObjectExport::default()
    };
    let bare = json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "n", "namespace": "s", "uid": "u"}});
    assert_eq!(
        embedded(&resource(export), &bare),
        Ok(json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {}}))
    );
}

#[test]
fn row_58_keys_of_the_profile_are_redacted_in_the_embedded_object() {
    let mut spec = resource(ObjectExport::default());
    spec.scrub_keys = vec!["host".to_owned()];
    let mark = json!({"redacted": true, "reason": "sensitive-key"});
    assert_eq!(
        embedded(&spec, &deployment()).unwrap()["spec"]["env"],
        json!({"dsn": "d", "host": mark, "password": mark})
    );
}

#[test]
fn row_59_attributes_stand_beside_the_embedded_object() {
    let mut spec = resource(ObjectExport {
        key: "blob".to_owned(),
        include: Include::StatusOnly,
        ..ObjectExport::default()
    });
    spec.attributes = vec![
        attribute("n", "cel:object.spec.replicas + 1"),
        attribute("z", "$.spec.list[0]"),
    ];
    let row = valid(&spec).extract(&deployment(), &target()).unwrap();
    assert_eq!(
        row.attributes(),
        concat!(
            r#"{"blob":{"apiVersion":"apps/v1","kind":"Deployment","#,
            r#""status":{"conditions":[{"type":"Ready"}],"readyReplicas":2}},"n":3,"z":1}"#
        )
    );
}

#[test]
fn problems_of_the_export_name_field_and_remedy() {
    let mut broken = secrets(vec![attribute("blob", "$.metadata.name")]);
    broken.export = Some(Export::Resource(ObjectExport {
        key: "blob".to_owned(),
        prune: pointers(&["spec", " ", "/a~2"]),
        ..ObjectExport::default()
    }));
    let message = Profile::validate(&broken, &[]).unwrap_err().message;
    for expected in [
        "spec.export.mode: Resource would export whole Secrets; set the annotation \
         kollect.dev/allow-full-resource-export",
        "spec.export.as: `blob` is the name of an attribute",
        "spec.export.prune.jsonPointers[0]: `spec` is not a JSON pointer",
        "spec.export.prune.jsonPointers[1]",
        "spec.export.prune.jsonPointers[2]",
    ] {
        assert!(message.contains(expected), "{expected} not in {message}");
    }
    let mut empty = spec(Vec::new());
    empty.export = Some(Export::Attributes);
    let message = Profile::validate(&empty, &[]).unwrap_err().message;
    assert!(message.contains("spec.attributes: is empty"), "{message}");
}

#[test]
fn paths_and_expressions_that_earlier_versions_ignored_are_warnings() {
    let mut prune = paths(&["$.spec[", "$.spec.list[*]"]);
    prune.expressions = vec!["self.x".to_owned()];
    let profile = valid(&resource(all(prune)));
    let warnings = profile.warnings();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].starts_with("spec.export.prune.jsonPaths[0]: `$.spec[` removes nothing"));
    assert!(warnings[1].starts_with("spec.export.prune.cel[0]: `self.x` removes nothing"));
}

#[test]
fn w43_values_of_secrets_are_never_embedded_whatever_attributes_may_read() {
    let mut spec = secrets(vec![attribute("key", "$.data.key")]);
    spec.export = Some(Export::Resource(all(computed(
        "object.data.password == 'aHVudGVyMg==' ? '/type' : ''",
    ))));
    spec.allow_whole_secrets = true;
    spec.allow_secret_extraction = true;
    let secret = json!({
        "metadata": {"name": "s", "uid": "u",
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "aHVudGVyMg=="}},
        "type": "Opaque",
        "data": {"key": "a2V5", "password": "aHVudGVyMg=="},
        "stringData": {"more": "aHVudGVyMg=="},
    });
    let row = valid(&spec).extract(&secret, &target()).unwrap();
    assert!(!row.payload().contains("aHVudGVyMg=="), "{}", row.payload());
    let attributes: Value = serde_json::from_str(row.attributes()).unwrap();
    let mark = json!({"redacted": true, "reason": "secret-data"});
    assert_eq!(attributes["key"], "a2V5");
    assert_eq!(attributes["resource"]["data"], json!({"key": mark, "password": mark}));
    assert_eq!(attributes["resource"]["stringData"], json!({"more": mark}));
    assert_eq!(attributes["resource"]["type"], "Opaque");
    assert_eq!(attributes["resource"]["apiVersion"], "v1");
}
