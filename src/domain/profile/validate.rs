//! From a profile as written to one that can be used.

use std::collections::BTreeSet;

use super::{Attribute, AttributeSpec, Profile, ProfileSpec, export, metrics, secret};
use crate::config::Invalid;
use crate::extract::attribute::AttributeSource;
use crate::extract::mask::Mask;
use crate::redact::Redaction;

/// What every row and every selection needs of an object.
const ALWAYS_READ: [[&str; 2]; 4] = [
    ["metadata", "name"],
    ["metadata", "namespace"],
    ["metadata", "uid"],
    ["metadata", "labels"],
];

/// Longest part of a user's text that a message quotes.
const QUOTED_CHARS: usize = 80;

/// Validates a profile and collects every problem.
pub(super) fn validate(spec: &ProfileSpec, scrub_keys: &[String]) -> Result<Profile, Invalid> {
    let mut problems = Vec::new();
    check_spec(spec, &mut problems);
    let additional = scrub_keys.iter().chain(&spec.scrub_keys).map(String::as_str);
    let redaction = Redaction::new(additional);
    let guards_secret_data = spec.gvk.is_core_secret() && !spec.allow_secret_extraction;
    let mut mask = Mask::default();
    for path in ALWAYS_READ {
        mask.keep(path);
    }
    let mut release_mask = Mask::default();
    let mut attributes = Vec::with_capacity(spec.attributes.len());
    let mut warnings = Vec::new();
    let mut names = BTreeSet::new();
    for (index, written) in spec.attributes.iter().enumerate() {
        let field = format!("spec.attributes[{index}]");
        check_name(written, &field, &mut names, &mut problems);
        let Some(source) = source(written, &field, &mut problems) else {
            continue;
        };
        let reads = source.mask();
        if let AttributeSource::Release(release) = &source {
            release.add_to(&mut release_mask);
        }
        if guards_secret_data && secret::reads_data(&source, &reads) {
            problems.push(format!(
                "{field}.path: {} reads the data of a Secret; select other fields, or set the annotation {}: \"true\" \
                 on the profile",
                quoted(&written.path),
                secret::ANNOTATION
            ));
        }
        mask.merge(&reads);
        let notices = source.notices().into_iter();
        warnings.extend(notices.map(|notice| format!("attribute {}: {notice}", quoted(&written.name))));
        attributes.push(Attribute {
            name: written.name.clone(),
            source,
            optional: written.optional,
            as_list: written.type_hint.trim() == "list",
            sensitivity: redaction.sensitivity(&written.name),
        });
    }
    metrics::validate(spec, &mut problems);
    let embedded = export::validate(spec, &mut problems, &mut warnings);
    if let Some(embedded) = &embedded {
        mask.merge(&embedded.embedding.mask());
    }
    if !problems.is_empty() {
        return Err(Invalid::new(problems.join("; ")));
    }
    attributes.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Profile {
        gvk: spec.gvk.clone(),
        attributes,
        embedded,
        redaction,
        guards_secret_data,
        mask,
        release_mask,
        metrics: spec.metrics.clone(),
        warnings,
    })
}

fn check_spec(spec: &ProfileSpec, problems: &mut Vec<String>) {
    if spec.gvk.version.trim().is_empty() {
        problems.push("spec.targetGVK.version: is empty; set it, for example v1".to_owned());
    }
    if spec.gvk.kind.trim().is_empty() {
        problems.push("spec.targetGVK.kind: is empty; set it, for example Deployment".to_owned());
    }
}

fn check_name<'a>(written: &'a AttributeSpec, field: &str, names: &mut BTreeSet<&'a str>, problems: &mut Vec<String>) {
    if written.name.is_empty() {
        problems.push(format!("{field}.name: is empty; name the attribute"));
    } else if !names.insert(&written.name) {
        problems.push(format!(
            "{field}.name: {} is used twice; rename one of the attributes",
            quoted(&written.name)
        ));
    }
}

fn source(written: &AttributeSpec, field: &str, problems: &mut Vec<String>) -> Option<AttributeSource> {
    match AttributeSource::parse(&written.path) {
        Ok(source) => Some(source),
        Err(error) => {
            problems.push(format!("{field}.path: {}: {error}", quoted(&written.path)));
            None
        }
    }
}

/// A text of the user's in quotes, shortened.
pub(super) fn quoted(text: &str) -> String {
    let short: String = text.chars().take(QUOTED_CHARS).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    format!("`{short}{dots}`")
}
