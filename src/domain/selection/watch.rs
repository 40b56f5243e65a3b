//! Opting in and out by label or annotation.

use serde_json::Value;

use crate::config::Namespace;
use crate::config::target::WatchMode;

/// Label on namespaces and on any object.
pub const WATCH_LABEL: &str = "kollect.dev/watch";
/// Annotation on namespaces.
pub const NAMESPACE_WATCH_ANNOTATION: &str = "kollect.dev/namespace-watch";
/// Value that opts in.
pub const ENABLED: &str = "enabled";
/// Value that opts out.
pub const DISABLED: &str = "disabled";

/// Whether an object is collected, after all other selection passed. The first of these decides: the object's label;
/// the namespace's label and annotation, an opt-out beating an opt-in; the mode.
///
/// A cluster-scoped object has no namespace (`None`), so only its own label and the mode count.
pub fn decide(object: &Value, namespace: Option<&Namespace>, mode: WatchMode) -> bool {
    match object["metadata"]["labels"][WATCH_LABEL].as_str() {
        Some(DISABLED) => return false,
        Some(ENABLED) => return true,
        _ => {}
    }
    !says(namespace, DISABLED) && (mode == WatchMode::All || says(namespace, ENABLED))
}

/// Whether a namespace's label or annotation has `value`.
pub fn says(namespace: Option<&Namespace>, value: &str) -> bool {
    namespace.is_some_and(|namespace| {
        [
            namespace.labels.get(WATCH_LABEL),
            namespace.annotations.get(NAMESPACE_WATCH_ANNOTATION),
        ]
        .iter()
        .any(|set| set.is_some_and(|set| set == value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn namespace(label: Option<&str>, annotation: Option<&str>) -> Namespace {
        let map = |key: &str, value: Option<&str>| value.map(|v| (key.to_owned(), v.to_owned())).into_iter().collect();
        Namespace {
            labels: map(WATCH_LABEL, label),
            annotations: map(NAMESPACE_WATCH_ANNOTATION, annotation),
        }
    }

    #[test]
    fn the_whole_matrix_holds() {
        let (on, off) = (Some("enabled"), Some("disabled"));
        // object label, namespace label, namespace annotation, collected under All, collected under OptIn
        let matrix = [
            (off, on, on, false, false),
            (off, None, None, false, false),
            (on, off, off, true, true),
            (on, None, None, true, true),
            (None, off, None, false, false),
            (None, None, off, false, false),
            (None, on, off, false, false),
            (None, off, on, false, false),
            (None, on, None, true, true),
            (None, None, on, true, true),
            (None, None, None, true, false),
            (Some("Enabled"), None, None, true, false),
            (None, Some("yes"), None, true, false),
        ];
        for (object, label, annotation, all, opt_in) in matrix {
            let value = match object {
                Some(label) => json!({"metadata": {"labels": {WATCH_LABEL: label}}}),
                None => json!({"metadata": {}}),
            };
            let namespace = namespace(label, annotation);
            let row = (object, label, annotation);
            assert_eq!(decide(&value, Some(&namespace), WatchMode::All), all, "{row:?}");
            assert_eq!(decide(&value, Some(&namespace), WatchMode::OptIn), opt_in, "{row:?}");
        }
    }

    #[test]
    fn a_cluster_scoped_object_opts_in_by_its_own_label_only() {
        assert!(!decide(&json!({"metadata": {}}), None, WatchMode::OptIn));
        let labelled = json!({"metadata": {"labels": {WATCH_LABEL: "enabled"}}});
        assert!(decide(&labelled, None, WatchMode::OptIn));
    }
}
