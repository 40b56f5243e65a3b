//! Manifests and dumps as a source of objects: files, folders, standard input, and text.
//!
//! Documents are YAML or JSON, one or many in a file, single objects or lists, plain or compressed with gzip. They are
//! streamed: what is held is one object and one batch, never a whole dump. Two passes read them: the `survey` finds
//! what selection must know beforehand (namespaces, scopes of custom kinds) and only parses when there is any; then
//! the `source` serves all kinds that are asked for in one go.
//!
//! Reading guide: `input` is what to read; `read` opens it and tells formats apart; `json` and `yaml` find the objects
//! of a document and decode each as an `item`; `identity` gives an object the namespace and uid that it lacks;
//! `report` collects what could not be read.

mod identity;
pub mod input;
mod item;
mod json;
mod read;
pub mod report;
mod scope;
mod source;
mod survey;
mod yaml;

#[cfg(test)]
mod tests;

pub use input::Input;
pub use read::documents;
pub use source::FileSource;
pub use survey::{Survey, survey};
