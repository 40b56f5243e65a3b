//! Validation, extraction and the properties that masks must keep.

mod export;
mod helm;
mod metrics;
mod pruning;

use proptest::prelude::*;
use rstest::rstest;
use serde::de::DeserializeSeed;
use serde_json::{Value, json};

use super::*;

fn attribute(name: &str, path: &str) -> AttributeSpec {
    AttributeSpec {
        name: name.to_owned(),
        path: path.to_owned(),
        type_hint: String::new(),
        optional: false,
    }
}

fn optional(name: &str, path: &str) -> AttributeSpec {
    AttributeSpec {
        optional: true,
        ..attribute(name, path)
    }
}

fn list(name: &str, path: &str) -> AttributeSpec {
    AttributeSpec {
        type_hint: "list".to_owned(),
        ..attribute(name, path)
    }
}

fn spec(attributes: Vec<AttributeSpec>) -> ProfileSpec {
    ProfileSpec {
        gvk: Gvk::new("apps", "v1", "Deployment"),
        attributes,
        export: None,
        metrics: Vec::new(),
        scrub_keys: Vec::new(),
        allow_secret_extraction: false,
        allow_whole_secrets: false,
    }
}

fn secrets(attributes: Vec<AttributeSpec>) -> ProfileSpec {
    ProfileSpec {
        gvk: Gvk::new("", "v1", "Secret"),
        ..spec(attributes)
    }
}

fn valid(spec: &ProfileSpec) -> Profile {
    Profile::validate(spec, &[]).unwrap()
}

fn target() -> TargetKey {
    TargetKey::new("shop", "web-deploys")
}

fn deployment() -> Value {
    json!({
        "metadata": {"namespace": "shop", "name": "cart", "uid": "u-77", "labels": {"app": "cart"}},
        "spec": {"template": {"spec": {
            "containers": [{"image": "r.example/cart:3"}],
            "env": {"host": "db", "dbPassword": "p"},
            "tolerations": [],
            "none": null,
        }}},
    })
}

/// The attributes of the row, or the message.
fn extract(attributes: Vec<AttributeSpec>) -> Result<Value, String> {
    let row = valid(&spec(attributes)).extract(&deployment(), &target());
    row.map(|row| serde_json::from_str(row.attributes()).unwrap())
        .map_err(|error| error.to_string())
}

#[test]
fn a_row_has_identity_and_redacted_attributes_in_canonical_order() {
    let profile = valid(&spec(vec![
        attribute("image", "$.spec.template.spec.containers[*].image"),
        optional("owner", "$.metadata.annotations.owner"),
        attribute("n", "cel:size(object.spec.template.spec.containers)"),
        attribute("env", "$.spec.template.spec.env"),
    ]));
    let row = profile.extract(&deployment(), &target()).unwrap();
    assert_eq!(
        row.payload(),
        concat!(
            r#"{"targetNamespace":"shop","targetName":"web-deploys","namespace":"shop","name":"cart","#,
            r#""group":"apps","version":"v1","kind":"Deployment","uid":"u-77","attributes":"#,
            r#"{"env":{"dbPassword":{"reason":"sensitive-key","redacted":true},"host":"db"},"#,
            r#""image":"r.example/cart:3","n":1}}"#
        )
    );
}

#[test]
fn missing_and_null_values_are_null_or_left_out() {
    let values = extract(vec![
        attribute("a", "$.spec.gone"),
        attribute("b", "$.spec.template.spec.none"),
        attribute("c", "cel:null"),
        attribute("d", "cel:object.?gone"),
        optional("e", "$.spec.gone"),
        optional("f", "$.spec.template.spec.none"),
        optional("g", "cel:null"),
    ]);
    assert_eq!(values, Ok(json!({"a": null, "b": null, "c": null, "d": null})));
}

#[test]
fn a_failing_optional_attribute_is_left_out_and_a_required_one_fails_the_object() {
    let failing = "cel:object.spec.gone";
    assert_eq!(
        extract(vec![optional("a", failing), attribute("b", "cel:1")]),
        Ok(json!({"b": 1}))
    );
    let message = extract(vec![attribute("b", "cel:1"), attribute("a", failing)]).unwrap_err();
    assert!(
        message.starts_with("attribute `a`: the object has no `gone`"),
        "{message}"
    );
}

