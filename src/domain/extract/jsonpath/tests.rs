//! Paths as users write them, and RFC 9535 queries against an independent implementation.

use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

fn cart() -> Value {
    json!({
        "metadata": {
            "name": "cart",
            "labels": {"zone": "z1", "app.example.io/tier": "front"},
        },
        "spec": {
            "replicas": 2,
            "empty": [],
            "nil": null,
            "c": [
                {"n": "a", "p": [80, 81], "w": 1},
                {"n": "b", "p": [], "w": 2.5},
                {"n": "c", "p": [90], "m": null, "w": "3", "on": true},
            ],
        },
    })
}

/// The attribute value: nothing, the one node, or all nodes.
fn value(path: &str) -> Value {
    let object = cart();
    let path = JsonPath::parse(path).unwrap();
    let nodes = path.select(&object).unwrap();
    match nodes.values() {
        [] => Value::Null,
        [only] => (*only).clone(),
        several => several.iter().map(|node| (*node).clone()).collect(),
    }
}

#[rstest]
#[case("$.metadata.name", json!("cart"))]
#[case("{.metadata.name}", json!("cart"))]
#[case("{$.metadata.name}", json!("cart"))]
#[case("{ .metadata.name }", json!("cart"))]
#[case("{@.metadata.name}", json!("cart"))]
#[case("$.spec.c[0].n", json!("a"))]
#[case("$.spec.c[-1].n", json!("c"))]
#[case("$.spec.c[].n", json!("a"))]
#[case("$.spec.c[*].n", json!(["a", "b", "c"]))]
#[case("$.spec.c.*.n", json!(["a", "b", "c"]))]
#[case("$.spec.c[0:2].n", json!(["a", "b"]))]
#[case("$.spec.c[::2].n", json!(["a", "c"]))]
#[case("$.spec.c[-2:].n", json!(["b", "c"]))]
#[case("$.spec.c[0,2].n", json!(["a", "c"]))]
#[case("$.spec.c[0]['n','w']", json!(["a", 1]))]
#[case("$.spec.c[0:1].n", json!("a"))]
#[case("$.spec.c[?(@.n==\"b\")].n", json!("b"))]
#[case("$.spec.c[?(@.n=='b')].n", json!("b"))]
#[case("$.spec.c[?(@.m)].n", json!("c"))]
#[case("$.spec.c[?(@.on==true)].n", json!("c"))]
#[case("$.spec.c[?(@.p[0]>=80)].n", json!(["a", "c"]))]
#[case("$.spec.c[*].p", json!([[80, 81], [], [90]]))]
#[case("$..p", json!([[80, 81], [], [90]]))]
#[case("$.metadata.labels.*", json!(["front", "z1"]))]
#[case(r"$.metadata.labels.app\.example\.io/tier", json!("front"))]
#[case(r"$.metadata.labels['app\.example\.io/tier']", json!("front"))]
fn paths_of_existing_profiles_keep_their_values(#[case] path: &str, #[case] expected: Value) {
    assert_eq!(value(path), expected);
}

#[rstest]
#[case("$.spec.missing[0]")]
#[case("$.spec.nil")]
#[case("$.spec.nil.x")]
#[case("$.spec.replicas.x")]
#[case("$.spec.c.n")]
#[case("$.spec.empty[*]")]
#[case("$.")]
#[case("$.spec.c[0]['n','gone']")]
fn what_is_not_there_selects_nothing(#[case] path: &str) {
    assert_eq!(value(path), Value::Null);
}

