//! What an object of a manifest lacks that one of a cluster has: a uid, and often a namespace.

use serde_json::Value;
use uuid::Uuid;

use super::scope::Scope;

/// Namespace of objects that name none, as in `kubectl apply`.
const DEFAULT_NAMESPACE: &str = "default";

/// Gives objects of one cluster their identity.
#[derive(Debug, Clone)]
pub(super) struct Identifier {
    cluster: String,
    root: Uuid,
}

/// Why an object has no identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unidentified {
    #[error("it has no metadata")]
    NoMetadata,
    #[error("it has no metadata.name; objects with generateName get theirs from a cluster only")]
    NoName,
}

/// An object's identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identified {
    pub(super) uid: String,
    pub(super) namespace: String,
    pub(super) name: String,
}

impl Identifier {
    /// For the cluster with this label.
    pub(super) fn new(cluster: &str) -> Self {
        Self {
            cluster: cluster.to_owned(),
            root: Uuid::new_v5(&Uuid::NAMESPACE_DNS, b"kollect.dev"),
        }
    }

    /// Completes an object in place: the namespace by its scope, and a uid where it has none.
    ///
    /// # Errors
    /// [`Unidentified`]
    pub(super) fn complete(
        &self,
        object: &mut Value,
        group: &str,
        kind: &str,
        scope: Option<Scope>,
    ) -> Result<Identified, Unidentified> {
        let metadata = object
            .get_mut("metadata")
            .and_then(Value::as_object_mut)
            .ok_or(Unidentified::NoMetadata)?;
        let text = |member: &str| metadata.get(member).and_then(Value::as_str).unwrap_or_default();
        let name = text("name").to_owned();
        if name.is_empty() {
            return Err(Unidentified::NoName);
        }
        let namespace = match (scope, text("namespace")) {
            (Some(Scope::Cluster), _) => "",
            (Some(Scope::Namespaced), "") => DEFAULT_NAMESPACE,
            (_, namespace) => namespace,
        }
        .to_owned();
        let uid = match text("uid") {
            "" => self.uid(&[group, kind, &namespace, &name]),
            uid => uid.to_owned(),
        };
        if namespace.is_empty() {
            metadata.remove("namespace");
        } else {
            metadata.insert("namespace".to_owned(), Value::String(namespace.clone()));
        }
        metadata.insert("uid".to_owned(), Value::String(uid.clone()));
        Ok(Identified { uid, namespace, name })
    }

    /// The uid of an object that has none: the same for the same names, in every run.
    ///
    /// **Source**: RFC 9562, section 5.5 (version 5).
    fn uid(&self, names: &[&str; 4]) -> String {
        let names = format!("{}\n{}", self.cluster, names.join("\n"));
        Uuid::new_v5(&self.root, names.as_bytes()).to_string()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::namespaced_without(Some(Scope::Namespaced), json!({"name": "web"}), "default")]
    #[case::namespaced_with(Some(Scope::Namespaced), json!({"name": "web", "namespace": "shop"}), "shop")]
    #[case::cluster_with_a_stray_one(Some(Scope::Cluster), json!({"name": "web", "namespace": "shop"}), "")]
    #[case::unknown_as_written(None, json!({"name": "web"}), "")]
    fn the_namespace_follows_the_scope(#[case] scope: Option<Scope>, #[case] metadata: Value, #[case] expected: &str) {
        let mut object = json!({ "metadata": metadata });
        let identified = Identifier::new("eu")
            .complete(&mut object, "apps", "Deployment", scope)
            .unwrap();
        assert_eq!(identified.namespace, expected);
        assert_eq!(object["metadata"]["namespace"].as_str().unwrap_or_default(), expected);
        assert_eq!(object["metadata"]["uid"], identified.uid);
    }

    #[test]
    fn a_uid_is_kept_and_a_missing_one_depends_on_every_name() {
        let complete = |cluster: &str, group: &str, kind: &str, metadata: Value| {
            let mut object = json!({ "metadata": metadata });
            let scope = Some(Scope::Namespaced);
            Identifier::new(cluster)
                .complete(&mut object, group, kind, scope)
                .unwrap()
                .uid
        };
        let named = json!({"name": "web"});
        assert_eq!(
            complete("eu", "apps", "Deployment", json!({"name": "web", "uid": "u-1"})),
            "u-1"
        );
        let uid = complete("eu", "apps", "Deployment", named.clone());
        assert_eq!(uid.parse::<Uuid>().unwrap().get_version_num(), 5);
        assert_eq!(
            complete("eu", "apps", "Deployment", named.clone()),
            uid,
            "the same in every run"
        );
        let others = [
            complete("us", "apps", "Deployment", named.clone()),
            complete("eu", "extensions", "Deployment", named.clone()),
            complete("eu", "apps", "StatefulSet", named),
            complete("eu", "apps", "Deployment", json!({"name": "web", "namespace": "shop"})),
            complete("eu", "apps", "Deployment", json!({"name": "api"})),
        ];
        assert!(others.iter().all(|other| *other != uid), "{others:?}");
    }

    #[rstest]
    #[case(json!({}), Unidentified::NoMetadata)]
    #[case(json!({"metadata": null}), Unidentified::NoMetadata)]
    #[case(json!({"metadata": {"generateName": "web-"}}), Unidentified::NoName)]
    #[case(json!({"metadata": {"name": 7}}), Unidentified::NoName)]
    fn an_object_without_a_name_is_refused(#[case] mut object: Value, #[case] expected: Unidentified) {
        let outcome = Identifier::new("").complete(&mut object, "", "Pod", Some(Scope::Namespaced));
        assert_eq!(outcome, Err(expected));
    }
}
