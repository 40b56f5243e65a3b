//! The custom resources of `kollect.dev/v1alpha1`.
//!
//! The types are the one source of the schema: the files in `crds/` are written from them, and a test compares both.
//! What an object gets wrong across fields is refused by the API server itself, with rules in CEL, so a manifest is
//! judged alike with and without admission webhooks.
//!
//! * Rules are on `spec` and below, never on the object: a rule on the object would block writes of the status and
//!   removal of finalizers once it is tightened.
//! * Optional fields are left out, never null.
//! * Objects decode leniently: durations stay text and sink references are decoded one by one, so one mistake is a
//!   condition of one object and not a list that cannot be read.

mod ceiling;
mod cluster_inventory;
mod cluster_scope;
mod cluster_target;
mod condition;
mod connection_test;
mod database_sink;
mod duration;
mod event_sink;
mod filter;
mod git;
mod inventory;
mod layout;
mod profile;
mod reference;
mod schema;
mod scope;
mod selector;
mod sink;
mod sink_export;
pub mod sink_ref;
mod sink_status;
mod snapshot_sink;
mod target;
mod template;
mod yaml;

pub use ceiling::ScopeCeiling;
pub use cluster_inventory::*;
pub use cluster_scope::*;
pub use cluster_target::*;
pub use condition::Condition;
pub use connection_test::*;
pub use database_sink::*;
pub use duration::{DurationError, DurationText, MAX_INTERVAL};
pub use event_sink::*;
pub use filter::*;
pub use git::*;
pub use inventory::*;
pub use layout::*;
pub use profile::*;
pub use reference::*;
pub use scope::*;
pub use selector::*;
pub use sink::*;
pub use sink_export::SinkExportStatus;
pub use sink_status::*;
pub use snapshot_sink::*;
pub use target::*;
pub use yaml::{YamlError, file_name, to_yaml};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

/// The definitions of all eleven kinds, in the order of their names.
pub fn all() -> Vec<CustomResourceDefinition> {
    vec![
        definition::<KollectClusterInventory>(),
        definition::<KollectClusterScope>(),
        definition::<KollectClusterTarget>(),
        definition::<KollectConnectionTest>(),
        definition::<KollectDatabaseSink>(),
        definition::<KollectEventSink>(),
        definition::<KollectInventory>(),
        definition::<KollectProfile>(),
        definition::<KollectScope>(),
        definition::<KollectSnapshotSink>(),
        definition::<KollectTarget>(),
    ]
}

/// The definition of one kind. A status may be absent, as derived, but not null.
fn definition<K: CustomResourceExt>() -> CustomResourceDefinition {
    let mut definition = K::crd();
    let schemas = definition
        .spec
        .versions
        .iter_mut()
        .filter_map(|version| version.schema.as_mut());
    for schema in schemas.filter_map(|schema| schema.open_api_v3_schema.as_mut()) {
        let status = schema
            .properties
            .as_mut()
            .and_then(|properties| properties.get_mut("status"));
        if let Some(status) = status {
            status.nullable = None;
        }
    }
    definition
}

#[cfg(test)]
mod tests;