#[test]
fn all_faults_of_an_object_can_be_told_optional_ones_included() {
    let profile = valid(&spec(vec![
        attribute("c", "cel:object.spec.gone"),
        attribute("b", "$.spec.gone"),
        optional("a", "cel:object.metadata.name + 1"),
    ]));
    let faults = profile.faults(&deployment());
    let names: Vec<&str> = faults
        .iter()
        .filter_map(|fault| match fault {
            ExtractionError::Attribute { name, .. } => Some(name.as_str()),
            ExtractionError::Identity(_) => None,
        })
        .collect();
    assert_eq!(names, ["a", "c"], "{faults:?}");
}

#[test]
fn lists_stay_lists_whatever_their_length() {
    let values = extract(vec![
        list("one", "$.spec.template.spec.containers[*].image"),
        list("none", "$.spec.template.spec.tolerations[*]"),
        list("list", "$.spec.template.spec.tolerations"),
        list("missing", "$.spec.template.spec.gone[*]"),
        list("scalar", "cel:1"),
        list("null", "$.spec.template.spec.none"),
        attribute("plain", "$.spec.template.spec.containers[*].image"),
    ]);
    assert_eq!(
        values,
        Ok(json!({
            "one": ["r.example/cart:3"], "none": [], "list": [], "missing": null, "scalar": [1], "null": null,
            "plain": "r.example/cart:3",
        }))
    );
}

#[test]
fn a_profile_without_attributes_gives_rows_without_attributes() {
    assert_eq!(extract(Vec::new()), Ok(json!({})));
}

#[test]
fn an_object_without_name_or_uid_has_no_row() {
    let profile = valid(&spec(Vec::new()));
    for (object, field) in [
        (json!({"metadata": {"uid": "u"}}), "name"),
        (json!({"metadata": {"name": "n"}}), "uid"),
        (json!([]), "name"),
    ] {
        assert_eq!(
            profile.extract(&object, &target()),
            Err(ExtractionError::Identity(field))
        );
    }
}

#[test]
fn results_of_expressions_are_redacted_too() {
    let values = extract(vec![
        attribute(
            "built",
            "cel:{'password': 'x', 'host': object.spec.template.spec.env.host}",
        ),
        attribute("env", "cel:[object.spec.template.spec.env]"),
        attribute("dbPassword", "$.spec.template.spec.env.dbPassword"),
    ]);
    let mark = json!({"redacted": true, "reason": "sensitive-key"});
    assert_eq!(
        values,
        Ok(json!({
            "built": {"password": mark, "host": "db"},
            "env": [{"dbPassword": mark, "host": "db"}],
            "dbPassword": mark,
        }))
    );
}

#[test]
fn operator_and_profile_add_keys_to_redact() {
    let mut spec = spec(vec![attribute("env", "$.spec.template.spec.env")]);
    spec.scrub_keys = vec!["host".to_owned()];
    let profile = Profile::validate(&spec, &["app".to_owned()]).unwrap();
    assert_eq!(profile.redaction.sensitivity("HOST"), Sensitivity::Full);
    assert_eq!(profile.redaction.sensitivity("app"), Sensitivity::Full);
}

#[test]
fn every_problem_is_reported_at_once_with_its_field_and_remedy() {
    let mut broken = spec(vec![
        attribute("", "$.a"),
        attribute("twice", "$.a"),
        attribute("twice", "$.b"),
        attribute("blank", "  "),
        attribute("open", "{.metadata.name"),
        attribute("prefix", "object.metadata.name"),
        attribute("index", "object['x']"),
        attribute("cel", "cel:object..a"),
        attribute("helm", "helm:release.manifest.x"),
    ]);
    broken.gvk = Gvk::new("", "", "");
    let message = Profile::validate(&broken, &[]).unwrap_err().message;
    for expected in [
        "spec.targetGVK.version: is empty",
        "spec.targetGVK.kind: is empty",
        "spec.attributes[0].name: is empty",
        "spec.attributes[2].name: `twice` is used twice",
        "spec.attributes[3].path: `  `: the path is empty",
        "spec.attributes[4].path: `{.metadata.name`: missing `}`",
        "spec.attributes[5].path: `object.metadata.name`: an expression over `object` needs the prefix `cel:`",
        "spec.attributes[6].path: `object['x']`: an expression over `object` needs the prefix `cel:`",
        "spec.attributes[7].path: `cel:object..a`: not a CEL expression",
        "spec.attributes[8].path: `helm:release.manifest.x`: `manifest` of a release can hold credentials",
    ] {
        assert!(message.contains(expected), "{expected} not in {message}");
    }
}

