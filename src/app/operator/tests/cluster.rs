//! Cluster targets and cluster inventories between fakes.

use kollect_domain::config::Namespace;
use kollect_domain::config::gather::Gather;
use kollect_domain::config::target::LabelSelector;

use super::*;

fn cluster(name: &str) -> NamespacedName {
    NamespacedName::new("", name)
}

fn cluster_resource<S>(name: &str, spec: S) -> Resource<S> {
    Resource {
        key: cluster(name),
        ..resource(name, spec)
    }
}

fn namespaces(env: &[(&str, &str)]) -> Arc<Namespaces> {
    let namespace = |value: &str| Namespace {
        labels: [("env".to_owned(), value.to_owned())].into(),
        annotations: [].into(),
    };
    let all: Namespaces = env
        .iter()
        .map(|(name, value)| ((*name).to_owned(), namespace(value)))
        .collect();
    Arc::new(all)
}

/// The cluster targets `maps` and `more` of profile `shop/maps`, and the cluster inventory `fleet` of them, which shows
/// the namespaces that are labelled `env: prod`.
fn fleet() -> Configuration {
    let mut configuration = configuration();
    configuration.targets.clear();
    configuration.inventories.clear();
    for name in ["maps", "more"] {
        let spec = TargetSpec {
            profile: "maps".into(),
            profile_namespace: Some("shop".into()),
            ..TargetSpec::default()
        };
        configuration
            .targets
            .insert(cluster(name), cluster_resource(name, spec));
    }
    let spec = InventorySpec {
        sinks: vec![SinkRef {
            family: SinkFamily::Database,
            name: "lake".into(),
            namespace: Some("shop".into()),
            export_min_interval: None,
            min_change_interval: None,
            deletion_policy: kollect_domain::config::DeletionPolicy::FamilyDefault,
        }],
        gather: Gather {
            namespace_selector: Some(LabelSelector {
                match_labels: [("env".to_owned(), "prod".to_owned())].into(),
                match_expressions: vec![],
            }),
            dedupe: true,
            ..Gather::default()
        },
        ..InventorySpec::default()
    };
    configuration
        .inventories
        .insert(cluster("fleet"), cluster_resource("fleet", spec));
    configuration.namespaces = namespaces(&[("blog", "dev"), ("shop", "prod")]);
    configuration
}

fn seen_in(namespace: &str, name: &str) -> ObjectEvent {
    let ObjectEvent::Seen(mut object) = seen(name, namespace) else {
        unreachable!("an object was seen");
    };
    object.namespace = namespace.into();
    object.value["metadata"]["namespace"] = json!(namespace);
    ObjectEvent::Seen(object)
}

/// Target, namespace of the target and inventory's namespace of each row.
fn rows(bench: &Bench) -> Vec<(String, String, String)> {
    let mut rows: Vec<_> = bench
        .database
        .rows()
        .iter()
        .map(|stored| {
            let row = &stored.row;
            (
                row.target_name().to_owned(),
                row.target_namespace().to_owned(),
                stored.inventory.namespace.to_string(),
            )
        })
        .collect();
    rows.sort();
    rows
}

fn row(target: &str, namespace: &str) -> (String, String, String) {
    (target.to_owned(), namespace.to_owned(), "cluster".to_owned())
}

fn status(bench: &Bench, kind: ResourceKind, name: &str) -> Value {
    bench.resources.status(kind, &cluster(name)).unwrap_or_default()
}

fn reason_of(bench: &Bench, kind: ResourceKind, name: &str, condition: &str) -> Option<String> {
    let status = status(bench, kind, name);
    let found = status["conditions"]
        .as_array()?
        .iter()
        .find(|c| c["type"] == condition)?
        .clone();
    Some(format!("{}/{}", found["status"].as_str()?, found["reason"].as_str()?))
}

