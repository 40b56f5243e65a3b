//! An operator's account, with the rights that the documentation gives it.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::world::World;

/// The account `kollect` of the test's namespace.
pub struct Rights<'w> {
    world: &'w World,
    /// What was granted that no namespace takes along when it is deleted.
    cluster_wide: Vec<Value>,
}

impl<'w> Rights<'w> {
    /// An account with the rights of `docs/rbac.yaml`, but for the kinds to collect.
    pub fn documented(world: &'w World) -> Self {
        let mut rights = Self::none(world);
        let documented = documents(world, include_str!("../../docs/rbac.yaml"));
        let granted: Vec<Value> = documented
            .into_iter()
            .filter(|object| object["kind"] == "ClusterRole" || object["kind"] == "ClusterRoleBinding")
            .filter(|object| object["metadata"]["name"] != "kollect-collect")
            .map(|object| rights.own(object))
            .collect();
        world.apply_all(&granted);
        rights.cluster_wide = granted;
        rights
    }

    /// An account without any right.
    pub fn none(world: &'w World) -> Self {
        world.apply(&json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "kollect"}}));
        Self {
            world,
            cluster_wide: Vec::new(),
        }
    }

    /// Adds the rights of `docs/rbac-tenant.yaml` in a namespace.
    pub fn tenant_in(&self, namespace: &str) {
        let text = include_str!("../../docs/rbac-tenant.yaml").replace("team-a", namespace);
        for object in documents(self.world, &text) {
            self.world.apply_in(namespace, &self.own(object));
        }
    }

    /// Role and binding for ConfigMaps of the whole cluster.
    pub fn may_read_maps_everywhere(&self) -> Vec<Value> {
        self.maps(
            "ClusterRole",
            &json!({"name": format!("{}-maps", self.world.namespace)}),
        )
    }

    /// Grants ConfigMaps of one namespace; what that takes is returned.
    pub fn grant_maps_of(&self, namespace: &str) -> Vec<Value> {
        let objects = self.maps("Role", &json!({"name": "maps", "namespace": namespace}));
        for object in &objects {
            self.world.apply_in(namespace, object);
        }
        objects
    }

    fn maps(&self, kind: &str, metadata: &Value) -> Vec<Value> {
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": metadata,
            "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"]}],
        });
        let binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": format!("{kind}Binding"), "metadata": metadata,
            "subjects": self.subjects(),
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": metadata["name"]},
        });
        vec![role, binding]
    }

    /// Takes a role or binding away.
    pub fn delete(&self, object: &Value) {
        let kind = object["kind"].as_str().unwrap();
        let name = object["metadata"]["name"].as_str().unwrap();
        let namespace = object["metadata"]["namespace"].as_str().unwrap_or("default");
        self.world.kubectl(&["delete", kind, name, "-n", namespace]);
    }

    /// A kubeconfig with a token of the account.
    pub fn kubeconfig(&self) -> PathBuf {
        let namespace = &self.world.namespace;
        let token = self
            .world
            .kubectl(&["create", "token", "kollect", "-n", namespace, "--duration=1h"]);
        self.world.cluster.kubeconfig_for_token(token.trim()).unwrap()
    }

    fn subjects(&self) -> Value {
        json!([{"kind": "ServiceAccount", "name": "kollect", "namespace": self.world.namespace}])
    }

    /// A documented object for this account, under a name of its own if it is cluster-scoped.
    fn own(&self, mut object: Value) -> Value {
        let rename = |name: &Value| json!(format!("{}-{}", self.world.namespace, name.as_str().unwrap()));
        if object["kind"].as_str().unwrap().starts_with("Cluster") {
            object["metadata"]["name"] = rename(&object["metadata"]["name"]);
            if object.get("roleRef").is_some() {
                object["roleRef"]["name"] = rename(&object["roleRef"]["name"]);
            }
        }
        if object.get("subjects").is_some() {
            object["subjects"] = self.subjects();
        }
        object
    }
}

impl Drop for Rights<'_> {
    fn drop(&mut self) {
        for object in self.cluster_wide.iter().chain(&self.may_read_maps_everywhere()) {
            let kind = object["kind"].as_str().unwrap_or_default();
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            // It may not exist, or not any more.
            let _ = self
                .world
                .cluster
                .kubectl(&["delete", kind, name, "--ignore-not-found"], None);
        }
    }
}

/// The objects of a text in YAML, read by kubectl.
fn documents(world: &World, text: &str) -> Vec<Value> {
    let arguments = ["create", "--dry-run=client", "--output=json", "-f", "-"];
    let printed = world.cluster.kubectl(&arguments, Some(text)).unwrap();
    serde_json::Deserializer::from_str(&printed)
        .into_iter::<Value>()
        .flat_map(|document| {
            let document = document.unwrap();
            match document["items"].as_array() {
                Some(items) => items.clone(),
                None => vec![document],
            }
        })
        .collect()
}
