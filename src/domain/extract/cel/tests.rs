//! Conformance of the binding, conversion of results, and limits.

use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

use super::environment::{FUNCTIONS, TYPES};
use super::*;

fn deployment() -> Value {
    json!({
        "metadata": {
            "name": "cart",
            "namespace": "shop",
            "generation": 7,
            "labels": {"app": "cart", "tier": "front"},
            "odd.key/x": "odd",
        },
        "spec": {
            "replicas": 2,
            "huge": 18_446_744_073_709_551_615_u64,
            "ratio": 0.5,
            "paused": false,
            "nothing": null,
            "template": {"spec": {"containers": [
                {"name": "web", "image": "r.example/web:1", "ports": [80, 443], "env": [{"name": "A", "value": "1"}]},
                {"name": "sidecar", "image": "r.example/side:2", "ports": []},
            ]}},
            "dns": ["a.example", "b.example"],
        },
        "status": {
            "readyReplicas": 2,
            "notAfter": "2026-03-01T10:00:00.250Z",
            "conditions": [
                {"type": "Progressing", "status": "True"},
                {"type": "Available", "status": "True"},
            ],
        },
    })
}

fn evaluate_on(object: &Value, source: &str) -> Result<Option<Value>, CelFault> {
    evaluate_with(&Meter::default(), object, source)
}

fn evaluate_with(meter: &Meter, object: &Value, source: &str) -> Result<Option<Value>, CelFault> {
    let expression = Program::compile(source).unwrap();
    let binding = Binding::new(object, meter).unwrap();
    expression.evaluate_bound(&binding)
}

fn evaluate(source: &str) -> Result<Option<Value>, CelFault> {
    evaluate_on(&deployment(), source)
}

#[rstest]
#[case("size(object.spec.template.spec.containers)", json!(2))]
#[case("'app' in object.metadata.labels", json!(true))]
#[case("object.metadata.namespace + '/' + object.metadata.name", json!("shop/cart"))]
#[case(
    "has(object.status.conditions) && object.status.conditions.exists(c, c.type == \"Available\" && c.status == \"True\")",
    json!(true)
)]
#[case("has(object.status.readyReplicas) ? object.status.readyReplicas : 0", json!(2))]
#[case("has(object.status.missing) ? object.status.missing : 0", json!(0))]
#[case("object.spec.template.spec.containers.map(c, c.image)", json!(["r.example/web:1", "r.example/side:2"]))]
#[case("int(timestamp(object.status.notAfter))", json!(1_772_359_200))]
fn expressions_in_circulation_keep_their_values(#[case] source: &str, #[case] expected: Value) {
    assert_eq!(evaluate(source), Ok(Some(expected)));
}

