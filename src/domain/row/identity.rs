//! The members of a row that say which object it describes, and their order.

use std::cmp::Ordering;

/// Number of identity members.
pub(super) const FIELDS: usize = 8;

/// One identity member of the payload.
pub(super) struct Member {
    /// The quoted name and the colon.
    pub(super) text: &'static str,
    /// The member's name.
    pub(super) name: &'static str,
    /// Whether an empty value leaves the member out.
    pub(super) omitted_when_empty: bool,
}

const fn member(name: &'static str, text: &'static str) -> Member {
    Member {
        text,
        name,
        omitted_when_empty: false,
    }
}

/// The identity members in the order of the payload. `attributes` follows.
pub(super) const MEMBERS: [Member; FIELDS] = [
    member("targetNamespace", "\"targetNamespace\":"),
    member("targetName", "\"targetName\":"),
    member("namespace", "\"namespace\":"),
    member("name", "\"name\":"),
    Member {
        text: "\"group\":",
        name: "group",
        omitted_when_empty: true,
    },
    member("version", "\"version\":"),
    member("kind", "\"kind\":"),
    member("uid", "\"uid\":"),
];

/// Which object a row describes, and for which target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowIdentity<'a> {
    /// Namespace of the target; for a cluster target the namespace of the object.
    pub target_namespace: &'a str,
    /// Name of the target.
    pub target_name: &'a str,
    /// Namespace of the object, empty for cluster-scoped ones.
    pub namespace: &'a str,
    /// Name of the object.
    pub name: &'a str,
    /// API group, empty for the core group.
    pub group: &'a str,
    /// API version.
    pub version: &'a str,
    /// Kind.
    pub kind: &'a str,
    /// Kubernetes uid of the object.
    pub uid: &'a str,
}

impl<'a> RowIdentity<'a> {
    /// The fields in the order of the payload.
    pub(super) fn fields(&self) -> [&'a str; FIELDS] {
        [
            self.target_namespace,
            self.target_name,
            self.namespace,
            self.name,
            self.group,
            self.version,
            self.kind,
            self.uid,
        ]
    }

    /// The canonical order: bytewise by target namespace, target name, namespace, name, uid, group, version, kind.
    pub fn canonical_cmp(&self, other: &RowIdentity<'_>) -> Ordering {
        self.target_namespace
            .cmp(other.target_namespace)
            .then_with(|| self.target_name.cmp(other.target_name))
            .then_with(|| self.namespace.cmp(other.namespace))
            .then_with(|| self.name.cmp(other.name))
            .then_with(|| self.uid.cmp(other.uid))
            .then_with(|| self.group.cmp(other.group))
            .then_with(|| self.version.cmp(other.version))
            .then_with(|| self.kind.cmp(other.kind))
    }
}
