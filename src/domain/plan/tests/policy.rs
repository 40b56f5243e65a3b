//! What scopes make of targets and inventories.

use super::*;
use crate::config::PolicyArea;
use crate::config::scope::ScopeSpec;

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn allowing(namespaces: &[&str]) -> ScopeSpec {
    ScopeSpec {
        allowed_namespaces: names(namespaces),
        ..ScopeSpec::default()
    }
}

fn denying(namespaces: &[&str]) -> ScopeSpec {
    ScopeSpec {
        denied_namespaces: names(namespaces),
        ..ScopeSpec::default()
    }
}

fn including(namespaces: &[&str]) -> TargetSpec {
    TargetSpec {
        included_namespaces: namespaces.iter().map(|name| (*name).to_owned()).collect(),
        ..target("web")
    }
}

fn kind(group: &str, version: &str, kind: &str) -> ScopeSpec {
    ScopeSpec {
        allowed_kinds: vec![Gvk::new(group, version, kind)],
        ..ScopeSpec::default()
    }
}

/// The target `web` of the namespace `shop` in a cluster of three namespaces, under these scopes.
fn world(target: TargetSpec, scopes: Vec<ScopeSpec>) -> Configuration {
    let mut configuration = configuration();
    configuration.targets.clear();
    configuration.targets.insert(key("web"), resource("web", target));
    for (i, scope) in scopes.into_iter().enumerate() {
        let name = format!("scope-{i}");
        configuration.scopes.insert(key(&name), resource(&name, scope));
    }
    let namespaces = ["shop", "blog", "kube-system"].map(|name| (name.to_owned(), Namespace::default()));
    configuration.namespaces = Arc::new(namespaces.into());
    configuration
}

/// The namespaces that are collected from, or the reason and message why nothing is.
fn collected(configuration: &Configuration) -> Result<Vec<String>, Blocked> {
    let decisions = planner().plan(configuration, &Reach::default());
    let web = key("web");
    if let Some(blocked) = decisions.blocked_targets.get(&web) {
        return Err(blocked.clone());
    }
    let namespaces = decisions.registrations[&web].selection.namespaces();
    Ok(namespaces.effective(&configuration.namespaces))
}

fn reason_of(configuration: &Configuration) -> &'static str {
    collected(configuration).expect_err("must be refused").0
}

#[test]
fn without_a_scope_nothing_is_restricted() {
    assert_eq!(
        collected(&world(target("web"), vec![])).unwrap(),
        ["blog", "kube-system", "shop"]
    );
}

#[test]
fn what_a_target_only_happens_to_mean_is_trimmed() {
    let denied = world(target("web"), vec![denying(&["kube-system"])]);
    assert_eq!(collected(&denied).unwrap(), ["blog", "shop"]);
    let allowed = world(target("web"), vec![allowing(&["shop"])]);
    assert_eq!(collected(&allowed).unwrap(), ["shop"]);
}

#[test]
fn a_namespace_that_a_target_lists_must_be_allowed() {
    for scope in [denying(&["kube-system"]), allowing(&["shop"])] {
        let (reason, message) = collected(&world(including(&["shop", "kube-system"]), vec![scope])).unwrap_err();
        assert_eq!(reason, reason::SCOPE_NAMESPACE_DENIED);
        assert!(
            message.contains("kube-system") && message.contains("Namespaces of KollectScope"),
            "{message}"
        );
    }
    let allowed = world(including(&["shop"]), vec![allowing(&["shop"])]);
    assert_eq!(collected(&allowed).unwrap(), ["shop"]);
}

#[test]
fn policy_that_leaves_nothing_is_a_denial_and_an_empty_selection_is_not() {
    let nothing_left = world(target("web"), vec![allowing(&["gone"])]);
    assert_eq!(reason_of(&nothing_left), reason::SCOPE_NAMESPACE_DENIED);
    let selects_nothing = TargetSpec {
        namespace_selector: Some(LabelSelector {
            match_labels: [("env".to_owned(), "prod".to_owned())].into(),
            match_expressions: vec![],
        }),
        ..target("web")
    };
    let none = Vec::<String>::new();
    assert_eq!(
        collected(&world(selects_nothing, vec![allowing(&["shop"])])).unwrap(),
        none
    );
}

#[test]
fn all_scopes_of_a_namespace_must_allow_and_any_denies() {
    let both = |a, b| world(target("web"), vec![a, b]);
    let overlap = both(allowing(&["shop", "blog"]), allowing(&["blog", "kube-system"]));
    assert_eq!(collected(&overlap).unwrap(), ["blog"]);
    let denied = both(allowing(&["shop", "blog"]), denying(&["blog"]));
    assert_eq!(collected(&denied).unwrap(), ["shop"]);
    let disjoint = both(allowing(&["shop"]), allowing(&["blog"]));
    assert_eq!(reason_of(&disjoint), reason::SCOPE_NAMESPACE_DENIED);
}

