//! Plans as the operator makes them, one configuration after another.

mod cluster;
mod cluster_policy;
mod collected;

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::config::DeletionPolicy::{FamilyDefault, Purge, Retain};
use crate::config::profile::AttributeSpec;
use crate::config::sink::{PostgresTable, Provisioning, SecretRef, Tls};
use crate::config::target::LabelSelector;
use crate::config::{InventorySpec, Namespace, SinkRef};
use crate::engine::Closing;
use crate::ids::{BindingKey, Gvk, NamespacedName, SinkFamily};

mod policy;
mod scopes;

fn key(name: &str) -> NamespacedName {
    NamespacedName::new("shop", name)
}

fn resource<S>(name: &str, spec: S) -> Resource<S> {
    Resource {
        key: key(name),
        labels: [].into(),
        created: None,
        uid: name.into(),
        generation: 1,
        deleting: false,
        finalizers: vec![],
        spec: Ok(Arc::new(spec)),
        conditions: vec![],
    }
}

fn profile(path: &str) -> ProfileSpec {
    ProfileSpec {
        gvk: Gvk::new("apps", "v1", "Deployment"),
        attributes: vec![AttributeSpec {
            name: "image".into(),
            path: path.into(),
            type_hint: String::new(),
            optional: false,
        }],
        export: None,
        metrics: Vec::new(),
        scrub_keys: vec![],
        allow_secret_extraction: false,
        allow_whole_secrets: false,
    }
}

fn target(profile: &str) -> TargetSpec {
    TargetSpec {
        profile: profile.into(),
        ..TargetSpec::default()
    }
}

fn sink() -> SinkSpec {
    SinkSpec {
        kind: "postgres".into(),
        cluster: "c".into(),
        destination: Destination::Postgres(PostgresTable {
            database: SecretRef {
                object: key("dsn"),
                referrer: "shop".into(),
            },
            schema: "public".into(),
            table: "rows".into(),
        }),
        tls: Tls::default(),
        provisioning: Provisioning::Ensure,
        export_min_interval: None,
        min_change_interval: Some(Duration::from_secs(3)),
        options: [].into(),
    }
}

fn inventory(sinks: &[&str]) -> InventorySpec {
    InventorySpec {
        sinks: sinks
            .iter()
            .map(|name| SinkRef {
                family: SinkFamily::Database,
                name: (*name).into(),
                namespace: None,
                export_min_interval: None,
                min_change_interval: None,
                deletion_policy: FamilyDefault,
            })
            .collect(),
        ..InventorySpec::default()
    }
}

fn lake() -> SinkKey {
    SinkKey {
        family: SinkFamily::Database,
        object: key("lake"),
    }
}

fn binding() -> BindingKey {
    BindingKey {
        inventory: key("estate"),
        sink: lake(),
    }
}

/// Two profiles with a target each, one sink, one inventory.
fn configuration() -> Configuration {
    let mut configuration = Configuration::default();
    for name in ["web", "jobs"] {
        let path = "$.spec.template.spec.containers[*].image";
        configuration.profiles.insert(key(name), resource(name, profile(path)));
        configuration.targets.insert(key(name), resource(name, target(name)));
    }
    configuration.sinks.insert(lake(), resource("lake", sink()));
    configuration
        .inventories
        .insert(key("estate"), resource("estate", inventory(&["lake"])));
    configuration
}

fn planner() -> Planner {
    Planner::new(Defaults::default(), vec![])
}

fn epoch(decisions: &Decisions, name: &str) -> Epoch {
    decisions.registrations[&key(name)].epoch
}

#[test]
fn what_did_not_change_keeps_its_number_and_what_did_gets_a_new_one() {
    let mut planner = planner();
    let mut configuration = configuration();
    let first = planner.plan(&configuration, &Reach::default());
    let same = planner.plan(&configuration, &Reach::default());
    assert_eq!(first.plan.targets, same.plan.targets);
    assert_eq!(first.plan.bindings, same.plan.bindings);

    configuration
        .profiles
        .insert(key("web"), resource("web", profile("$.metadata.name")));
    let edited = planner.plan(&configuration, &Reach::default());
    assert!(epoch(&edited, "web") > epoch(&first, "web"));
    assert_eq!(epoch(&edited, "jobs"), epoch(&first, "jobs"));
    assert_eq!(edited.plan.bindings, first.plan.bindings);

    let moved = SinkSpec {
        cluster: "other".into(),
        ..sink()
    };
    configuration.sinks.insert(lake(), resource("lake", moved));
    let revised = planner.plan(&configuration, &Reach::default());
    assert!(revised.plan.bindings[&binding()].revision > first.plan.bindings[&binding()].revision);
    assert_eq!(epoch(&revised, "web"), epoch(&edited, "web"));
}