#[test]
fn doubtful_paths_are_warnings_that_name_the_attribute() {
    let profile = valid(&spec(vec![
        attribute("n", "metadata.name"),
        attribute("m", "$.metadata.name"),
    ]));
    assert_eq!(profile.warnings().len(), 1);
    assert!(profile.warnings()[0].starts_with("attribute `n`: the path has neither braces"));
}

#[rstest]
#[case("$.data.x")]
#[case("$.stringData")]
#[case("{}")]
#[case("$.*")]
#[case("$..x")]
#[case("{['data'].k}")]
#[case("$['data.x']")]
#[case("cel:object.data.x")]
#[case("cel:object['data'].x")]
#[case("cel:object[object.metadata.name]")]
#[case("cel:object")]
#[case("cel:[object].map(o, o.data)")]
#[case("cel:has(object.data.x)")]
fn reading_the_data_of_secrets_needs_the_annotation(#[case] path: &str) {
    let mut spec = secrets(vec![attribute("x", path)]);
    let message = Profile::validate(&spec, &[]).unwrap_err().message;
    assert!(message.contains("kollect.dev/allow-secret-extraction"), "{message}");
    spec.allow_secret_extraction = true;
    assert!(Profile::validate(&spec, &[]).is_ok());
    // The word itself is no secret elsewhere.
    spec.allow_secret_extraction = false;
    spec.gvk = Gvk::new("", "v1", "ConfigMap");
    assert!(Profile::validate(&spec, &[]).is_ok());
}