#[rstest]
#[case::integers_are_int("object.spec.replicas + 1", json!(3))]
#[case::large_integers_are_uint("object.spec.huge - 1u", json!(18_446_744_073_709_551_614_u64))]
#[case("type(object.spec.replicas) == int && type(object.spec.huge) == uint", json!(true))]
#[case("object.spec.replicas > 1.5 && object.spec.replicas == 2.0", json!(true))]
#[case("object.spec.ratio * 2.0", json!(1.0))]
#[case("object['metadata']['odd.key/x']", json!("odd"))]
#[case("object.spec.template.spec.containers[0].ports[1]", json!(443))]
#[case("object.spec.dns == ['a.example', 'b.example']", json!(true))]
#[case("['a.example', 'b.example'] == object.spec.dns", json!(true))]
#[case("{'app': 'cart', 'tier': 'front'} == object.metadata.labels", json!(true))]
#[case("object.metadata.labels == {'app': 'cart', 'tier': 'front'}", json!(true))]
#[case("[object.metadata.labels] == [{'app': 'cart', 'tier': 'front'}]", json!(true))]
#[case("object.metadata.labels != {'app': 'cart'}", json!(true))]
#[case("object == object", json!(true))]
#[case("object.metadata == object.spec", json!(false))]
#[case("'a.example' in object.spec.dns", json!(true))]
#[case("object.metadata.labels in [{'app': 'cart', 'tier': 'front'}]", json!(true))]
#[case("object.spec.dns + ['c']", json!(["a.example", "b.example", "c"]))]
#[case("['c'] + object.spec.dns", json!(["c", "a.example", "b.example"]))]
#[case("size(object.metadata.labels)", json!(2))]
#[case("object.metadata.labels.map(k, k)", json!(["app", "tier"]))]
#[case("object.metadata.labels.all(k, object.metadata.labels[k] != '')", json!(true))]
#[case("object.spec.template.spec.containers.filter(c, size(c.ports) > 0).map(c, c.name)", json!(["web"]))]
#[case("object.spec.template.spec.containers.map(c, size(c.ports) > 0, c.name)", json!(["web"]))]
#[case("object.spec.template.spec.containers.exists_one(c, c.name == 'web')", json!(true))]
#[case("object.spec.template.spec.containers.map(c, c.ports.map(p, p + 1))", json!([[81, 444], []]))]
#[case("object.?spec.?replicas.orValue(0)", json!(2))]
#[case("object.?spec.?missing.?deeper.orValue('none')", json!("none"))]
#[case("object.spec.dns[?5].hasValue()", json!(false))]
#[case("has(object.spec) && !has(object.spec.other)", json!(true))]
#[case("object.metadata.name.matches('^c.*t$') && object.metadata.name.startsWith('ca')", json!(true))]
#[case("string(object.spec.replicas) + '!'", json!("2!"))]
#[case("object.spec.nothing == null", json!(true))]
#[case("timestamp(object.status.notAfter).getFullYear()", json!(2026))]
#[case("object.spec.missing.x == 1 || true", json!(true))]
#[case("dyn(object.spec).replicas", json!(2))]
fn bound_values_behave_like_built_in_ones(#[case] source: &str, #[case] expected: Value) {
    assert_eq!(evaluate(source), Ok(Some(expected)));
}

#[rstest]
#[case("object.metadata.labels", json!({"app": "cart", "tier": "front"}))]
#[case("object.spec.template.spec.containers[1]", json!({"name": "sidecar", "image": "r.example/side:2", "ports": []}))]
#[case("b'abc'", json!("YWJj"))]
#[case("timestamp('2026-03-01T12:00:00.250+02:00')", json!("2026-03-01T10:00:00.25Z"))]
#[case("timestamp('2026-03-01T10:00:00Z')", json!("2026-03-01T10:00:00Z"))]
#[case("duration('1.5s')", json!(1_500_000_000))]
#[case("[duration('1s')]", json!([1_000_000_000]))]
#[case("type(object.metadata)", json!("map"))]
#[case("type(1)", json!("int"))]
#[case("[null, object.spec.nothing]", json!([null, null]))]
#[case(
    "object.spec.template.spec.containers.filter(c, has(c.env))",
    json!([{"name": "web", "image": "r.example/web:1", "ports": [80, 443], "env": [{"name": "A", "value": "1"}]}])
)]
#[case("{'n': object.metadata.name, 'l': [object.metadata.labels]}", json!({"n": "cart", "l": [{"app": "cart", "tier": "front"}]}))]
#[case("{1: 'a', 2u: 'b', true: 'c'}", json!({"1": "a", "2": "b", "true": "c"}))]
#[case("{'b': 1, 'a': 2, 'd': 3, 'c': 4}.map(k, k)", json!(["a", "b", "c", "d"]))]
#[case("optional.of(object.metadata.name)", json!("cart"))]
fn results_become_plain_json(#[case] source: &str, #[case] expected: Value) {
    assert_eq!(evaluate(source), Ok(Some(expected)));
}

#[test]
fn null_is_a_value_and_an_absent_optional_is_none() {
    assert_eq!(evaluate("null"), Ok(Some(Value::Null)));
    assert_eq!(evaluate("object.spec.nothing"), Ok(Some(Value::Null)));
    assert_eq!(evaluate("object.?missing"), Ok(None));
}