#[test]
fn faults_of_a_definition_hold_rows_and_only_suspension_and_deletion_remove_them() {
    let outcome = |change: fn(&mut Configuration)| {
        let mut configuration = configuration();
        change(&mut configuration);
        let decisions = planner().plan(&configuration, &Reach::default());
        assert!(
            decisions.registrations.contains_key(&key("jobs")),
            "the other target goes on"
        );
        let reason = decisions.blocked_targets.get(&key("web")).map(|(reason, _)| *reason);
        (decisions.plan.targets.get(&key("web")).cloned(), reason)
    };
    let hold = |reason| (Some(TargetPlan::Hold { reason }), Some(reason));
    assert_eq!(
        outcome(|c| drop(c.profiles.remove(&key("web")))),
        hold(reason::PROFILE_NOT_FOUND)
    );
    assert_eq!(
        outcome(|c| drop(c.profiles.insert(key("web"), resource("web", profile("$.a[?(@"))))),
        hold(reason::INVALID_PROFILE)
    );
    assert_eq!(
        outcome(|c| drop(c.targets.insert(key("web"), resource("web", target(" "))))),
        hold(reason::MISSING_PROFILE_REF)
    );
    assert_eq!(
        outcome(|c| c.targets.get_mut(&key("web")).unwrap().spec = Err(Invalid::new("cannot be read"))),
        hold(reason::INVALID_TARGET)
    );
    let suspended = TargetSpec {
        suspend: true,
        ..target("web")
    };
    let mut with_suspended = configuration();
    with_suspended.targets.insert(key("web"), resource("web", suspended));
    let decisions = planner().plan(&with_suspended, &Reach::default());
    assert!(!decisions.plan.targets.contains_key(&key("web")));
    assert_eq!(decisions.blocked_targets[&key("web")].0, reason::SUSPENDED);
    assert_eq!(
        outcome(|c| c.targets.get_mut(&key("web")).unwrap().deleting = true),
        (None, None)
    );
}

#[test]
fn a_target_that_comes_back_is_registered_anew_since_it_may_have_missed_changes() {
    let mut planner = planner();
    let mut configuration = configuration();
    let first = epoch(&planner.plan(&configuration, &Reach::default()), "web");
    let profile = configuration.profiles.remove(&key("web")).unwrap();
    planner.plan(&configuration, &Reach::default());
    configuration.profiles.insert(key("web"), profile);
    assert!(epoch(&planner.plan(&configuration, &Reach::default()), "web") > first);
}

#[test]
fn a_missing_or_broken_sink_is_a_fault_of_its_own_binding_only() {
    let mut configuration = configuration();
    configuration
        .inventories
        .insert(key("estate"), resource("estate", inventory(&["lake", "gone"])));
    let decisions = planner().plan(&configuration, &Reach::default());
    let faults: Vec<Option<&'static str>> = decisions.inventories[&key("estate")]
        .sinks
        .iter()
        .map(|(_, fault)| fault.as_ref().map(|fault| fault.reason))
        .collect();
    assert_eq!(faults, [None, Some(reason::SINK_NOT_FOUND)]);
    assert_eq!(decisions.plan.bindings.len(), 1);
    assert_eq!(decisions.plan.bindings[&binding()].spacing, Duration::from_secs(3));
}

