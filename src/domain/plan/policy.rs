//! What policy makes of a target.

use super::Blocked;
use super::registration::Registration;
use crate::condition::reason;
use crate::selection::namespaces::Namespaces;

/// Refuses a target of which policy leaves nothing, or that asks for what policy denies. What it only happens to mean
/// is trimmed instead.
pub(super) fn check(registration: &Registration, known: &Namespaces) -> Result<(), Blocked> {
    let denied = |denial: String| {
        format!("{denial}: nothing is collected and the target's rows are removed; change the target or the scope")
    };
    let ceiling = &registration.ceiling;
    let rules = &registration.spec.resource_rules;
    let own = rules.is_empty().then(|| registration.profile.gvk());
    let mut kinds = rules.iter().map(|rule| &rule.gvk).chain(own);
    if let Some(denial) = kinds.find_map(|gvk| ceiling.kind_denial(gvk)) {
        return Err((reason::SCOPE_KIND_DENIED, denied(denial)));
    }
    let denial = if registration.target.is_cluster_scoped() {
        // Namespaces are trimmed, also those that it lists: a ceiling over the whole cluster is everyday policy.
        let profile = registration.spec.profile_namespace.as_deref().unwrap_or_default();
        ceiling.reference_denial(profile)
    } else {
        registration.selection.namespaces().denial(known)
    };
    if let Some(denial) = denial {
        return Err((reason::SCOPE_NAMESPACE_DENIED, denied(denial)));
    }
    Ok(())
}
