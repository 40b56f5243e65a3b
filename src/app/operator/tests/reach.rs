//! From the whole cluster to single namespaces and back, and another look at a namespace that changed.

use kollect_domain::config::Namespace;
use kollect_domain::config::target::LabelSelector;
use kollect_domain::ids::WatchScope;

use super::*;

fn scope(namespace: &str) -> WatchScope {
    WatchScope::Namespace(namespace.into())
}

fn labelled(pairs: &[(&str, &str)]) -> Namespace {
    Namespace {
        labels: pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        annotations: [].into(),
    }
}

/// The bench's configuration in a cluster of two namespaces.
fn with_namespaces(shop: &[(&str, &str)]) -> Configuration {
    let namespaces = [
        ("shop".to_owned(), labelled(shop)),
        ("blog".to_owned(), labelled(&[("env", "dev")])),
    ];
    Configuration {
        namespaces: Arc::new(namespaces.into()),
        ..configuration()
    }
}

/// The same, with a target that selects namespaces by label.
fn selecting(shop: &[(&str, &str)]) -> Configuration {
    let mut configuration = with_namespaces(shop);
    let target = configuration.targets.get_mut(&key("maps")).unwrap();
    let spec = target.spec.as_ref().unwrap();
    target.spec = Ok(Arc::new(TargetSpec {
        namespace_selector: Some(LabelSelector {
            match_labels: [("env".to_owned(), "prod".to_owned())].into(),
            match_expressions: vec![],
        }),
        ..(**spec).clone()
    }));
    configuration
}

fn forbidden() -> SourceEvent {
    SourceEvent::Failed {
        failure: SourceFailure::Forbidden,
        message: "no right".into(),
    }
}

fn list_in(bench: &Bench, scope: &WatchScope, objects: Vec<ObjectEvent>) {
    for event in [
        SourceEvent::ListStarted,
        SourceEvent::Objects(objects),
        SourceEvent::ListDone,
    ] {
        assert!(bench.source.show_in(scope, event));
    }
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_may_not_be_read_everywhere_is_read_where_it_may_be() {
    let bench = Bench::start().await;
    assert!(bench.resources.configure(with_namespaces(&[])));
    assert!(bench.source.show(forbidden()));
    let both = [scope("blog"), scope("shop")];
    bench
        .until("each namespace is watched", || bench.source.reading() == both)
        .await;
    list_in(&bench, &scope("shop"), vec![seen("a", "1")]);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(bench.values().is_empty(), "the other namespace is still to come");
    assert!(bench.source.show_in(&scope("blog"), forbidden()));
    bench.until("the row", || bench.values() == ["\"1\""]).await;
    bench
        .until_condition(ResourceKind::Target, "maps", "Ready", "True/Collecting")
        .await;
    assert_eq!(
        bench.condition(ResourceKind::Target, "maps", "Synced").as_deref(),
        Some("True/ScopeForbidden")
    );

    bench.source.allow(Gvk::new("", "v1", "ConfigMap"), WatchScope::Cluster);
    bench
        .until("the whole cluster is watched again", || {
            bench.source.reading() == [WatchScope::Cluster]
        })
        .await;
    assert_eq!(bench.values(), ["\"1\""], "the rows stay meanwhile");
    bench.list(vec![seen("a", "2")]);
    bench.until("the new row", || bench.values() == ["\"2\""]).await;
    bench.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_ends_by_itself_tries_the_namespaces_first() {
    let bench = Bench::start_until(Until::Exported).await;
    assert!(bench.resources.configure(with_namespaces(&[])));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(bench.source.show(forbidden()));
    bench
        .until("each namespace is watched", || bench.source.reading().len() == 2)
        .await;
    list_in(&bench, &scope("blog"), vec![]);
    list_in(&bench, &scope("shop"), vec![seen("a", "1")]);
    let outcome = bench.running.await.unwrap();
    let target = outcome.targets[&key("maps")].as_ref().unwrap();
    assert_eq!((target.rows, target.complete), (1, true));
}

/// A bench whose target selects no namespace yet, so that the listed object has no row.
async fn unselected() -> Bench {
    let bench = Bench::start().await;
    assert!(bench.resources.configure(selecting(&[])));
    bench
        .until("the new definition is watched", || bench.source.opened() == 2)
        .await;
    bench.list(vec![seen("a", "1")]);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(bench.values().is_empty(), "the namespace is not selected");
    bench
}

#[tokio::test(start_paused = true)]
async fn only_a_namespace_that_changed_is_looked_at_again() {
    let bench = unselected().await;
    assert!(bench.resources.configure(selecting(&[("env", "prod")])));
    bench
        .until("the namespace is listed", || {
            bench.source.reading() == [WatchScope::Cluster, scope("shop")]
        })
        .await;
    list_in(&bench, &scope("shop"), vec![seen("a", "1")]);
    bench.until("the row", || bench.values() == ["\"1\""]).await;
    bench
        .until("the look is over", || bench.source.reading() == [WatchScope::Cluster])
        .await;

    assert!(bench.resources.configure(selecting(&[("env", "test")])));
    bench
        .until("the namespace is listed", || bench.source.reading().len() == 2)
        .await;
    list_in(&bench, &scope("shop"), vec![seen("a", "1")]);
    bench.until("the row is gone", || bench.values().is_empty()).await;
    bench.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_look_that_fails_becomes_a_list_of_everything() {
    let bench = unselected().await;
    assert!(bench.resources.configure(selecting(&[("env", "prod")])));
    bench
        .until("the namespace is listed", || bench.source.reading().len() == 2)
        .await;
    assert!(bench.source.show_in(&scope("shop"), forbidden()));
    bench
        .until("everything is listed", || {
            bench.source.opened() == 4 && bench.source.reading() == [WatchScope::Cluster]
        })
        .await;
    bench.list(vec![seen("a", "1")]);
    bench.until("the row", || bench.values() == ["\"1\""]).await;
    bench.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_kind_without_namespaces_is_read_from_the_cluster_although_the_target_names_some() {
    let bench = Bench::start().await;
    let mut named = with_namespaces(&[]);
    let target = named.targets.get_mut(&key("maps")).unwrap();
    let spec = target.spec.as_ref().unwrap();
    target.spec = Ok(Arc::new(TargetSpec {
        included_namespaces: vec!["shop".into()],
        ..(**spec).clone()
    }));
    assert!(bench.resources.configure(named));
    bench
        .until("the namespace is watched", || bench.source.reading() == [scope("shop")])
        .await;
    let failure = SourceFailure::ClusterScoped;
    let message = "no namespaces".into();
    assert!(bench.source.show(SourceEvent::Failed { failure, message }));
    bench
        .until("the cluster is watched", || {
            bench.source.reading() == [WatchScope::Cluster]
        })
        .await;
    bench.stop().await;
}