#[test]
fn metadata_of_secrets_can_be_extracted_without_their_applied_copy() {
    let profile = valid(&secrets(vec![
        attribute("name", "$.metadata.name"),
        attribute("type", "$.type"),
        attribute(
            "applied",
            r"$.metadata.annotations.kubectl\.kubernetes\.io/last-applied-configuration",
        ),
        attribute("cel", "cel:object.metadata.annotations"),
    ]));
    let applied = "kubectl.kubernetes.io/last-applied-configuration";
    let secret = json!({
        "metadata": {"name": "s", "uid": "u", "namespace": "shop", "annotations": {applied: "hunter2"}},
        "type": "Opaque",
        "data": {"a": "hunter2"},
    });
    let row = profile.extract(&secret, &target()).unwrap();
    assert!(!row.payload().contains("hunter2"), "{}", row.payload());
    assert!(row.payload().contains(r#""type":"Opaque""#));
}

#[test]
fn the_data_of_secrets_can_be_extracted_with_the_annotation() {
    let mut spec = secrets(vec![attribute("crt", r"$.data.tls\.crt")]);
    spec.allow_secret_extraction = true;
    let secret = json!({"metadata": {"name": "s", "uid": "u"}, "data": {"tls.crt": "eA=="}});
    let row = valid(&spec).extract(&secret, &target()).unwrap();
    assert_eq!(row.attributes(), r#"{"crt":"eA=="}"#);
}

/// Objects of one shape, so that most paths and expressions find something: `a` is such an object, `b` a list of them,
/// `c` a scalar; now and then something is missing or of another type.
fn shaped(depth: u32) -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        8 => (0_i64..3).prop_map(Value::from),
        2 => "[ac]".prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    let leaf = leaf.boxed();
    if depth == 0 {
        return leaf.prop_map(|c| json!({ "c": c })).boxed();
    }
    let inner = shaped(depth - 1);
    let list = prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from);
    let or_leaf = |usual: BoxedStrategy<Value>| prop_oneof![15 => usual, 1 => leaf.clone()];
    let present = |value| prop::option::weighted(0.9, value);
    let members = (
        present(or_leaf(inner).boxed()),
        present(or_leaf(list.boxed()).boxed()),
        present(leaf.clone()),
    );
    members
        .prop_map(|(a, b, c)| {
            let members = [("a", a), ("b", b), ("c", c)].into_iter();
            Value::Object(
                members
                    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
                    .collect(),
            )
        })
        .boxed()
}

fn object() -> impl Strategy<Value = Value> {
    shaped(3).prop_map(|mut object| {
        object["metadata"] = json!({"name": "n", "uid": "u", "labels": {"a": "b"}});
        object["key"] = json!("c");
        object
    })
}

fn path() -> impl Strategy<Value = String> {
    let rest = prop::sample::select(vec![
        ".c",
        ".a",
        ".b[*].c",
        ".b.*.c",
        ".b[0].a.c",
        ".b[-1].c",
        ".b[:1].a",
        ".b[0,1].c",
        "['a','c']",
        "['c','a.c']",
        "['a.c']",
        "['b[0].c']",
        "..c",
        ".*",
        ".b[?(@.c==1)].a.c",
        ".b[?(@.c!=$.c)].c",
        ".b[?(@.b)].c",
        ".b[?(@.a.c>=1)].b[*].c",
        ".b[?(@.b[*].c==1)].c",
        ".b[?(!@.a)].c",
        ".b[*].b[*].a",
        ".a[?(@==1)]",
    ]);
    ("(\\.a){0,2}", rest).prop_map(|(start, rest)| format!("${start}{rest}"))
}

fn expression() -> impl Strategy<Value = String> {
    let object = || "object(\\.a){0,2}";
    let element = || {
        prop::sample::select(vec![
            "x",
            "x.c",
            "x.a",
            "x.a.c",
            "x.b",
            "size(x.b)",
            "x.b.map(y, y.c)",
            "[x.c, object.c]",
            "{'k': x.a}",
            "has(x.a) ? x.a.c : x.c",
            "x[object.key]",
        ])
    };
    let condition = || {
        prop::sample::select(vec![
            "x.c == 1",
            "has(x.a)",
            "has(x.a.c)",
            "x.a.c == object.c",
            "x.b.exists(y, y.c == x.c)",
            "size(x.b) > 0",
            "x in object.b",
            "x == object.a",
        ])
    };
    prop_oneof![
        prop::sample::select(vec![
            "object.a == object",
            "object.b + object.a.b",
            "'a' in object.a",
            "object.a.map(k, k)",
            "object.b[0].c",
            "object.b[0]['c']",
            "object[object.key]",
            "object.a[object.key]",
            "type(object.b)",
            "object.?a.?c.orValue(object.c)",
            "object.?b[?0].?c",
            "object.b.map(c, c.c)",
            "size(object.a)",
            "object.b.map(object, object.c)",
            "[object.a.c] == [object.c]",
        ])
        .prop_map(str::to_owned),
        (object(), object(), condition()).prop_map(|(a, b, condition)| {
            format!("({a}.c == 1 || {b}.b.exists(x, {condition}) ? {a}.a : {b}.a).c")
        }),
        (object(), object()).prop_map(|(a, b)| format!("has({a}.a) ? {a}.a.c : {b}.c")),
        (object(), element()).prop_map(|(list, element)| format!("{list}.b.map(x, {element})")),
        (object(), condition()).prop_map(|(list, condition)| format!("{list}.b.filter(x, {condition})")),
        (object(), condition()).prop_map(|(list, condition)| format!("{list}.b.all(x, {condition})")),
        (object(), condition(), element())
            .prop_map(|(list, condition, element)| format!("{list}.b.filter(x, {condition}).map(x, {element})")),
        (object(), condition()).prop_map(|(list, condition)| format!("{list}.b.filter(x, {condition})[0].c")),
    ]
    .prop_map(|source| format!("cel:{source}"))
}

fn any_source() -> impl Strategy<Value = String> {
    prop_oneof![path(), expression()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn extraction_under_the_mask_gives_the_row_of_the_whole_object(
        sources in prop::collection::vec((any_source(), any::<bool>(), any::<bool>()), 1..3),
        object in object(),
    ) {
        let attributes = sources.iter().enumerate().map(|(index, (source, optional, as_list))| AttributeSpec {
            type_hint: if *as_list { "list".to_owned() } else { String::new() },
            optional: *optional,
            ..attribute(&index.to_string(), source)
        });
        let Ok(profile) = Profile::validate(&spec(attributes.collect()), &[]) else {
            return Ok(());
        };
        let text = object.to_string();
        let mut deserializer = serde_json::Deserializer::from_str(&text);
        let masked = profile.mask().deserialize(&mut deserializer).unwrap();
        let whole = profile.extract(&object, &target());
        let under_mask = profile.extract(&masked, &target());
        match (whole, under_mask) {
            // The messages may differ in a type that only the whole object shows.
            (Err(ExtractionError::Attribute { name: a, .. }), Err(ExtractionError::Attribute { name: b, .. })) => {
                prop_assert_eq!(a, b);
            }
            (whole, under_mask) => prop_assert_eq!(whole, under_mask),
        }
    }

    #[test]
    fn no_profile_and_no_object_panics(path in "\\PC{0,30}", prefix in "(cel:|\\$\\.|\\{|)", object in shaped(2)) {
        if let Ok(profile) = Profile::validate(&spec(vec![attribute("a", &format!("{prefix}{path}"))]), &[]) {
            let _ = profile.extract(&object, &target());
        }
    }
}