#[rstest]
#[case("object.spec.missing", CelFault::NoSuchKey("missing".to_owned()))]
#[case("object.metadata.labels[object.metadata.name]", CelFault::NoSuchComputedKey)]
#[case("object.spec.dns[2]", CelFault::OutOfBounds)]
#[case("1 / 0", CelFault::DivisionByZero)]
#[case("9223372036854775807 + 1", CelFault::OutOfRange)]
#[case("0.0 / 0.0", CelFault::NotFinite)]
#[case("[1.0 / 0.0]", CelFault::NotFinite)]
#[case("{1: 'a', '1': 'b'}", CelFault::EqualKeys)]
#[case("timestamp(object.metadata.name)", CelFault::Function("timestamp".to_owned()))]
fn what_has_no_value_says_why(#[case] source: &str, #[case] fault: CelFault) {
    assert_eq!(evaluate(source), Err(fault));
}

#[rstest]
#[case("object.spec.replicas + 1.0")]
#[case("object.metadata.name + 1")]
#[case("object.spec.dns['x']")]
#[case("object.metadata.name.getFullYear()")]
#[case("object.spec.replicas < 'a'")]
#[case("!object.spec.replicas")]
#[case("object.spec.replicas.map(x, x)")]
#[case("size(object.spec.replicas)")]
fn mixed_types_are_faults(#[case] source: &str) {
    let fault = evaluate(source).unwrap_err();
    assert!(matches!(fault, CelFault::Types(_)), "{fault:?}");
}

#[rstest]
#[case("object.a + 1")]
#[case("object.a - 'x'")]
#[case("object.m[object.a]")]
#[case("timestamp(object.a)")]
#[case("int(object.a)")]
#[case("duration(object.a)")]
#[case("object.a < 1")]
#[case("object.a.b")]
#[case("object.l[object.a]")]
#[case("'x'.matches(object.a)")]
#[case("object.a ? 1 : 2")]
#[case("{object.m: 1}")]
#[case("object.a.map(x, x)")]
fn faults_never_quote_values_of_the_object(#[case] source: &str) {
    let object = json!({"a": "hunter2(", "m": {"k": "hunter2("}, "l": ["hunter2("]});
    let fault = evaluate_on(&object, source).unwrap_err();
    let text = format!("{fault} {fault:?}");
    assert!(!text.contains("hunter2"), "{text}");
}

#[rstest]
#[case("", CelError::Empty)]
#[case("  ", CelError::Empty)]
#[case("self.metadata.name", CelError::UnknownVariable("self".to_owned()))]
#[case("oldObject == object", CelError::UnknownVariable("oldObject".to_owned()))]
#[case("object.x.map(c, d.name)", CelError::UnknownVariable("d".to_owned()))]
#[case("object.x.map(c, c) == c", CelError::UnknownVariable("c".to_owned()))]
#[case("quantity(object.x)", CelError::UnknownFunction("quantity".to_owned()))]
#[case("object.x.split(',')", CelError::UnknownFunction("split".to_owned()))]
#[case("object.x.map(1)", CelError::UnknownFunction("map".to_owned()))]
#[case("google.protobuf.Int32Value{value: 1}", CelError::MessageLiteral("google.protobuf.Int32Value".to_owned()))]
#[case("object.x.matches('(')", CelError::Pattern("(".to_owned()))]
#[case("object.x.matches('(a{1000}){1000}')", CelError::Pattern("(a{1000}){1000}".to_owned()))]
fn names_without_meaning_are_refused_at_once(#[case] source: &str, #[case] error: CelError) {
    assert_eq!(Program::compile(source), Err(error));
}

#[rstest]
#[case("object..a")]
#[case("object.")]
#[case("1 +")]
#[case("(object.a")]
#[case("@meter")]
fn what_is_not_cel_is_refused_with_a_position(#[case] source: &str) {
    let error = Program::compile(source).unwrap_err();
    assert!(matches!(error, CelError::Syntax { line: 1, .. }), "{error:?}");
}

#[test]
fn every_listed_function_and_type_exists() {
    let object = json!({});
    for name in TYPES {
        let kind = evaluate_on(&object, &format!("type({name})"));
        assert_eq!(kind, Ok(Some(json!("type"))), "{name}");
    }
    let meter = Meter::default();
    let binding = Binding::new(&object, &meter).unwrap();
    for name in FUNCTIONS {
        let is_operator = name.contains(['_', '@', '!']);
        if is_operator {
            continue;
        }
        // Called in the wrong way on purpose: an unknown function would be reported as such.
        for source in [format!("{name}(1, 2, 3, 4)"), format!("null.{name}(1, 2, 3)")] {
            if let Ok(expression) = Program::compile(&source) {
                let fault = expression.evaluate_bound(&binding);
                assert_ne!(fault, Err(CelFault::Internal), "{source}");
            }
        }
    }
}

