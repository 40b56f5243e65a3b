//! Cluster targets and cluster inventories over several namespaces.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::objects::Objects;
use crate::table::{Rows, Table};
use crate::world::{World, attributes, profile, resource, until};

/// A test's namespaces `<test>-a`, `-b` and `-c`, with the label `estate: <test>`, and its cluster-scoped objects.
struct Fleet {
    world: World,
    namespaces: [String; 3],
    /// The rows of cluster inventories.
    table: Table,
}

impl Fleet {
    /// Namespaces with two ConfigMaps each, and the profile `maps` in the test's own namespace.
    async fn new() -> Self {
        let world = World::new().await;
        let namespaces = ["a", "b", "c"].map(|name| format!("{}-{name}", world.namespace));
        let fleet = Self {
            table: Table::new(world.postgres.url(), "cluster"),
            world,
            namespaces,
        };
        for namespace in &fleet.namespaces {
            fleet.world.kubectl(&["create", "namespace", namespace]);
            fleet.label(namespace, &fleet.world.namespace);
            fleet.objects(namespace).put("first", "1").await;
            fleet.objects(namespace).put("second", "2").await;
        }
        fleet.world.apply(&profile("maps", &attributes()));
        fleet
    }

    fn label(&self, namespace: &str, estate: &str) {
        let label = format!("estate={estate}");
        self.world
            .kubectl(&["label", "namespace", namespace, &label, "--overwrite"]);
    }

    /// The ConfigMaps of a namespace, with rows as cluster targets give them.
    fn objects(&self, namespace: &str) -> Objects {
        Objects {
            client: self.world.objects.client.clone(),
            namespace: namespace.to_owned(),
            targets: namespace.to_owned(),
        }
    }

    /// The namespaces of the test.
    fn selector(&self) -> Value {
        json!({"matchLabels": {"estate": self.world.namespace}})
    }

    fn target(&self, name: &str, more: &Value) {
        let mut spec = json!({
            "profileRef": {"name": "maps", "namespace": self.world.namespace},
            "namespaceSelector": self.selector(),
        });
        merge(&mut spec, more);
        self.world.apply(&resource("KollectClusterTarget", name, &spec));
    }

    fn inventory(&self, more: &Value) {
        let mut spec = json!({
            "namespaceSelector": self.selector(),
            "sinkNamespace": self.world.namespace,
            "databaseSinkRefs": ["lake"],
        });
        merge(&mut spec, more);
        self.world.apply(&resource("KollectClusterInventory", "fleet", &spec));
    }

    /// The rows of a target for all ConfigMaps of some namespaces.
    async fn rows_of(&self, target: &str, namespaces: &[&String]) -> Rows {
        let mut rows = Rows::new();
        for namespace in namespaces {
            rows.extend(self.objects(namespace).expected_of(target, |_| true).await);
        }
        rows
    }

    async fn assert_rows(&self, target: &str, namespaces: &[&String]) {
        self.table.equals(async || self.rows_of(target, namespaces).await).await;
    }

    async fn wait_for(&self, kind: &str, name: &str, condition: &str, expected: &str) -> String {
        let (status, reason) = expected.split_once('/').unwrap();
        self.world.wait_for(kind, name, condition, status, reason).await
    }
}

impl Drop for Fleet {
    /// Leaves nothing that the next test's operator would collect.
    fn drop(&mut self) {
        let kubectl = |arguments: &[&str]| drop(self.world.cluster.kubectl(arguments, None));
        let patch = "{\"metadata\":{\"finalizers\":null}}";
        kubectl(&["patch", "kollectclusterinventory", "fleet", "--type=merge", "-p", patch]);
        let kinds = "kollectclusterinventories,kollectclustertargets";
        kubectl(&["delete", kinds, "--all", "--timeout=20s"]);
        for namespace in &self.namespaces {
            kubectl(&["delete", "namespace", namespace, "--wait=false"]);
        }
    }
}

