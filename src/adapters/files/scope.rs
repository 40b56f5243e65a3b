//! Which kinds have namespaces.

use std::collections::BTreeMap;

/// Kinds of Kubernetes itself that belong to the cluster, by group; all its other kinds have namespaces.
///
/// **Source**: `kubectl api-resources --namespaced=false`, Kubernetes 1.36, and kinds of earlier versions.
const CLUSTER_KINDS: &[(&str, &[&str])] = &[
    ("", &["ComponentStatus", "Namespace", "Node", "PersistentVolume"]),
    (
        "admissionregistration.k8s.io",
        &[
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        ],
    ),
    ("apiextensions.k8s.io", &["CustomResourceDefinition"]),
    ("apiregistration.k8s.io", &["APIService"]),
    ("authentication.k8s.io", &["SelfSubjectReview", "TokenReview"]),
    (
        "authorization.k8s.io",
        &[
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ],
    ),
    (
        "certificates.k8s.io",
        &["CertificateSigningRequest", "ClusterTrustBundle"],
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        &["FlowSchema", "PriorityLevelConfiguration"],
    ),
    ("internal.apiserver.k8s.io", &["StorageVersion"]),
    (
        "kollect.dev",
        &["KollectClusterInventory", "KollectClusterScope", "KollectClusterTarget"],
    ),
    ("networking.k8s.io", &["IPAddress", "IngressClass", "ServiceCIDR"]),
    ("node.k8s.io", &["RuntimeClass"]),
    ("policy", &["PodSecurityPolicy"]),
    ("rbac.authorization.k8s.io", &["ClusterRole", "ClusterRoleBinding"]),
    ("resource.k8s.io", &["DeviceClass", "DeviceTaintRule", "ResourceSlice"]),
    ("scheduling.k8s.io", &["PriorityClass"]),
    (
        "storage.k8s.io",
        &[
            "CSIDriver",
            "CSINode",
            "StorageClass",
            "VolumeAttachment",
            "VolumeAttributesClass",
        ],
    ),
    ("storagemigration.k8s.io", &["StorageVersionMigration"]),
];

/// Groups of Kubernetes itself whose names do not end with `.k8s.io`.
const SHORT_GROUPS: &[&str] = &[
    "",
    "apps",
    "autoscaling",
    "batch",
    "extensions",
    "kollect.dev",
    "policy",
];

/// Whether a kind has namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// It has.
    Namespaced,
    /// It belongs to the cluster.
    Cluster,
}

/// What is known of the scopes of custom kinds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scopes(BTreeMap<(String, String), Scope>);

impl Scopes {
    /// Learns from a custom resource definition.
    pub(super) fn learn(&mut self, group: &str, kind: &str, scope: Scope) {
        self.0.insert((group.to_owned(), kind.to_owned()), scope);
    }

    /// The scope of a kind, if it is known.
    pub(super) fn of(&self, group: &str, kind: &str) -> Option<Scope> {
        let builtin = CLUSTER_KINDS
            .iter()
            .any(|(known, kinds)| *known == group && kinds.contains(&kind));
        if builtin {
            return Some(Scope::Cluster);
        }
        if let Some(scope) = self.0.get(&(group.to_owned(), kind.to_owned())) {
            return Some(*scope);
        }
        let own = SHORT_GROUPS.contains(&group) || group.ends_with(".k8s.io");
        own.then_some(Scope::Namespaced)
    }
}
