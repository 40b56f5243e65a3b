//! Export of whole objects, as written.

/// What a row carries besides its identity (`spec.export` of a profile).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Export {
    /// The attributes.
    Attributes,
    /// The attributes and the object.
    Resource(ObjectExport),
}

/// How an object is embedded in its row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectExport {
    /// Key of the embedded object; blank stands for `resource`.
    pub key: String,
    /// Parts of the object that are kept.
    pub include: Include,
    /// Keep name, namespace and uid, which the row has anyway.
    pub keep_identity: bool,
    /// What is removed.
    pub prune: PruneSpec,
}

/// Parts of an embedded object; `apiVersion` and `kind` are always kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Include {
    /// Metadata.
    MetadataOnly,
    /// The spec.
    SpecOnly,
    /// The status.
    StatusOnly,
    /// Spec and status.
    #[default]
    SpecAndStatus,
    /// Everything.
    All,
}

/// What is removed from an embedded object, in this order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PruneSpec {
    /// Keep what changes without meaning, such as managed fields and resource versions.
    pub keep_noise: bool,
    /// JSON pointers (RFC 6901).
    pub pointers: Vec<String>,
    /// Paths in JSONPath.
    pub paths: Vec<String>,
    /// CEL expressions whose values are pointers or paths.
    pub expressions: Vec<String>,
}
