//! Schema rules of path templates.

use super::schema::Rule;

/// Longest template. Git and file systems end at 4096 bytes for a path.
pub(super) const TEMPLATE_LENGTH: u32 = 4096;

/// Rules of a template that names one document per inventory. Text in braces that is no placeholder stays as it is.
pub(super) const PATH_TEMPLATE: &[Rule] = &[
    Rule::invalid(
        "self.trim() == '' || (self.contains('{namespace}') && self.contains('{name}'))",
        "must contain {namespace} and {name}, or documents would overwrite each other",
    ),
    Rule::invalid("!self.trim().startsWith('/')", "must be relative: remove the leading /"),
    NO_PARENT_SEGMENT,
    Rule::invalid(
        "self.findAll('[{][a-z]+[}]').all(p, p in ['{cluster}', '{namespace}', '{name}', '{generation}', '{extension}'])",
        "has an unknown placeholder: use {cluster}, {namespace}, {name}, {generation} and {extension}",
    ),
];

/// Rules of a template that names one file per resource.
pub(super) const RESOURCE_TEMPLATE: &[Rule] = &[
    Rule::invalid(
        "self.trim() == '' || self.contains('{sourceName}') || self.contains('{name}') || self.contains('{uid}')",
        "must contain {sourceName} or {uid}, or files would overwrite each other",
    ),
    NO_PARENT_SEGMENT,
    Rule::invalid(
        "self.findAll('[{][A-Za-z]+[}]').all(p, p in ['{cluster}', '{namespace}', '{name}', '{generation}', '{extension}', \
         '{targetNamespace}', '{targetName}', '{sourceNamespace}', '{sourceName}', '{group}', '{kind}', '{uid}'])",
        "has an unknown placeholder: use {cluster}, {namespace}, {name}, {generation}, {extension}, {targetNamespace}, \
         {targetName}, {sourceNamespace}, {sourceName}, {group}, {kind} and {uid}",
    ),
];

const NO_PARENT_SEGMENT: Rule = Rule::invalid(
    "!self.trim().matches('(^|/)[.][.](/|$)')",
    "must not leave its folder: remove the segment ..",
);