#[test]
fn kinds_are_compared_without_letter_case_and_rules_stand_for_the_profile() {
    let allowed = world(target("web"), vec![kind("Apps", "V1", "deployment")]);
    assert!(collected(&allowed).is_ok());
    let (reason, message) = collected(&world(target("web"), vec![kind("apps", "v1", "StatefulSet")])).unwrap_err();
    assert_eq!(reason, reason::SCOPE_KIND_DENIED);
    assert!(message.contains("allowedGVKs"), "{message}");
    let rule = crate::config::target::ResourceRule {
        gvk: Gvk::new("apps", "v1", "StatefulSet"),
        namespace_selector: None,
        labels: LabelSelector::default(),
        match_policy: String::new(),
    };
    let by_rule = TargetSpec {
        resource_rules: vec![rule],
        ..target("web")
    };
    assert!(collected(&world(by_rule, vec![kind("apps", "v1", "StatefulSet")])).is_ok());
}

#[test]
fn scopes_of_other_namespaces_and_of_the_cluster_kinds_do_not_count() {
    let mut configuration = world(target("web"), vec![]);
    for namespace in ["blog", ""] {
        let scope = Resource {
            key: NamespacedName::new(namespace, "boundary"),
            ..resource("boundary", denying(&["shop"]))
        };
        configuration.scopes.insert(scope.key.clone(), scope);
    }
    assert_eq!(collected(&configuration).unwrap(), ["blog", "kube-system", "shop"]);
}

#[test]
fn a_denial_removes_rows_and_policy_that_is_not_known_keeps_them() {
    let denied = world(target("web"), vec![kind("apps", "v1", "StatefulSet")]);
    let decisions = planner().plan(&denied, &Reach::default());
    assert!(!decisions.plan.targets.contains_key(&key("web")));

    let mut unreadable = world(target("web"), vec![]);
    unreadable
        .unread_policy
        .insert(PolicyArea::AllNamespaces, Invalid::new("forbidden"));
    let mut undecodable = world(target("web"), vec![ScopeSpec::default()]);
    for scope in undecodable.scopes.values_mut() {
        scope.spec = Err(Invalid::new("spec.allowedGVKs: not a list"));
    }
    for configuration in [unreadable, undecodable] {
        assert_eq!(reason_of(&configuration), reason::SCOPE_LOOKUP_FAILED);
        let decisions = planner().plan(&configuration, &Reach::default());
        assert!(matches!(decisions.plan.targets[&key("web")], TargetPlan::Hold { .. }));
        assert!(decisions.plan.bindings.is_empty(), "nothing is exported either");
    }
}

#[test]
fn a_changed_scope_is_a_new_registration_and_an_unchanged_one_is_not() {
    let mut planner = planner();
    let reach = Reach::default();
    let epoch = |decisions: &Decisions| decisions.registrations[&key("web")].epoch;
    let first = epoch(&planner.plan(&world(target("web"), vec![denying(&["blog"])]), &reach));
    let same = epoch(&planner.plan(&world(target("web"), vec![denying(&["blog"])]), &reach));
    assert_eq!(first, same);
    let tightened = world(target("web"), vec![denying(&["blog", "shop"])]);
    assert!(epoch(&planner.plan(&tightened, &reach)) > first);
}

#[test]
fn only_allowed_sinks_are_bound() {
    let scope = |sinks: &[&str]| ScopeSpec {
        allowed_sinks: [(SinkFamily::Database, names(sinks))].into(),
        ..ScopeSpec::default()
    };
    let fault = |configuration: &Configuration| {
        let decisions = planner().plan(configuration, &Reach::default());
        let inventory = decisions.inventories.values().next().unwrap();
        let fault = inventory.sinks[0].1.as_ref().map(|fault| fault.reason);
        assert_eq!(decisions.plan.bindings.is_empty(), fault.is_some());
        fault
    };
    assert_eq!(fault(&world(target("web"), vec![scope(&["lake"])])), None);
    assert_eq!(
        fault(&world(target("web"), vec![scope(&[])])),
        None,
        "empty restricts nothing"
    );
    let elsewhere = world(target("web"), vec![scope(&["other"])]);
    assert_eq!(fault(&elsewhere), Some(reason::SCOPE_SINK_DENIED));
}

#[test]
fn default_stands_for_objects_without_a_namespace() {
    let admits = |scope: ScopeSpec| {
        let configuration = world(target("web"), vec![scope]);
        Ceiling::over("shop", &configuration).unwrap().admits("")
    };
    assert!(admits(ScopeSpec::default()));
    assert!(admits(allowing(&["default", "shop"])));
    assert!(!admits(allowing(&["shop"])));
    assert!(!admits(denying(&["default"])));
}

#[test]
fn the_greatest_floor_of_the_intervals_counts() {
    let scope = |seconds: Option<u64>| ScopeSpec {
        min_export_interval: seconds.map(Duration::from_secs),
        ..ScopeSpec::default()
    };
    let configuration = world(target("web"), vec![scope(Some(30)), scope(None), scope(Some(90))]);
    let ceiling = Ceiling::over("shop", &configuration).unwrap();
    assert_eq!(ceiling.interval_floor(), Some(Duration::from_secs(90)));
}