#[rstest]
#[case::sum(format!("1{}", "+1".repeat(2000)))]
#[case::selection(format!("object{}", ".a".repeat(2000)))]
#[case::index(format!("object{}", "[0]".repeat(1300)))]
#[case::negation("!".repeat(4000) + "true")]
#[case::minus("-".repeat(4000) + "1")]
#[case::parentheses("(".repeat(2000) + "1" + &")".repeat(2000))]
#[case::open_parentheses("(".repeat(4000))]
#[case::lists("[".repeat(2000) + &"]".repeat(2000))]
#[case::maps("{1:".repeat(1000) + "1" + &"}".repeat(1000))]
#[case::conditions("true?".repeat(500) + "1" + &":1".repeat(500))]
#[case::calls("size(".repeat(600) + "1" + &")".repeat(600))]
#[case::members(format!("object{}", ".size()".repeat(500)))]
#[case::loops("[1].map(a, ".repeat(90) + "a" + &")".repeat(90))]
#[case::chained_loops(format!("[1]{}", ".map(a, a)".repeat(200)))]
#[case::conjunction(format!("true{}", "&&true".repeat(600)))]
fn deep_expressions_are_refused_and_never_overflow_the_stack(#[case] source: String) {
    // Either the parser or the depth check refuses them; a balanced conjunction is flat and fine.
    if let Ok(expression) = Program::compile(&source) {
        let object = json!({});
        let meter = Meter::default();
        let _ = expression.evaluate_bound(&Binding::new(&object, &meter).unwrap());
    }
}

#[rstest]
#[case::calls("dyn(", "1", ")")]
#[case::lists("[", "1", "]")]
#[case::conditions("true ? (", "1", ") : 2")]
#[case::negations("!(", "true", ")")]
#[case::products("(1 * ", "1", ")")]
#[case::sums("1 + (2 - ", "1", ")")]
#[case::equalities("true == (", "true", ")")]
#[case::conjunctions("true && (", "true", ")")]
#[case::optionals("optional.of(", "1", ").value()")]
#[case::loops("[1].map(a, [1].map(b, [1].map(c, dyn(", "1", "))))")]
#[case::selections_of_an_index("", "[object][0]", ".a")]
#[case::selections_of_a_call("", "dyn(object)", ".a")]
#[case::selections_of_a_loop("", "[object].filter(a, [1].all(b, b > 0))", "[0].a.a")]
fn the_deepest_accepted_expression_fits_an_ordinary_stack(#[case] open: &str, #[case] core: &str, #[case] close: &str) {
    let deepest = (1..100)
        .map(|depth| open.repeat(depth) + core + &close.repeat(depth))
        .take_while(|source| Program::compile(source).is_ok())
        .last()
        .unwrap();
    let evaluated = thread::Builder::new()
        .stack_size(2 * 1024 * 1024)
        .spawn(move || evaluate(&deepest))
        .unwrap()
        .join()
        .unwrap();
    // Selections find nothing, which is found out at the very bottom.
    assert!(
        matches!(evaluated, Ok(_) | Err(CelFault::NoSuchKey(_))),
        "{evaluated:?}"
    );
}

#[test]
fn long_chains_of_sums_and_selections_are_accepted() {
    let sum = format!("'a'{}", "+'a'".repeat(200));
    assert_eq!(evaluate(&sum), Ok(Some(json!("a".repeat(201)))));
    let selections = format!("has(object{})", ".a".repeat(200));
    assert!(Program::compile(&selections).is_ok());
}

