//! Cluster targets and cluster inventories: key spaces, references across namespaces, and what is shown.

use serde_json::json;

use super::*;
use crate::aggregate::rows::Outcome;
use crate::aggregate::view::View;
use crate::config::gather::Gather;

pub(super) fn cluster(name: &str) -> NamespacedName {
    NamespacedName::new("", name)
}

pub(super) fn cluster_resource<S>(name: &str, labels: &[(&str, &str)], spec: S) -> Resource<S> {
    Resource {
        key: cluster(name),
        labels: labels.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect(),
        ..resource(name, spec)
    }
}

fn cluster_target(profile: &str, namespace: &str) -> TargetSpec {
    TargetSpec {
        profile_namespace: Some(namespace.into()),
        ..target(profile)
    }
}

fn by_label(key: &str, value: &str) -> LabelSelector {
    LabelSelector {
        match_labels: [(key.to_owned(), value.to_owned())].into(),
        match_expressions: vec![],
    }
}

/// The usual configuration, with cluster targets `web` and `jobs` and the cluster inventory `fleet`.
pub(super) fn estate(gather: Gather) -> Configuration {
    let mut configuration = configuration();
    for (name, tier) in [("web", "front"), ("jobs", "back")] {
        let resource = cluster_resource(name, &[("tier", tier)], cluster_target(name, "shop"));
        configuration.targets.insert(cluster(name), resource);
    }
    let mut spec = InventorySpec {
        gather,
        ..inventory(&["lake"])
    };
    spec.sinks[0].namespace = Some("shop".into());
    configuration
        .inventories
        .insert(cluster("fleet"), cluster_resource("fleet", &[], spec));
    let namespaces = [("blog", "dev"), ("shop", "prod"), ("store", "prod")].map(|(name, env)| {
        let labels = [("env".to_owned(), env.to_owned())].into();
        let annotations = [].into();
        (name.to_owned(), Namespace { labels, annotations })
    });
    configuration.namespaces = Arc::new(namespaces.into());
    configuration
}

fn view(gather: Gather) -> View {
    let decisions = planner().plan(&estate(gather), &Reach::default());
    View::clone(&decisions.plan.views[&cluster("fleet")])
}

#[test]
fn a_cluster_target_and_a_target_of_the_same_name_are_two_and_rows_name_the_workload_namespace() {
    let decisions = planner().plan(&estate(Gather::default()), &Reach::default());
    let rows = |key: &NamespacedName, namespace: Option<&str>| {
        let object = json!({
            "metadata": {"name": "x", "uid": "u", "namespace": namespace},
            "spec": {"template": {"spec": {"containers": [{"image": "i"}]}}},
        });
        match decisions.registrations[key].judge(&object, &Namespaces::new()) {
            Outcome::Row(row) => (row.target_namespace().to_owned(), row.namespace().to_owned()),
            other => panic!("{other:?}"),
        }
    };
    let both = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(rows(&key("web"), Some("blog")), both("shop", "blog"));
    assert_eq!(rows(&cluster("web"), Some("blog")), both("blog", "blog"));
    assert_eq!(rows(&cluster("web"), None), both("default", ""));
}

#[test]
fn the_profile_of_a_cluster_target_is_looked_up_in_its_namespace_and_nowhere_else() {
    let reason_of = |namespace: &str| {
        let mut configuration = estate(Gather::default());
        let spec = cluster_target("web", namespace);
        configuration
            .targets
            .insert(cluster("web"), cluster_resource("web", &[], spec));
        let decisions = planner().plan(&configuration, &Reach::default());
        let blocked = decisions.blocked_targets.get(&cluster("web")).cloned();
        assert!(blocked.is_none() || matches!(decisions.plan.targets[&cluster("web")], TargetPlan::Hold { .. }));
        blocked
    };
    assert_eq!(reason_of("shop"), None);
    let (reason, message) = reason_of("hub").unwrap();
    assert_eq!(reason, reason::PROFILE_NOT_FOUND);
    assert!(message.contains("namespace hub"), "{message}");
    assert_eq!(reason_of("").unwrap().0, reason::MISSING_PROFILE_REF);
}

#[test]
fn targets_are_chosen_by_name_else_by_label_else_all() {
    assert_eq!(view(Gather::default()), View::default());
    let selector = Some(by_label("tier", "front"));
    let chosen = |gather| view(gather).targets.map(|names| Vec::from_iter(names).join(","));
    let labelled = Gather {
        target_selector: selector.clone(),
        ..Gather::default()
    };
    assert_eq!(chosen(labelled.clone()).as_deref(), Some("web"));
    let named = Gather {
        targets: vec!["jobs".into()],
        ..labelled
    };
    assert_eq!(chosen(named).as_deref(), Some("jobs"), "names win over labels");
}

#[test]
fn namespaces_are_those_that_the_selector_and_the_list_both_allow() {
    let shown = |selector: Option<LabelSelector>, names: &[&str]| {
        let gather = Gather {
            namespace_selector: selector,
            namespaces: names.iter().map(|name| (*name).to_owned()).collect(),
            ..Gather::default()
        };
        view(gather).namespaces.map(Vec::from_iter)
    };
    let prod = || Some(by_label("env", "prod"));
    assert_eq!(shown(None, &[]), None, "all, also those that are not known yet");
    assert_eq!(shown(prod(), &[]).unwrap(), ["shop", "store"]);
    assert_eq!(shown(prod(), &["shop", "blog"]).unwrap(), ["shop"]);
    assert_eq!(shown(None, &["blog", "gone"]).unwrap(), ["blog", "gone"]);
    assert_eq!(shown(Some(by_label("env", "none")), &[]).unwrap(), Vec::<String>::new());
}

#[test]
fn sinks_are_in_the_namespace_of_their_reference() {
    let decisions = planner().plan(&estate(Gather::default()), &Reach::default());
    let bound: Vec<BindingKey> = decisions.plan.bindings.keys().cloned().collect();
    let fleet = BindingKey {
        inventory: cluster("fleet"),
        sink: lake(),
    };
    assert_eq!(bound, [fleet, binding()], "the inventory of the namespace is another");
    assert!(!decisions.plan.views.contains_key(&key("estate")));
}

#[test]
fn a_selector_that_cannot_be_used_exports_nothing_and_does_not_keep_from_cleaning_up() {
    let mut selector = by_label("a", "b");
    selector.match_labels.insert("not a label!".into(), "x".into());
    let mut configuration = estate(Gather {
        target_selector: Some(selector),
        ..Gather::default()
    });
    let fleet = |decisions: &Decisions| {
        let mut bindings = decisions.plan.bindings.iter();
        bindings
            .find(|(binding, _)| binding.inventory == cluster("fleet"))
            .map(|(_, plan)| plan.closing)
    };
    let decisions = planner().plan(&configuration, &Reach::default());
    assert_eq!(fleet(&decisions), None);
    let blocked = decisions.inventories[&cluster("fleet")].blocked.as_ref();
    assert_eq!(blocked.map(|(reason, _)| *reason), Some(reason::INVALID_INVENTORY));
    configuration.inventories.get_mut(&cluster("fleet")).unwrap().deleting = true;
    assert_eq!(
        fleet(&planner().plan(&configuration, &Reach::default())),
        Some(Some(Closing::Purge))
    );
}
