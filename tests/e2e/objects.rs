//! The collected objects, and the rows that they should give, computed without the program.

use std::collections::BTreeMap;

use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use serde_json::{Map, Value, json};

use crate::table::Rows;

/// The ConfigMaps of one namespace.
#[derive(Clone)]
pub struct Objects {
    pub client: Client,
    /// Where the ConfigMaps are.
    pub namespace: String,
    /// Namespace of the targets that collect them.
    pub targets: String,
}

impl Objects {
    pub fn maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    /// Creates or changes a ConfigMap.
    pub async fn put(&self, name: &str, value: &str) {
        self.put_labelled(name, value, &BTreeMap::new()).await;
    }

    pub async fn put_labelled(&self, name: &str, value: &str, labels: &BTreeMap<String, String>) {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "labels": labels}, "data": {"v": value},
        });
        let params = PatchParams::apply("e2e").force();
        self.maps().patch(name, &params, &Patch::Apply(&object)).await.unwrap();
    }

    pub async fn label(&self, name: &str, tier: Option<&str>) {
        let patch = json!({"metadata": {"labels": {"tier": tier}}});
        self.maps()
            .patch(name, &PatchParams::default(), &Patch::Merge(&patch))
            .await
            .unwrap();
    }

    pub async fn remove(&self, name: &str) {
        self.maps().delete(name, &DeleteParams::default()).await.unwrap();
    }

    /// Creates so many ConfigMaps, eight at a time.
    pub async fn fill(&self, count: usize) {
        let maps = self.maps();
        stream::iter(0..count)
            .map(|i| {
                let maps = maps.clone();
                let map: ConfigMap = serde_json::from_value(json!({
                    "metadata": {"name": format!("m{i:05}")}, "data": {"v": i.to_string()},
                }))
                .unwrap();
                async move { maps.create(&PostParams::default(), &map).await }
            })
            .buffer_unordered(8)
            .try_collect::<Vec<_>>()
            .await
            .unwrap();
    }

    /// The rows of the target `maps` for the objects that exist.
    pub async fn expected(&self) -> Rows {
        self.expected_of("maps", |_| true).await
    }

    /// As [`Objects::expected`], of this namespace and others together.
    pub async fn expected_with(&self, others: &[&Self]) -> Rows {
        let mut rows = self.expected().await;
        for other in others {
            rows.extend(other.expected().await);
        }
        rows
    }

    /// The rows of a target that selects the objects for which `selected` holds.
    pub async fn expected_of(&self, target: &str, selected: impl Fn(&ConfigMap) -> bool) -> Rows {
        let maps = self.maps().list(&ListParams::default()).await.unwrap();
        maps.items
            .iter()
            .filter(|map| selected(map))
            .map(|map| {
                let uid = map.metadata.uid.clone().unwrap();
                ((target.to_owned(), uid.clone()), self.payload(target, map, &uid))
            })
            .collect()
    }

    fn payload(&self, target: &str, map: &ConfigMap, uid: &str) -> Value {
        let data = map.data.clone().unwrap_or_default();
        let mut attributes = Map::new();
        attributes.insert("value".into(), data.get("v").map_or(Value::Null, |v| json!(v)));
        attributes.insert("keys".into(), json!(data.len()));
        if let Some(tier) = map.metadata.labels.as_ref().and_then(|labels| labels.get("tier")) {
            attributes.insert("tier".into(), json!(tier));
        }
        json!({
            "targetNamespace": self.targets, "targetName": target,
            "namespace": self.namespace, "name": map.metadata.name.clone().unwrap(),
            "version": "v1", "kind": "ConfigMap", "uid": uid, "attributes": attributes,
        })
    }
}