fn merge(object: &mut Value, more: &Value) {
    for (key, value) in more.as_object().unwrap() {
        object[key] = value.clone();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn namespaces_come_and_go_with_their_labels_and_a_target_of_the_same_name_is_another() {
    let fleet = Fleet::new().await;
    let [a, b, c] = &fleet.namespaces;
    fleet.world.collect_maps();
    fleet.world.objects.put("own", "1").await;
    fleet.target("maps", &json!({}));
    fleet.inventory(&json!({}));
    let _operator = fleet.world.start().await;
    fleet.assert_rows("maps", &[a, b, c]).await;
    fleet.world.assert_level().await;
    fleet
        .wait_for("kollectclusterinventory", "fleet", "Ready", "True/Exported")
        .await;
    let message = fleet
        .wait_for("kollectclustertarget", "maps", "Ready", "True/Collecting")
        .await;
    assert!(message.contains("in 3 namespace(s)"), "{message}");
    let field = |path| fleet.world.field("kollectclusterinventory", "fleet", path);
    assert_eq!(
        field("{.metadata.finalizers[*]}"),
        "kollect.dev/cluster-inventory-cleanup"
    );
    assert_eq!(field("{.status.targetCount}/{.status.namespaceShardCount}"), "1/3");
    assert_eq!(field("{.status.namespaceShards[*].namespace}"), format!("{a} {b} {c}"));
    assert_eq!(field("{.status.sinkExports[0].namespace}"), fleet.world.namespace);
    assert_eq!(field("{.status.observedGeneration}"), field("{.metadata.generation}"));

    fleet.label(b, "elsewhere");
    fleet.assert_rows("maps", &[a, c]).await;
    fleet.objects(a).put("first", "changed").await;
    fleet.objects(c).remove("second").await;
    fleet.assert_rows("maps", &[a, c]).await;
    fleet.label(b, &fleet.world.namespace);
    fleet.assert_rows("maps", &[a, b, c]).await;

    fleet.world.delete("kollecttarget", "maps");
    until("no row of the target of the namespace", async || {
        fleet.world.table.rows().await.is_empty().then_some(())
    })
    .await;
    fleet.assert_rows("maps", &[a, b, c]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_of_two_targets_is_shown_twice_or_once_also_after_a_restart() {
    let fleet = Fleet::new().await;
    let [a, b, c] = &fleet.namespaces;
    let gold = BTreeMap::from([("tier".to_owned(), "gold".to_owned())]);
    for namespace in [a, b] {
        fleet.objects(namespace).put_labelled("shared", "1", &gold).await;
    }
    let rule = json!({"gvk": {"version": "v1", "kind": "ConfigMap"}, "matchLabels": gold});
    fleet.target("every", &json!({}));
    fleet.target("gold", &json!({"resourceRules": [rule]}));
    let expected = async |once: bool| {
        let mut rows = fleet.rows_of("every", &[a, b, c]).await;
        let is_shared = |row: &Value| row["name"] == "shared";
        if once {
            rows.retain(|_, row| !is_shared(row));
        }
        let mut shared = fleet.rows_of("gold", &[a, b]).await;
        shared.retain(|_, row| is_shared(row));
        rows.extend(shared);
        rows
    };
    fleet.inventory(&json!({"dedupe": "byResourceUID"}));
    let operator = fleet.world.start().await;
    fleet.table.equals(async || expected(true).await).await;
    fleet
        .wait_for("kollectclusterinventory", "fleet", "Ready", "True/Exported")
        .await;
    drop(operator);
    fleet.objects(a).put_labelled("shared", "changed", &gold).await;
    let _operator = fleet.world.start().await;
    fleet.table.equals(async || expected(true).await).await;
    fleet.inventory(&json!({"dedupe": "keepAll"}));
    fleet.table.equals(async || expected(false).await).await;
    fleet.inventory(&json!({"dedupe": "byResourceUID", "targetRefs": ["every"]}));
    fleet.assert_rows("every", &[a, b, c]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cluster_scoped_objects_count_as_objects_of_the_namespace_default() {
    let fleet = Fleet::new().await;
    let kind = json!({"group": "apiextensions.k8s.io", "version": "v1", "kind": "CustomResourceDefinition"});
    let definitions = json!({"targetGVK": kind, "attributes": [{"name": "kind", "path": "$.spec.names.kind"}]});
    fleet
        .world
        .apply(&resource("KollectProfile", "definitions", &definitions));
    let default = json!({"matchLabels": {"kubernetes.io/metadata.name": "default"}});
    let reference = json!({"name": "definitions", "namespace": fleet.world.namespace});
    fleet.target("kinds", &json!({"profileRef": reference, "namespaceSelector": default}));
    fleet.inventory(&json!({"namespaceSelector": default}));
    let _operator = fleet.world.start().await;
    let own = async || {
        let rows = fleet.table.rows().await;
        let own = rows
            .values()
            .filter(|row| row["name"].as_str().unwrap().ends_with(".kollect.dev"));
        own.cloned().collect::<Vec<Value>>()
    };
    let rows = until("our eleven kinds", async || {
        Some(own().await).filter(|rows| rows.len() == 11)
    })
    .await;
    for row in rows {
        assert_eq!(
            (&row["targetNamespace"], &row["namespace"]),
            (&json!("default"), &json!("")),
            "{row}"
        );
    }
    let client = fleet.table.connect().await.unwrap();
    let filed = client
        .query("SELECT DISTINCT resource_namespace FROM rows", &[])
        .await
        .unwrap();
    let filed: Vec<String> = filed.iter().map(|row| row.get(0)).collect();
    assert_eq!(filed, ["cluster"]);
    fleet.inventory(&json!({}));
    until("no row without the namespace default", async || {
        own().await.is_empty().then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_cluster_inventory_takes_its_rows_along_unless_they_are_to_stay() {
    let fleet = Fleet::new().await;
    let [a, b, c] = &fleet.namespaces;
    fleet.target("maps", &json!({}));
    fleet.inventory(&json!({}));
    let _operator = fleet.world.start().await;
    fleet.assert_rows("maps", &[a, b, c]).await;
    let deleted = async || {
        fleet.world.delete("kollectclusterinventory", "fleet");
        until("the inventory is gone", async || {
            let found = fleet.world.kubectl(&["get", "kollectclusterinventories", "-o", "name"]);
            found.is_empty().then_some(())
        })
        .await;
    };
    deleted().await;
    assert!(fleet.table.rows().await.is_empty());
    fleet.inventory(&json!({"deletionPolicy": "Retain"}));
    fleet.assert_rows("maps", &[a, b, c]).await;
    deleted().await;
    fleet.assert_rows("maps", &[a, b, c]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_target_loses_its_rows_and_a_suspended_inventory_keeps_them() {
    let fleet = Fleet::new().await;
    let [a, b, c] = &fleet.namespaces;
    fleet.target("maps", &json!({}));
    fleet.inventory(&json!({}));
    let _operator = fleet.world.start().await;
    fleet.assert_rows("maps", &[a, b, c]).await;
    fleet.inventory(&json!({"suspend": true}));
    fleet
        .wait_for("kollectclusterinventory", "fleet", "Degraded", "True/Suspended")
        .await;
    let before = fleet.table.rows().await;
    fleet.objects(a).put("first", "while suspended").await;
    fleet.target("maps", &json!({"suspend": true}));
    fleet
        .wait_for("kollectclustertarget", "maps", "Degraded", "True/Suspended")
        .await;
    assert_eq!(fleet.table.rows().await, before);
    fleet.inventory(&json!({"suspend": false}));
    fleet.assert_rows("maps", &[]).await;
    fleet.target("maps", &json!({"suspend": false}));
    fleet.assert_rows("maps", &[a, b, c]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_without_profile_keeps_its_rows_is_named_and_stops_no_other() {
    let fleet = Fleet::new().await;
    let [a, b, c] = &fleet.namespaces;
    fleet.target("maps", &json!({}));
    fleet.target("other", &json!({}));
    fleet.inventory(&json!({}));
    let _operator = fleet.world.start().await;
    let both = async || {
        let mut rows = fleet.rows_of("maps", &[a, b, c]).await;
        rows.extend(fleet.rows_of("other", &[a, b, c]).await);
        rows
    };
    fleet.table.equals(&both).await;
    // A profile of this name exists in another namespace, which is not looked at.
    let missing = json!({"profileRef": {"name": "maps", "namespace": a}});
    fleet.target("other", &missing);
    let message = fleet
        .wait_for("kollectclustertarget", "other", "Degraded", "True/ProfileNotFound")
        .await;
    assert!(message.contains(a.as_str()), "{message}");
    let message = fleet
        .wait_for("kollectclusterinventory", "fleet", "Degraded", "True/TargetDegraded")
        .await;
    assert!(message.contains("other (ProfileNotFound)"), "{message}");
    let stale = fleet.rows_of("other", &[a, b, c]).await;
    fleet.objects(a).put("first", "changed").await;
    let expected = async || {
        let mut rows = fleet.rows_of("maps", &[a, b, c]).await;
        rows.extend(stale.clone());
        rows
    };
    fleet.table.equals(expected).await;
    fleet.target("other", &json!({}));
    fleet.table.equals(&both).await;
    fleet
        .wait_for("kollectclusterinventory", "fleet", "Ready", "True/Exported")
        .await;
}