#[tokio::test(start_paused = true)]
async fn a_cluster_inventory_shows_each_object_once_in_the_namespaces_that_it_chooses() {
    let bench = Bench::start_configured(fleet()).await;
    bench.list(vec![seen_in("blog", "a"), seen_in("shop", "b")]);
    bench.until("the row", || rows(&bench) == [row("more", "shop")]).await;
    let is = |kind, name, condition, expected: &'static str| {
        let bench = &bench;
        bench.until(expected, move || {
            reason_of(bench, kind, name, condition).as_deref() == Some(expected)
        })
    };
    is(ResourceKind::ClusterInventory, "fleet", "Ready", "True/Exported").await;
    is(
        ResourceKind::ClusterInventory,
        "fleet",
        "ExportSucceeded",
        "True/Exported",
    )
    .await;
    is(ResourceKind::ClusterTarget, "maps", "Ready", "True/Collecting").await;
    let inventory = status(&bench, ResourceKind::ClusterInventory, "fleet");
    assert_eq!(
        (
            &inventory["itemCount"],
            &inventory["targetCount"],
            &inventory["namespaceShardCount"]
        ),
        (&json!(1), &json!(2), &json!(1))
    );
    assert_eq!(inventory["namespaceShards"][0]["namespace"], "shop");
    let finalizers: Vec<&str> = bench
        .resources
        .finalizers()
        .iter()
        .map(|change| change.finalizer)
        .collect();
    assert_eq!(finalizers, ["kollect.dev/cluster-inventory-cleanup"]);

    let mut relabelled = fleet();
    relabelled.namespaces = namespaces(&[("blog", "prod"), ("shop", "dev")]);
    bench.resources.configure(relabelled);
    bench
        .until("the other row", || rows(&bench) == [row("more", "blog")])
        .await;
    bench.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_cluster_target_that_cannot_be_collected_is_named_and_the_others_are_exported() {
    let mut configuration = fleet();
    let spec = TargetSpec {
        profile: "maps".into(),
        profile_namespace: Some("elsewhere".into()),
        ..TargetSpec::default()
    };
    configuration
        .targets
        .insert(cluster("more"), cluster_resource("more", spec));
    let bench = Bench::start_configured(configuration).await;
    bench.list(vec![seen_in("shop", "b")]);
    bench.until("the row", || rows(&bench) == [row("maps", "shop")]).await;
    bench
        .until("the inventory says so", || {
            reason_of(&bench, ResourceKind::ClusterInventory, "fleet", "Degraded").as_deref()
                == Some("True/TargetDegraded")
        })
        .await;
    let inventory = status(&bench, ResourceKind::ClusterInventory, "fleet").to_string();
    assert!(inventory.contains("more (ProfileNotFound)"), "{inventory}");
    bench.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_new_cluster_inventory_without_targets_degrades_after_five_minutes() {
    let mut configuration = fleet();
    configuration.targets.retain(|key, _| key.name != "more".into());
    let inventory = configuration.inventories.get_mut(&cluster("fleet")).unwrap();
    inventory.created = Some(Timestamp::UNIX_EPOCH);
    let mut spec = InventorySpec::clone(inventory.spec.as_ref().unwrap());
    spec.gather.target_selector = Some(LabelSelector {
        match_labels: [("no".to_owned(), "such".to_owned())].into(),
        match_expressions: vec![],
    });
    inventory.spec = Ok(Arc::new(spec));
    let bench = Bench::start_configured(configuration).await;
    let degraded = || reason_of(&bench, ResourceKind::ClusterInventory, "fleet", "Degraded");
    tokio::time::sleep(Duration::from_mins(4)).await;
    assert_eq!(
        reason_of(&bench, ResourceKind::ClusterInventory, "fleet", "Synced").as_deref(),
        Some("False/NoTargets")
    );
    assert_eq!(degraded(), None);
    tokio::time::sleep(Duration::from_mins(2)).await;
    assert_eq!(degraded().as_deref(), Some("True/NoTargets"));
    bench.stop().await;
}
