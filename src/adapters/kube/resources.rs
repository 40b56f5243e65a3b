//! Writes statuses and finalizers of our own resources.

use std::time::Duration;

use async_trait::async_trait;
use kollect_domain::ids::NamespacedName;
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::resources::{FinalizerChange, ResourceKind, ResourceWriter, StatusUpdate};
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::{Client, Resource};
use serde_json::{Value, json};

use super::crd;

/// Field manager of everything the operator applies.
pub const FIELD_MANAGER: &str = "kollect";

/// Longest wait for one request.
const DEADLINE: Duration = Duration::from_secs(15);

/// Condition reason of a write that failed; statuses that cannot be written are seen in the log only.
const REASON: &str = "StatusWriteFailed";

/// The API server as the store of statuses.
#[derive(Clone)]
pub struct KubeResourceWriter {
    client: Client,
}

impl std::fmt::Debug for KubeResourceWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KubeResourceWriter").finish_non_exhaustive()
    }
}

impl KubeResourceWriter {
    /// A writer.
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    fn api(&self, kind: ResourceKind, object: &NamespacedName) -> (Api<DynamicObject>, ApiResource) {
        let resource = api_resource(kind);
        let api = if object.is_cluster_scoped() {
            Api::all_with(self.client.clone(), &resource)
        } else {
            Api::namespaced_with(self.client.clone(), &object.namespace, &resource)
        };
        (api, resource)
    }
}

fn api_resource(kind: ResourceKind) -> ApiResource {
    fn of<K: Resource<DynamicType = ()>>() -> ApiResource {
        ApiResource::erase::<K>(&())
    }
    match kind {
        ResourceKind::Profile => of::<crd::KollectProfile>(),
        ResourceKind::Target => of::<crd::KollectTarget>(),
        ResourceKind::ClusterTarget => of::<crd::KollectClusterTarget>(),
        ResourceKind::Inventory => of::<crd::KollectInventory>(),
        ResourceKind::ClusterInventory => of::<crd::KollectClusterInventory>(),
        ResourceKind::DatabaseSink => of::<crd::KollectDatabaseSink>(),
    }
}

#[async_trait]
impl ResourceWriter for KubeResourceWriter {
    async fn write_status(&self, update: &StatusUpdate) -> Result<(), PortError> {
        let (api, resource) = self.api(update.kind, &update.object);
        let name = &*update.object.name;
        let operation = format!("write the status of {} {}", resource.kind, update.object);
        if update.replace {
            let read = bounded(&operation, api.get_opt(name)).await?;
            let Some(mut object) = read else {
                return Ok(());
            };
            object.data["status"] = update.status.clone();
            let params = PostParams::default();
            let write = api.replace_status(name, &params, &object);
            return unless_gone(bounded(&operation, write).await);
        }
        let patch: Value = json!({
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "metadata": metadata(&update.object),
            "status": update.status,
        });
        let params = PatchParams::apply(FIELD_MANAGER).force();
        let patch = Patch::Apply(&patch);
        unless_gone(bounded(&operation, api.patch_status(name, &params, &patch)).await)
    }

    async fn set_finalizer(&self, change: &FinalizerChange) -> Result<(), PortError> {
        let (api, resource) = self.api(change.kind, &change.object);
        let name = &*change.object.name;
        let operation = format!("change the finalizers of {} {}", resource.kind, change.object);
        let Some(object) = bounded(&operation, api.get_metadata_opt(name)).await? else {
            return Ok(());
        };
        let mut finalizers = object.metadata.finalizers.unwrap_or_default();
        let before = finalizers.len();
        finalizers.retain(|finalizer| finalizer != change.finalizer);
        let had = finalizers.len() < before;
        // A finalizer cannot be added once deletion has begun.
        if had == change.present || (change.present && object.metadata.deletion_timestamp.is_some()) {
            return Ok(());
        }
        if change.present {
            finalizers.push(change.finalizer.to_owned());
        }
        // The version makes the patch fail instead of undoing what somebody else changed meanwhile.
        let patch = json!({
            "metadata": {"finalizers": finalizers, "resourceVersion": object.metadata.resource_version},
        });
        let patch = Patch::Merge(&patch);
        unless_gone(bounded(&operation, api.patch_metadata(name, &PatchParams::default(), &patch)).await)
    }
}

/// Name and namespace, if there is one.
fn metadata(object: &NamespacedName) -> Value {
    if object.is_cluster_scoped() {
        json!({"name": &*object.name})
    } else {
        json!({"name": &*object.name, "namespace": &*object.namespace})
    }
}

/// What became of a request: `Gone` = the object does not exist any more.
enum Failure {
    Gone,
    Port(PortError),
}

impl From<Failure> for PortError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Gone => Self::new(ErrorClass::Transient, REASON, "the object does not exist any more"),
            Failure::Port(error) => error,
        }
    }
}

fn unless_gone<T>(result: Result<T, Failure>) -> Result<(), PortError> {
    match result {
        Ok(_) | Err(Failure::Gone) => Ok(()),
        Err(Failure::Port(error)) => Err(error),
    }
}

async fn bounded<T>(operation: &str, request: impl Future<Output = kube::Result<T>>) -> Result<T, Failure> {
    let error = match tokio::time::timeout(DEADLINE, request).await {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(kube::Error::Api(status))) if status.code == 404 => return Err(Failure::Gone),
        Ok(Err(kube::Error::Api(status))) => {
            let class = match status.code {
                400 | 403 | 422 => ErrorClass::Misconfigured,
                _ => ErrorClass::Transient,
            };
            let hint = match status.code {
                403 => "; grant the operator patch on it",
                422 | 500 => "; are the installed CRDs those of this version (kollect crd | kubectl apply -f -)?",
                _ => "",
            };
            PortError::new(class, REASON, format!("cannot {operation}: {}{hint}", status.message))
        }
        Ok(Err(error)) => PortError::new(ErrorClass::Unavailable, REASON, format!("cannot {operation}: {error}")),
        Err(_) => PortError::new(
            ErrorClass::Unavailable,
            REASON,
            format!("cannot {operation}: no answer within {} s", DEADLINE.as_secs()),
        ),
    };
    Err(Failure::Port(error))
}