#[test]
fn too_long_or_too_deeply_nested_loops_are_refused() {
    assert_eq!(
        Program::compile(&format!("'{}'", "x".repeat(MAX_SOURCE_BYTES))),
        Err(CelError::TooLong)
    );
    let nested = "[1].map(a, [1].map(b, [1].map(c, [1].map(d, d))))";
    assert_eq!(Program::compile(nested), Err(CelError::TooManyLoops(3)));
    let chained = "[1].map(a, a).map(a, a + 1).map(a, a * 3).filter(a, a > 5).map(a, string(a))";
    assert_eq!(evaluate(chained), Ok(Some(json!(["6"]))));
}

#[rstest]
#[case::loops_in_loops("object.l.map(a, object.l.map(b, object.l.map(c, a)))")]
#[case::search_in_loops("object.l.map(a, object.l.exists(b, b in object.l && b < 0))")]
#[case::comparing_lists("object.l.filter(a, object.l == object.l)")]
#[case::growing_text("object.l.map(a, object.t + object.t)")]
#[case::doubling("[object.t].map(a, a+a).map(a, a+a).map(a, a+a).map(a, a+a).map(a, a+a).map(a, a+a).map(a, a+a)")]
#[case::long_texts("object.l.map(a, object.t.contains('zz'))")]
#[case::computed_patterns("object.l.filter(a, 'x'.matches(string(a)))")]
#[case::hidden_failures("object.l.exists(a, object.l.all(b, object.l == object.l || true) && false)")]
fn expensive_evaluations_are_stopped(#[case] source: &str) {
    let numbers: Vec<_> = (0..300).collect();
    let object = json!({"l": numbers, "t": "x".repeat(10_000)});
    let outcome = evaluate_with(&Meter::new(20_000), &object, source);
    assert_eq!(outcome, Err(CelFault::TooExpensive));
}

#[test]
fn a_result_larger_than_the_limit_is_refused() {
    let object = json!({"l": (0..200).collect::<Vec<_>>(), "t": "x".repeat(100_000)});
    assert_eq!(
        evaluate_on(&object, "object.l.map(a, object.t)"),
        Err(CelFault::TooLarge)
    );
}

#[test]
fn ordinary_loops_stay_far_below_the_budget() {
    let containers: Vec<_> = (0..500)
        .map(|n| json!({"name": format!("c{n}"), "image": "i"}))
        .collect();
    let object = json!({"c": containers});
    let source = "object.c.filter(c, c.name.matches('9$') && c.image == 'i').map(c, c.name + ':' + c.image)";
    let found = evaluate_on(&object, source).unwrap().unwrap();
    assert_eq!(found.as_array().unwrap().len(), 50);
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(|number: f64| Value::from(number)),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn an_object_comes_back_as_it_is(object in json_value()) {
        prop_assert_eq!(evaluate_on(&object, "object"), Ok(Some(object.clone())));
        prop_assert_eq!(evaluate_on(&object, "[object][0] == object"), Ok(Some(json!(true))));
        prop_assert_eq!(evaluate_on(&object, "[object]"), Ok(Some(json!([object]))));
    }

    #[test]
    fn no_text_panics(source in "\\PC{0,60}", object in json_value()) {
        if let Ok(expression) = Program::compile(&source) {
            let meter = Meter::default();
            let outcome = expression.evaluate_bound(&Binding::new(&object, &meter).unwrap());
            prop_assert_ne!(outcome, Err(CelFault::Internal));
        }
    }

    #[test]
    fn no_text_of_cel_tokens_panics(
        tokens in prop::collection::vec(prop::sample::select(vec![
            "object", ".a", ".b", "[0]", "['a']", "(", ")", "[", "]", "{", "}", ",", ":", "?", "+", "-", "*", "/",
            "%", "==", "<", "&&", "||", "!", " in ", "1", "2u", "1.5", "'x'", "b'x'", "true", "null", "size(",
            "has(object.a)", ".map(x, x)", ".all(x, x == 1)", "string(", "int(", ".?a", "[?0]", ".orValue(1)",
            "timestamp(", "duration(", "type(", "dyn(", ".matches('a')", "optional.of(",
        ]), 0..14),
        object in json_value(),
    ) {
        if let Ok(expression) = Program::compile(&tokens.concat()) {
            let meter = Meter::default();
            let outcome = expression.evaluate_bound(&Binding::new(&object, &meter).unwrap());
            prop_assert_ne!(outcome, Err(CelFault::Internal));
        }
    }
}
