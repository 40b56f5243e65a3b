//! Schema of the lists of sink references.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use super::MAX_SINK_REFS;
use crate::kube::crd::duration;

/// Schema of a list of references to sinks of the inventory's own namespace.
pub(in crate::kube::crd) fn same_namespace_list(_: &mut SchemaGenerator) -> Schema {
    list_schema(&json_schema!({
        "type": "string",
        "maxLength": 0,
        "description": "Not for namespaced inventories: their sinks are in their own namespace.",
    }))
}

/// Schema of a list of references to sinks of any namespace.
pub(in crate::kube::crd) fn any_namespace_list(_: &mut SchemaGenerator) -> Schema {
    list_schema(&json_schema!({
        "type": "string",
        "maxLength": 63,
        "description": "Namespace of the sink; `spec.sinkNamespace` when left out.",
    }))
}

/// A list whose elements have no type, since a structural schema knows no "string or object".
///
/// Each keyword of an element judges one JSON type only, so impossible bounds refuse the types that are not wanted.
/// Only null cannot be refused. The list is atomic: elements without a type cannot be merged.
fn list_schema(namespace: &Schema) -> Schema {
    let members: Map<String, Value> = ref_members(namespace);
    json_schema!({
        "type": "array",
        "maxItems": MAX_SINK_REFS,
        "x-kubernetes-list-type": "atomic",
        "items": {
            "description": "The name of a sink, or an object with its name and overrides.",
            "x-kubernetes-preserve-unknown-fields": true,
            "minLength": 1,
            "maxLength": 253,
            "minimum": 1,
            "maximum": 0,
            "minItems": 1,
            "maxItems": 0,
            "not": { "enum": [true, false] },
            "required": ["name"],
            "properties": members,
        },
    })
}

fn ref_members(namespace: &Schema) -> Map<String, Value> {
    let duration = |description: &str| {
        json_schema!({
            "type": "string",
            "maxLength": duration::MAX_LENGTH,
            "pattern": duration::PATTERN,
            "description": description,
        })
    };
    let members = [
        (
            "name",
            json_schema!({
                "type": "string", "minLength": 1, "maxLength": 253,
                "description": "Name of the sink.",
            }),
        ),
        ("namespace", namespace.clone()),
        (
            "exportMinInterval",
            duration("Interval at which an unchanged inventory is exported again, 0s to 24h; 0s exports changes only."),
        ),
        (
            "minChangeInterval",
            duration("Shortest time between two exports of changes, 0s to 24h."),
        ),
        (
            "maxExportBytes",
            json_schema!({
                "type": "integer", "format": "int64", "minimum": 1,
                "description": "Size of the largest document in bytes; larger inventories are split.",
            }),
        ),
        (
            "deletionPolicy",
            json_schema!({
                "type": "string", "enum": ["Purge", "Retain"],
                "description": "What happens in this sink when the inventory is deleted or drops the reference.",
            }),
        ),
    ];
    members
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema.to_value()))
        .collect()
}