#[rstest]
#[case::out_of_range("$.spec.empty[0]", Value::Null)]
#[case::out_of_range_from_the_end("$.spec.c[-9].n", Value::Null)]
#[case::reversed_bounds("$.spec.c[2:1].n", Value::Null)]
#[case::an_empty_list_inside("$.spec.c[*].p[*]", json!([80, 81, 90]))]
#[case::elements_without_the_field("$.spec.c[?(@.m==\"x\")].n", Value::Null)]
#[case::elements_without_the_field_do_not_differ("$.spec.c[?(@.on!=false)].n", json!("c"))]
#[case::numbers_compare_by_value("$.spec.c[?(@.w<=2.5)].n", json!(["a", "b"]))]
#[case::integers_equal_doubles("$.spec.c[?(@.w==1.0)].n", json!("a"))]
#[case::other_types_do_not_differ("$.spec.c[?(@.w!=1)].n", json!("b"))]
#[case::strings_are_leaves("$.metadata.labels.zone.*", Value::Null)]
#[case::children_of_a_map("$.metadata.labels[*]", json!(["front", "z1"]))]
#[case::index_into_a_number("$.spec.replicas[0]", Value::Null)]
#[case::filter_on_a_map("$.metadata.labels[?(@==\"z1\")]", json!("z1"))]
#[case::literal_key_in_single_quotes("$.metadata.labels['app.example.io/tier']", json!("front"))]
#[case::path_in_single_quotes("$['metadata.name']", json!("cart"))]
#[case::key_in_double_quotes("$.metadata.labels[\"zone\"]", json!("z1"))]
#[case::double_quotes_never_split("$[\"metadata.name\"]", Value::Null)]
#[case::blanks_in_brackets("$.spec.c[ 0 ].n", json!("a"))]
#[case::both_operators("$.spec.c[?(@.n=='a' || @.n=='c' && @.on)].n", json!(["a", "c"]))]
#[case::negation("$.spec.c[?(!@.on)].n", json!(["a", "b"]))]
#[case::range("{range .spec.c[*]}{.n}{\"\\n\"}{end}", json!(["a", "b", "c"]))]
#[case::any_of_several_nodes("$.spec.c[?(@.p[*]==81)].n", json!("a"))]
fn paths_that_used_to_fail_or_lie_give_the_right_value(#[case] path: &str, #[case] expected: Value) {
    assert_eq!(value(path), expected);
}

#[rstest]
#[case("metadata.name", json!("cart"), Notice::Relaxed)]
#[case(".metadata.name", json!("cart"), Notice::Relaxed)]
#[case("$['metadata']['name']", json!("cart"), Notice::Relaxed)]
#[case("['metadata'].name", json!("cart"), Notice::Relaxed)]
#[case("CEL:size(object)", Value::Null, Notice::UnknownPrefix)]
#[case("x-{.metadata.name}", json!("x-"), Notice::Constant)]
#[case("{.metadata.name}-x", json!("cart"), Notice::IgnoredRest)]
#[case("{.metadata.name}{.spec}", json!("cart"), Notice::IgnoredRest)]
#[case("{metadata.name}", json!("cart"), Notice::Relaxed)]
#[case("$.metadata.name.", Value::Null, Notice::EmptyName)]
fn doubtful_spellings_work_with_a_notice(#[case] path: &str, #[case] expected: Value, #[case] notice: Notice) {
    assert_eq!(value(path), expected);
    assert!(JsonPath::parse(path).unwrap().notices().contains(&notice));
}

#[rstest]
#[case("{}")]
#[case("{@}")]
#[case("$")]
fn the_whole_object_can_be_selected(#[case] path: &str) {
    assert_eq!(value(path), cart());
}

#[rstest]
#[case("$[?@ > true]")]
#[case("$[?@ < true]")]
#[case("$[?@ > null]")]
#[case("$[?true < @]")]
fn booleans_and_null_are_neither_less_nor_greater(#[case] query: &str) {
    let values = json!([false, true, null, 0, "a"]);
    let path = JsonPath::parse(query).unwrap();
    assert_eq!(path.select(&values).unwrap().values(), Vec::<&Value>::new());
}

#[test]
fn plain_paths_have_no_notice() {
    for path in ["$.metadata.name", "{.metadata.name}", "$.spec.c[?(@.n=='b')].n"] {
        assert_eq!(JsonPath::parse(path).unwrap().notices(), []);
    }
}

