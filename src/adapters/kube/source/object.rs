//! From a decoded value to an observed object: identity, and the names that lists leave out.

use std::sync::Arc;

use kollect_domain::ids::Gvk;
use kollect_ports::source::{ObjectEvent, ObservedObject};
use serde::Deserialize;
use serde_json::Value;

/// The only parts of an object's metadata that the source itself needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Meta {
    pub(super) uid: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) resource_version: String,
}

/// Anything that has [`Meta`].
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Metadata {
    pub(super) metadata: Meta,
}

/// Turns decoded values of one kind into observed objects.
#[derive(Debug, Clone)]
pub(super) struct Observer {
    api_version: String,
    kind: String,
    /// Lists are ordered by namespace, so consecutive objects share one allocation.
    namespace: Arc<str>,
}

impl Observer {
    /// An observer of one kind.
    pub(super) fn new(gvk: &Gvk) -> Self {
        Self {
            api_version: if gvk.group.is_empty() {
                gvk.version.to_string()
            } else {
                format!("{}/{}", gvk.group, gvk.version)
            },
            kind: gvk.kind.to_string(),
            namespace: Arc::from(""),
        }
    }

    /// The object in `value`; `None` when it has no uid or no name, so that it cannot be told from others.
    pub(super) fn observe(&mut self, mut value: Value) -> Option<ObservedObject> {
        let uid: Arc<str> = metadata(&value, "uid")?.into();
        let name: Arc<str> = metadata(&value, "name")?.into();
        let namespace = metadata(&value, "namespace").unwrap_or_default();
        if *namespace != *self.namespace {
            self.namespace = namespace.into();
        }
        if let Value::Object(members) = &mut value {
            // Items of built-in lists carry neither.
            for (member, text) in [("apiVersion", &self.api_version), ("kind", &self.kind)] {
                members.entry(member).or_insert_with(|| Value::String(text.clone()));
            }
        }
        Some(ObservedObject {
            uid,
            namespace: Arc::clone(&self.namespace),
            name,
            value,
        })
    }
}

/// The event of an object of which only its metadata can be decoded; `None` without uid: nothing can be known of it.
pub(super) fn undecodable(meta: Meta, gone: bool, error: &serde_json::Error) -> Option<ObjectEvent> {
    let uid: Arc<str> = meta.uid.into();
    if uid.is_empty() {
        None
    } else if gone {
        Some(ObjectEvent::Gone { uid })
    } else {
        let message = format!("the object cannot be decoded: {error}");
        Some(ObjectEvent::Undecodable { uid, message })
    }
}

/// A non-empty text of an object's metadata.
pub(super) fn metadata<'a>(value: &'a Value, member: &str) -> Option<&'a str> {
    let text = value.get("metadata")?.get(member)?.as_str()?;
    (!text.is_empty()).then_some(text)
}
