//! One object, put together step by step.

use serde_json::{Value, json};
use uuid::Uuid;

use super::Cluster;
use super::moment::Moment;

/// The namespace of all names of the estate, from which its uids are derived.
const ESTATE: Uuid = Uuid::from_u128(0x6b6f_6c6c_6563_7420_6465_6d6f_2065_7374);

/// Where an object lives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    cluster: Cluster,
    namespace: Option<&'static str>,
}

impl Cluster {
    /// A namespace of the cluster.
    pub(super) fn namespace(self, namespace: &'static str) -> Place {
        Place {
            cluster: self,
            namespace: Some(namespace),
        }
    }

    /// The cluster as a whole.
    pub(super) fn wide(self) -> Place {
        Place {
            cluster: self,
            namespace: None,
        }
    }
}

/// An object as the API server serves it.
#[derive(Debug, Clone)]
pub(super) struct Object(Value);

impl Object {
    /// `kind` is the version with its group, and the kind: `apps/v1 Deployment`.
    pub fn new(place: Place, kind: &str, name: &str, created: Moment) -> Self {
        let (api_version, kind) = kind.split_once(' ').unwrap_or(("v1", kind));
        let mut metadata = json!({
            "name": name,
            "uid": uid(place, kind, name).to_string(),
            "creationTimestamp": created.to_string(),
            "resourceVersion": created.version().to_string(),
        });
        if let Some(namespace) = place.namespace {
            metadata["namespace"] = json!(namespace);
        }
        Self(json!({"apiVersion": api_version, "kind": kind, "metadata": metadata}))
    }

    pub fn label(mut self, key: &str, value: &str) -> Self {
        self.0["metadata"]["labels"][key] = json!(value);
        self
    }

    /// Several labels at once, from a map of texts.
    pub fn labels(mut self, labels: &Value) -> Self {
        for (key, value) in labels.as_object().into_iter().flatten() {
            self.0["metadata"]["labels"][key] = value.clone();
        }
        self
    }

    pub fn annotation(mut self, key: &str, value: &str) -> Self {
        self.0["metadata"]["annotations"][key] = json!(value);
        self
    }

    /// Makes another object the controller of this one.
    pub fn owned_by(mut self, owner: &Self) -> Self {
        let owner = &owner.0;
        self.0["metadata"]["ownerReferences"] = json!([{
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
            "controller": true,
            "blockOwnerDeletion": true,
        }]);
        self
    }

    /// A member at the top, such as `spec`.
    pub fn with(mut self, member: &str, value: Value) -> Self {
        self.0[member] = value;
        self
    }

    pub fn into_json(self) -> Value {
        self.0
    }
}

fn uid(place: Place, kind: &str, name: &str) -> Uuid {
    let namespace = place.namespace.unwrap_or_default();
    Uuid::new_v5(
        &ESTATE,
        format!("{}/{kind}/{namespace}/{name}", place.cluster.name()).as_bytes(),
    )
}

/// A short name that depends on some words only, as Kubernetes appends them to names of Pods.
pub(super) fn suffix(length: usize, words: &[&str]) -> String {
    // Without vowels and what looks like them, so that no words arise.
    const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
    let digest = Uuid::new_v5(&ESTATE, words.join("/").as_bytes());
    let letters = digest
        .as_bytes()
        .iter()
        .map(|byte| LETTERS[usize::from(*byte) % LETTERS.len()]);
    letters.take(length).map(char::from).collect()
}