#[rstest]
#[case("", 1, Problem::Empty)]
#[case("   ", 1, Problem::Empty)]
#[case("{.metadata.name", 16, Problem::Missing("}"))]
#[case("$.a[0", 6, Problem::Missing("]"))]
#[case("$.a['b", 5, Problem::OpenQuote)]
#[case("$.a[b]", 5, Problem::UnquotedName("b".to_owned()))]
#[case("$.a....b", 6, Problem::RepeatedDescent)]
#[case("$.a]", 4, Problem::Unexpected(']'))]
#[case("$.a[?(@.b=~'c')]", 10, Problem::UnknownOperator("=~".to_owned()))]
#[case("$.a[?(@.b in 'c')]", 11, Problem::UnknownOperator("in".to_owned()))]
#[case("$.a[?(@.b==c)]", 12, Problem::UnknownWord("c".to_owned()))]
#[case("$.a[?length(@.b)>1]", 6, Problem::Function("length".to_owned()))]
#[case("$.a[99999999999999999999]", 5, Problem::IndexTooLarge("99999999999999999999".to_owned()))]
#[case("{range .a[*]}{.b}", 18, Problem::OpenRange)]
#[case("{end}", 1, Problem::StrayEnd)]
fn syntax_errors_say_what_is_wrong_and_where(#[case] path: &str, #[case] position: usize, #[case] problem: Problem) {
    let error = JsonPath::parse(path).unwrap_err();
    assert_eq!((error.position(), error.problem()), (position, &problem));
}

#[test]
fn limits_are_errors() {
    let too_long = "$".to_owned() + &".a".repeat(MAX_PATH_BYTES / 2);
    let too_deep = "$[?(".to_owned() + &"(".repeat(40);
    assert_eq!(JsonPath::parse(&too_long).unwrap_err().problem(), &Problem::TooLong);
    assert_eq!(JsonPath::parse(&too_deep).unwrap_err().problem(), &Problem::TooDeep);
}

#[test]
fn a_path_that_multiplies_nodes_is_stopped() {
    let object = (0..60).fold(json!([1]), |inner, _| json!([inner]));
    let path = JsonPath::parse("$..*..*..*..*..*..*").unwrap();
    assert_eq!(path.select(&object), Err(TooExpensive));
}

#[test]
fn comparing_large_values_over_and_over_is_stopped() {
    let object: Value = (0..3000).map(|number| json!({"n": number})).collect();
    let path = JsonPath::parse("$[?($ == $)]").unwrap();
    assert_eq!(path.select(&object), Err(TooExpensive));
}

#[rstest]
#[case("$.spec.empty[*]", true)]
#[case("$.spec.c[9:].n", true)]
#[case("$.spec.c[1].p[*]", true)]
#[case("$.spec.c[?(@.n=='z')].n", true)]
#[case("$.spec.missing[*]", false)]
#[case("$.spec.c[*].missing", false)]
#[case("$.spec.empty[0]", false)]
fn an_empty_list_is_told_from_a_missing_one(#[case] path: &str, #[case] exhausted: bool) {
    let object = cart();
    let path = JsonPath::parse(path).unwrap();
    let nodes = path.select(&object).unwrap();
    assert_eq!((nodes.values().len(), nodes.exhausted_list()), (0, exhausted));
}

fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        (-3_i32..4).prop_map(|number| Value::from(f64::from(number) / 2.0)),
        "[abc]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A query that both implementations understand and define alike.
fn query() -> impl Strategy<Value = String> {
    // RFC 9535, section 2.3.5.2.2: only numbers and texts are less or greater; the other implementation says of
    // `false > true` that it holds.
    let ordered = prop_oneof![
        (-3_i64..4).prop_map(|number| number.to_string()),
        (-3_i32..4).prop_map(|number| format!("{:?}", f64::from(number) / 2.0)),
        "[abc]{0,2}".prop_map(|text| format!("'{text}'")),
    ];
    let literal = prop_oneof![Just("null".to_owned()), Just("true".to_owned()), ordered.clone()];
    let operand = prop::collection::vec(
        prop_oneof!["\\.[abc]", (-2_i8..3).prop_map(|index| format!("[{index}]"))],
        0..3,
    )
    .prop_map(|steps| format!("@{}", steps.concat()));
    let comparison = prop_oneof![
        (operand.clone(), Just("==".to_owned()), literal),
        (operand.clone(), "<|<=|>|>=".prop_map(String::from), ordered),
    ]
    .prop_map(|(left, operator, right)| format!("{left} {operator} {right}"));
    let condition = prop_oneof![
        comparison.clone(),
        operand.clone(),
        operand.prop_map(|operand| format!("!{operand}")),
        (comparison.clone(), "&&|\\|\\|", comparison.clone())
            .prop_map(|(left, operator, right)| format!("({left}) {operator} ({right})")),
        comparison.prop_map(|inner| format!("!({inner})")),
    ];
    let bound = prop_oneof![Just(String::new()), (-4_i8..5).prop_map(|bound| bound.to_string())];
    let step = prop_oneof![
        "\\.[abc]",
        "\\['[abc]'\\]",
        "\\[\"[abc]\"\\]",
        Just(".*".to_owned()),
        Just("[*]".to_owned()),
        "\\.\\.[abc]",
        Just("..*".to_owned()),
        (-4_i8..5).prop_map(|index| format!("[{index}]")),
        (-4_i8..5, -4_i8..5).prop_map(|(a, b)| format!("[{a}, {b}]")),
        (bound.clone(), bound.clone(), bound).prop_map(|(start, end, step)| format!("[{start}:{end}:{step}]")),
        condition.prop_map(|condition| format!("[?{condition}]")),
    ];
    prop::collection::vec(step, 0..5).prop_map(|steps| format!("${}", steps.concat()))
}

