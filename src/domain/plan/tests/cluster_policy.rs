//! What cluster scopes make of cluster targets and cluster inventories.

use super::cluster::{cluster, cluster_resource, estate};
use super::*;
use crate::config::gather::Gather;
use crate::config::scope::ScopeSpec;

fn under(scope: ScopeSpec) -> Configuration {
    let mut configuration = estate(Gather::default());
    let scope = cluster_resource("ceiling", &[], scope);
    configuration.scopes.insert(scope.key.clone(), scope);
    configuration
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn web_blocked(scope: ScopeSpec) -> Option<Blocked> {
    let decisions = planner().plan(&under(scope), &Reach::default());
    let blocked = decisions.blocked_targets.get(&cluster("web")).cloned();
    assert!(
        !decisions.blocked_targets.contains_key(&key("web")),
        "targets of namespaces are not governed by it"
    );
    blocked
}

#[test]
fn a_kind_that_is_not_allowed_is_refused() {
    let only = |kind| ScopeSpec {
        allowed_kinds: vec![Gvk::new("apps", "v1", kind)],
        ..ScopeSpec::default()
    };
    assert_eq!(web_blocked(only("Deployment")), None);
    let (reason, message) = web_blocked(only("StatefulSet")).unwrap();
    assert_eq!(reason, reason::SCOPE_KIND_DENIED);
    assert!(message.contains("KollectClusterScope ceiling"), "{message}");
}

#[test]
fn a_profile_of_a_namespace_that_is_not_allowed_is_refused() {
    let only = |namespace| ScopeSpec {
        allowed_reference_namespaces: names(&[namespace]),
        ..ScopeSpec::default()
    };
    assert_eq!(web_blocked(only("shop")), None);
    let (reason, message) = web_blocked(only("hub")).unwrap();
    assert_eq!(reason, reason::SCOPE_NAMESPACE_DENIED);
    assert!(message.contains("allowedStaticRefNamespaces"), "{message}");
}

#[test]
fn namespaces_are_trimmed_even_to_nothing_and_even_if_they_are_listed() {
    let effective = |denied: &[&str], included: &[&str]| {
        let mut configuration = under(ScopeSpec {
            denied_namespaces: names(denied),
            ..ScopeSpec::default()
        });
        let target = configuration.targets.get_mut(&cluster("web")).unwrap();
        let spec = TargetSpec {
            included_namespaces: included.iter().map(|name| (*name).to_owned()).collect(),
            ..TargetSpec::clone(target.spec.as_ref().unwrap())
        };
        target.spec = Ok(Arc::new(spec));
        let decisions = planner().plan(&configuration, &Reach::default());
        let registration = &decisions.registrations[&cluster("web")];
        registration.selection.namespaces().effective(&configuration.namespaces)
    };
    assert_eq!(effective(&["blog"], &[]), ["shop", "store"]);
    assert_eq!(effective(&["blog"], &["blog", "shop"]), ["shop"]);
    assert_eq!(effective(&["blog"], &["blog"]), Vec::<String>::new());
}

#[test]
fn sinks_are_allowed_by_their_namespace_and_by_their_name() {
    let fault = |scope: ScopeSpec| {
        let decisions = planner().plan(&under(scope), &Reach::default());
        let sinks = &decisions.inventories[&cluster("fleet")].sinks;
        sinks[0].1.as_ref().map(|fault| fault.reason)
    };
    let namespace = |name| ScopeSpec {
        allowed_reference_namespaces: names(&[name]),
        ..ScopeSpec::default()
    };
    let sink = |name| ScopeSpec {
        allowed_sinks: [(SinkFamily::Database, names(&[name]))].into(),
        ..ScopeSpec::default()
    };
    assert_eq!(fault(ScopeSpec::default()), None);
    assert_eq!(fault(namespace("shop")), None);
    assert_eq!(fault(namespace("hub")), Some(reason::SINK_NAMESPACE_DENIED));
    assert_eq!(fault(sink("lake")), None);
    assert_eq!(fault(sink("another")), Some(reason::SCOPE_SINK_DENIED));
}

#[test]
fn cluster_scopes_that_cannot_be_read_stop_the_cluster_kinds_only() {
    let mut configuration = estate(Gather::default());
    let why = Invalid::new("forbidden");
    configuration
        .unread_policy
        .insert(crate::config::PolicyArea::ClusterKinds, why);
    let decisions = planner().plan(&configuration, &Reach::default());
    assert_eq!(
        decisions.blocked_targets[&cluster("web")].0,
        reason::SCOPE_LOOKUP_FAILED
    );
    assert!(matches!(
        decisions.plan.targets[&cluster("web")],
        TargetPlan::Hold { .. }
    ));
    assert!(decisions.registrations.contains_key(&key("web")));
}
