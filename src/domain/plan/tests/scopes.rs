//! What is listed for a target.

use super::*;
use crate::plan::reach::Finding;

fn deployments() -> Gvk {
    Gvk::new("apps", "v1", "Deployment")
}

fn including(namespaces: &[String]) -> TargetSpec {
    TargetSpec {
        included_namespaces: namespaces.to_vec(),
        ..target("web")
    }
}

fn named(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("team-{i}")).collect()
}

fn world(target: TargetSpec, namespaces: &[&str]) -> Configuration {
    let mut configuration = configuration();
    configuration.targets.clear();
    configuration.targets.insert(key("web"), resource("web", target));
    let known = namespaces.iter().map(|name| ((*name).to_owned(), Namespace::default()));
    configuration.namespaces = Arc::new(known.collect());
    configuration
}

/// The namespaces that are listed one by one; `None` = the cluster in one list.
fn scopes(planner: &mut Planner, configuration: &Configuration, reach: &Reach) -> Option<Vec<String>> {
    let decisions = planner.plan(configuration, reach);
    let (_, scopes) = decisions.watched().next().expect("the target is collected");
    if scopes == [WatchScope::Cluster] {
        return None;
    }
    let name = |scope: &WatchScope| match scope {
        WatchScope::Namespace(name) => name.to_string(),
        WatchScope::Cluster => panic!("both the cluster and namespaces of it"),
    };
    Some(scopes.iter().map(name).collect())
}

fn forbidden() -> Reach {
    let mut reach = Reach::default();
    assert!(reach.learn(&deployments(), Finding::Forbidden));
    reach
}

#[test]
fn few_named_namespaces_are_listed_one_by_one_although_they_need_not_exist() {
    let reach = Reach::default();
    let listed = |spec| scopes(&mut planner(), &world(spec, &["shop"]), &reach);
    assert_eq!(listed(target("web")), None);
    assert_eq!(listed(including(&named(2))), Some(named(2)));
    assert_eq!(listed(including(&named(8))), Some(named(8)));
    assert_eq!(listed(including(&named(9))), None);
    let excluded = TargetSpec {
        excluded_namespaces: vec!["team-0".into()],
        ..including(&named(2))
    };
    assert_eq!(listed(excluded), Some(vec!["team-1".into()]));
}

#[test]
fn a_source_that_gives_all_in_one_go_is_asked_once() {
    let configuration = world(including(&named(2)), &["shop"]);
    assert_eq!(scopes(&mut planner(), &configuration, &Reach::whole()), None);
}

#[test]
fn without_the_right_to_the_cluster_each_namespace_is_listed() {
    let listed = |spec| scopes(&mut planner(), &world(spec, &["blog", "shop"]), &forbidden());
    assert_eq!(listed(target("web")), Some(vec!["blog".into(), "shop".into()]));
    assert_eq!(listed(including(&named(9))), Some(named(9)));
}

#[test]
fn too_many_namespaces_or_none_that_is_known_are_no_way_out() {
    let many: Vec<String> = named(257);
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let listed = |namespaces: &[&str]| scopes(&mut planner(), &world(target("web"), namespaces), &forbidden());
    assert_eq!(listed(&many), None, "the list of the cluster goes on being tried");
    assert_eq!(listed(&many[1..]).map(|all| all.len()), Some(256));
    assert_eq!(listed(&[]), None, "nothing is known, so nothing counts as empty");
}

#[test]
fn a_namespace_more_is_one_list_more_of_the_same_registration() {
    let mut planner = planner();
    let before = world(target("web"), &["shop"]);
    let after = world(target("web"), &["blog", "shop"]);
    assert_eq!(scopes(&mut planner, &before, &forbidden()), Some(vec!["shop".into()]));
    let epoch = planner.plan(&before, &forbidden()).registrations[&key("web")].epoch;
    assert_eq!(scopes(&mut planner, &after, &forbidden()).map(|all| all.len()), Some(2));
    assert_eq!(
        planner.plan(&after, &forbidden()).registrations[&key("web")].epoch,
        epoch
    );
}

#[test]
fn a_right_that_is_granted_again_leads_back_to_one_list() {
    let mut reach = forbidden();
    assert!(!reach.learn(&deployments(), Finding::Forbidden), "that is known");
    assert_eq!(reach.forbidden().collect::<Vec<_>>(), [&deployments()]);
    assert!(reach.learn(&deployments(), Finding::Allowed));
    assert_eq!(scopes(&mut planner(), &world(target("web"), &["shop"]), &reach), None);
}

#[test]
fn objects_without_namespaces_are_listed_in_one_go_whatever_a_target_names() {
    let mut reach = forbidden();
    reach.learn(&deployments(), Finding::ClusterScoped);
    assert_eq!(
        scopes(&mut planner(), &world(including(&["default".into()]), &[]), &reach),
        None
    );
    assert_eq!(
        reach.forbidden().count(),
        0,
        "no other way of reading them is worth asking for"
    );
}

#[test]
fn watched_namespaces_are_all_there_is() {
    let mut planner = Planner::new(
        Defaults {
            watched: vec!["blog".into(), "shop".into()],
            ..Defaults::default()
        },
        vec![],
    );
    let reach = Reach::default();
    let mut listed = |spec| scopes(&mut planner, &world(spec, &["blog", "shop", "kube-system"]), &reach);
    assert_eq!(listed(target("web")), Some(vec!["blog".into(), "shop".into()]));
    assert_eq!(
        listed(including(&["shop".into(), "kube-system".into()])),
        Some(vec!["shop".into()])
    );
    assert_eq!(listed(including(&["kube-system".into()])), Some(vec![]));
}

#[test]
fn tenants_do_not_get_objects_without_namespaces() {
    let mut planner = Planner::new(
        Defaults {
            watched: vec!["shop".into()],
            only_namespaces: true,
            ..Defaults::default()
        },
        vec![],
    );
    let mut reach = Reach::default();
    reach.learn(&deployments(), Finding::ClusterScoped);
    let decisions = planner.plan(&world(target("web"), &["shop"]), &reach);
    assert_eq!(decisions.blocked_targets[&key("web")].0, reason::SCOPE_FORBIDDEN);
}