#[test]
fn deletion_purges_a_database_unless_the_nearest_policy_says_otherwise() {
    let closing = |inventory_policy, reference_policy| {
        let mut spec = inventory(&["lake"]);
        spec.deletion_policy = inventory_policy;
        spec.sinks[0].deletion_policy = reference_policy;
        spec.suspend = true;
        let mut configuration = configuration();
        let mut estate = resource("estate", spec);
        estate.deleting = true;
        configuration.inventories.insert(key("estate"), estate);
        planner().plan(&configuration, &Reach::default()).plan.bindings[&binding()].closing
    };
    assert_eq!(closing(FamilyDefault, FamilyDefault), Some(Closing::Purge));
    assert_eq!(closing(Retain, FamilyDefault), Some(Closing::Retain));
    assert_eq!(closing(Retain, Purge), Some(Closing::Purge));
    assert_eq!(closing(Purge, Retain), Some(Closing::Retain));
}

#[test]
fn a_suspended_inventory_has_no_binding_and_says_so() {
    let mut configuration = configuration();
    let spec = InventorySpec {
        suspend: true,
        ..inventory(&["lake"])
    };
    configuration
        .inventories
        .insert(key("estate"), resource("estate", spec));
    let decisions = planner().plan(&configuration, &Reach::default());
    assert!(decisions.plan.bindings.is_empty());
    let blocked = decisions.inventories[&key("estate")].blocked.as_ref();
    assert_eq!(blocked.map(|(reason, _)| *reason), Some(reason::SUSPENDED));
}

#[test]
fn targets_of_one_kind_share_a_watch_and_few_selectors_get_watches_of_their_own() {
    let labelled = |value: &str| LabelSelector {
        match_labels: [("tier".to_owned(), value.to_owned())].into(),
        match_expressions: vec![],
    };
    let count = |selectors: &[Option<&str>]| {
        let mut configuration = configuration();
        configuration.targets.clear();
        for (i, selector) in selectors.iter().enumerate() {
            let name = format!("t{i}");
            let spec = TargetSpec {
                label_selector: selector.map(labelled),
                ..target("web")
            };
            configuration.targets.insert(key(&name), resource(&name, spec));
        }
        let decisions = planner().plan(&configuration, &Reach::default());
        let sessions = session::sessions(decisions.watched());
        assert_eq!(sessions.values().map(Vec::len).sum::<usize>(), selectors.len());
        (
            sessions.len(),
            sessions.keys().filter(|s| s.label_selector.is_some()).count(),
        )
    };
    assert_eq!(count(&[None, None]), (1, 0));
    assert_eq!(count(&[Some("a"), Some("a"), Some("b")]), (2, 2));
    assert_eq!(count(&[Some("a"), None]), (1, 0), "the unfiltered watch serves both");
    assert_eq!(count(&[Some("a"), Some("b"), Some("c"), Some("d"), Some("e")]), (1, 0));
}

#[test]
fn only_targets_whose_selection_reads_a_change_of_a_namespace_are_listed_again() {
    let mut configuration = configuration();
    let by_label = TargetSpec {
        namespace_selector: Some(LabelSelector {
            match_labels: [("env".to_owned(), "prod".to_owned())].into(),
            match_expressions: vec![],
        }),
        ..target("web")
    };
    configuration.targets.insert(key("web"), resource("web", by_label));
    let decisions = planner().plan(&configuration, &Reach::default());
    let namespaces = |labels: &[(&str, &str)]| -> Namespaces {
        let namespace = Namespace {
            labels: labels.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            annotations: [].into(),
        };
        [("team".to_owned(), namespace)].into()
    };
    let affected = |before: &Namespaces, after: &Namespaces| -> Vec<String> {
        affected_by_namespaces(decisions.registrations.values(), before, after)
            .keys()
            .map(|target| target.name.to_string())
            .collect()
    };
    let (none, dev, prod) = (
        Namespaces::new(),
        namespaces(&[("env", "dev")]),
        namespaces(&[("env", "prod")]),
    );
    assert_eq!(affected(&none, &dev), Vec::<String>::new());
    assert_eq!(affected(&dev, &prod), ["web"]);
    assert_eq!(affected(&none, &prod), ["web"]);
    assert_eq!(
        affected(&prod, &none),
        Vec::<String>::new(),
        "its objects go by themselves"
    );
    let opted_out = namespaces(&[("kollect.dev/watch", "disabled")]);
    assert_eq!(affected(&none, &opted_out), ["jobs", "web"]);
}
