//! Rules that match, do not match, and fail.

use rstest::rstest;
use serde_json::json;

use super::*;
use crate::config::target::LabelSelector;

fn deployments() -> Gvk {
    Gvk::new("apps", "v1", "Deployment")
}

fn rule(policy: &str) -> ResourceRule {
    ResourceRule {
        gvk: deployments(),
        namespace_selector: None,
        labels: LabelSelector::default(),
        match_policy: policy.to_owned(),
    }
}

fn matches(rules: &[ResourceRule]) -> Result<bool, String> {
    let mut problems = Vec::new();
    let compiled = compile(rules, &deployments(), &mut problems);
    assert!(problems.is_empty(), "{problems:?}");
    let object = json!({"metadata": {"name": "cart", "namespace": "shop"}, "spec": {"replicas": 2}});
    any_matches(&compiled, &object, "shop", &Namespaces::default())
}

const FAILING: &str = "object.spec.gone == 1";

#[rstest]
#[case("", true)]
#[case("object.spec.replicas == 2", true)]
#[case("object.spec.replicas == 3", false)]
#[case("'true'", true)]
#[case("'False'", false)]
fn policies_say_yes_or_no(#[case] policy: &str, #[case] expected: bool) {
    assert_eq!(matches(&[rule(policy)]), Ok(expected));
}

#[rstest]
#[case("1 + 1")]
#[case("'yes-ish'")]
#[case("null")]
#[case(FAILING)]
fn a_policy_that_fails_or_is_no_boolean_does_not_match_and_is_named(#[case] policy: &str) {
    let message = matches(&[rule("false"), rule(policy)]).unwrap_err();
    assert!(message.starts_with("spec.resourceRules[1].matchPolicy: "), "{message}");
    assert!(!message.contains("yes-ish"), "{message}");
}

#[test]
fn a_rule_that_matches_outweighs_one_that_fails() {
    assert_eq!(matches(&[rule(FAILING), rule("true")]), Ok(true));
    assert_eq!(matches(&[rule("false"), rule("true")]), Ok(true));
}

#[test]
fn a_rule_of_another_kind_neither_matches_nor_fails() {
    let mut other = rule(FAILING);
    other.gvk.kind = "StatefulSet".into();
    assert_eq!(matches(&[other]), Ok(false));
}

#[test]
fn rules_without_kind_and_policies_that_do_not_compile_are_reported_together() {
    let mut nameless = rule("object.spec[");
    nameless.gvk.kind = "".into();
    let mut problems = Vec::new();
    compile(&[nameless, rule("object.")], &deployments(), &mut problems);
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert_eq!(problems[0], "spec.resourceRules[0].gvk: version and kind are required");
    assert!(problems[1].starts_with("spec.resourceRules[0].matchPolicy: "));
    assert!(problems[2].starts_with("spec.resourceRules[1].matchPolicy: "));
}
