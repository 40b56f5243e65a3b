//! How many rows each profile gives.

use std::time::Duration;

use super::*;
use crate::aggregate::rows::Outcome;
use crate::engine::{Engine, Event, SourceStep};
use crate::time::Now;

/// A configuration with the profile and target `web` in each of these namespaces, and one target more of it in `shop`.
fn in_namespaces(namespaces: &[&str]) -> Configuration {
    let mut configuration = Configuration::default();
    let mut add = |namespace: &str, name: &str| {
        let key = NamespacedName::new(namespace, name);
        let target = Resource {
            key: key.clone(),
            ..resource(name, target("web"))
        };
        configuration.targets.insert(key, target);
        let key = NamespacedName::new(namespace, "web");
        let profile = Resource {
            key: key.clone(),
            ..resource("web", profile("$.metadata.name"))
        };
        configuration.profiles.insert(key, profile);
    };
    for namespace in namespaces {
        add(namespace, "web");
    }
    add("shop", "more");
    configuration
}

/// An engine in which every target has one row.
fn collected(configuration: &Configuration) -> Vec<(String, u64)> {
    let decisions = planner().plan(configuration, &Reach::default());
    let now = Now {
        wall: jiff::Timestamp::UNIX_EPOCH,
        monotonic: Duration::ZERO,
    };
    let mut engine = Engine::new();
    engine.configure(&decisions.plan, now);
    let object = serde_json::json!({"metadata": {"name": "a", "namespace": "shop", "uid": "u"}});
    for (key, registration) in &decisions.registrations {
        let outcome = registration.judge(&object, &Namespaces::new());
        assert!(matches!(outcome, Outcome::Row(_)), "{outcome:?}");
        let event = Event::Source {
            target: key.clone(),
            epoch: registration.epoch,
            scope: WatchScope::Cluster,
            step: SourceStep::Rows(vec![("u".into(), outcome)]),
        };
        engine.apply(event, now);
    }
    let collected = decisions.collected(&engine).into_iter();
    collected
        .map(|(profile, _, rows)| (profile.to_string(), rows))
        .collect()
}

#[test]
fn the_targets_of_a_profile_are_counted_together() {
    assert_eq!(collected(&in_namespaces(&["shop"])), [("web".to_owned(), 2)]);
}

#[test]
fn profiles_of_one_name_are_told_apart_by_their_namespace() {
    let both = [("blog/web".to_owned(), 1), ("shop/web".to_owned(), 2)];
    assert_eq!(collected(&in_namespaces(&["blog", "shop"])), both);
}
