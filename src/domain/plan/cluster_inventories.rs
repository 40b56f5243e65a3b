//! Which rows of which cluster targets a cluster inventory shows.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Blocked;
use crate::aggregate::view::View;
use crate::condition::reason;
use crate::config::Configuration;
use crate::config::gather::Gather;
use crate::selection::labels;
use crate::selection::namespaces::selects;

/// The view of a cluster inventory.
///
/// Targets are cluster targets that exist, also those that cannot be collected: their rows are kept. Where nothing
/// restricts namespaces all are shown; a selector shows those that exist and match.
///
/// # Errors
/// A selector that cannot be used, as the reason why nothing is exported.
pub fn view(gather: &Gather, configuration: &Configuration) -> Result<View, Blocked> {
    let mut problems = Vec::new();
    let mut compile = |selector: &Option<_>, field| {
        selector
            .as_ref()
            .map(|selector| labels::compile(Some(selector), field, &mut problems))
    };
    let by_label = compile(&gather.target_selector, "spec.targetSelector");
    let by_namespace = compile(&gather.namespace_selector, "spec.namespaceSelector");
    if !problems.is_empty() {
        return Err((reason::INVALID_INVENTORY, problems.join("; ")));
    }
    let targets = if gather.targets.is_empty() {
        by_label.map(|selector| -> BTreeSet<Arc<str>> {
            let living = configuration.targets.values().filter(|target| !target.deleting);
            living
                .filter(|target| target.key.namespace.is_empty())
                .filter(|target| selector.matches(|key| target.labels.get(key).map(String::as_str)))
                .map(|target| target.key.name.clone())
                .collect()
        })
    } else {
        Some(gather.targets.iter().cloned().collect())
    };
    let named: BTreeSet<String> = gather.namespaces.iter().map(|name| name.trim().to_owned()).collect();
    let known = &*configuration.namespaces;
    let namespaces = match by_namespace {
        Some(selector) => {
            let selected = known.keys().filter(|name| selects(&selector, name, known));
            Some(
                selected
                    .filter(|name| named.is_empty() || named.contains(*name))
                    .cloned()
                    .collect(),
            )
        }
        None if named.is_empty() => None,
        None => Some(named),
    };
    Ok(View {
        targets,
        namespaces,
        dedupe: gather.dedupe,
    })
}