/// A member's name or a position without the zeros in front of it.
fn unpadded(name: &str) -> &str {
    match name.trim_start_matches('0') {
        "" => "0",
        significant => significant,
    }
}

proptest! {
    #[test]
    fn rfc_9535_queries_select_what_an_independent_implementation_selects(
        document in document(),
        query in query(),
    ) {
        let expected = serde_json_path::JsonPath::parse(&query).unwrap().query(&document).all();
        let path = JsonPath::parse(&query).unwrap();
        let nodes = path.select(&document).unwrap();
        prop_assert_eq!(nodes.values(), expected.as_slice());
    }

    #[test]
    fn what_an_independent_implementation_locates_is_removed_and_nothing_else(
        document in document(),
        query in query(),
    ) {
        let located = serde_json_path::JsonPath::parse(&query).unwrap().query_located(&document);
        let mut places: Vec<Vec<String>> = located
            .locations()
            .map(|place| place.to_json_pointer().split('/').skip(1).map(|name| format!("{name:0>9}")).collect())
            .collect();
        // From the last to the first, and parts before wholes: no removal moves what is still to be removed.
        places.sort();
        places.dedup();
        let mut expected = document.clone();
        for place in places.iter().rev() {
            let pointer: Vec<&str> = place.iter().map(|name| unpadded(name)).collect();
            let pointer = format!("/{}", pointer.join("/"));
            crate::extract::pointer::remove(&pointer, &mut expected);
        }
        let mut left = document;
        JsonPath::parse(&query).unwrap().remove_from(&mut left).unwrap();
        prop_assert_eq!(left, expected);
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,40}", document in document()) {
        if let Ok(path) = JsonPath::parse(&text) {
            let _ = path.select(&document);
        }
    }

    #[test]
    fn no_text_of_path_characters_panics(
        text in "[$@.{}\\[\\]()*?:,'\"\\\\ abc0-9<>=!&|~-]{0,40}",
        document in document(),
    ) {
        if let Ok(path) = JsonPath::parse(&text) {
            let _ = path.select(&document);
        }
    }

    #[test]
    fn every_spelling_of_a_chain_of_names_is_the_same_path(
        names in prop::collection::vec("[a-z][a-z0-9./-]{0,8}", 1..5),
    ) {
        let escaped = format!(".{}", names.iter().map(|name| name.replace('.', "\\.")).collect::<Vec<_>>().join("."));
        let quoted = format!("[\"{}\"]", names.join("\"][\""));
        let spellings = [
            format!("${escaped}"),
            format!("{{{escaped}}}"),
            escaped.clone(),
            escaped[1..].to_owned(),
            format!("${quoted}"),
            format!("{{ {quoted} }}"),
        ];
        let object = names.iter().rev().fold(json!("found"), |inner, name| json!({ name: inner }));
        let found = json!("found");
        for spelling in spellings {
            let path = JsonPath::parse(&spelling).unwrap();
            let nodes = path.select(&object).unwrap();
            prop_assert_eq!(nodes.values().to_vec(), vec![&found], "{}", spelling);
        }
    }
}
