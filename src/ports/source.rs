//! Objects of one kind, as they are listed and watched.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::BoxStream;
use kollect_domain::extract::mask::Mask;
use kollect_domain::ids::{Gvk, WatchScope};
use serde_json::Value;

/// What to collect.
#[derive(Debug, Clone)]
pub struct WatchRequest {
    /// The kind, exactly as the profile names it; plural and scope come from discovery.
    pub gvk: Gvk,
    /// All namespaces, or one.
    pub scope: WatchScope,
    /// The parts of an object that somebody reads; everything else is skipped while decoding.
    pub mask: Arc<Mask>,
    /// Label selector that the server applies, in the API's query syntax.
    pub label_selector: Option<String>,
}

/// One object, decoded under the request's mask.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedObject {
    /// `metadata.uid`.
    pub uid: Arc<str>,
    /// `metadata.namespace`, empty for a cluster-scoped object.
    pub namespace: Arc<str>,
    /// `metadata.name`.
    pub name: Arc<str>,
    /// The masked object. `apiVersion` and `kind` are filled in where a list leaves them out.
    pub value: Value,
}

/// What a watch reports about one object.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectEvent {
    /// The object exists in this state.
    Seen(ObservedObject),
    /// The object no longer exists, or no longer matches the request's selector.
    Gone {
        /// `metadata.uid`.
        uid: Arc<str>,
    },
    /// The object exists and cannot be decoded: whatever is known of it stays.
    Undecodable {
        /// `metadata.uid`.
        uid: Arc<str>,
        /// Why.
        message: String,
    },
}

/// Why a kind cannot be listed or watched at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceFailure {
    /// The API server does not serve the kind (its CRD may not exist yet).
    NotServed,
    /// The operator may not list or watch it.
    Forbidden,
    /// One namespace was asked for, and objects of the kind have none.
    ClusterScoped,
    /// The API server cannot be reached, or answers with an error or not at all.
    Unavailable,
}

/// One step of a source stream.
///
/// **Order**: `ListStarted`, any number of `Objects`, `ListDone` or `ListIncomplete`, then `Objects` as changes come, for ever. A relist
/// begins again with `ListStarted`. `Failed` may come at any point: a list that was under way is then abandoned (no
/// `ListDone` follows without a new `ListStarted`). `Resumed` says that a failed watch goes on without a relist.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceEvent {
    /// A list begins; every object that exists will be seen before `ListDone`.
    ListStarted,
    /// Objects, in the order in which the server reported them.
    Objects(Vec<ObjectEvent>),
    /// The list finished without error: what was not seen since `ListStarted` does not exist.
    ListDone,
    /// The list finished and a part of it could not be read: what was not seen may exist all the same. Sources that
    /// cannot mend that by trying again say so; others say `Failed` and try again.
    ListIncomplete {
        /// What could not be read and what to do about it.
        message: String,
    },
    /// Collection is interrupted; the source keeps trying by itself.
    Failed {
        /// Why.
        failure: SourceFailure,
        /// What failed and what to do about it.
        message: String,
    },
    /// The watch goes on from where it was.
    Resumed,
}

/// Lists and watches objects.
#[async_trait]
pub trait ObjectSource: Debug + Send + Sync + 'static {
    /// Opens an endless stream of one kind.
    ///
    /// The stream never ends and never fails: it retries with backoff by itself and says so with
    /// [`SourceEvent::Failed`]. Batches are bounded in size and in time. Dropping the stream stops the watch; opening
    /// it again lists again.
    fn open(&self, request: WatchRequest) -> BoxStream<'static, SourceEvent>;

    /// Whether a kind may be listed and watched. What cannot be found out at present counts as no.
    async fn may_read(&self, gvk: &Gvk, scope: &WatchScope) -> bool;
}
