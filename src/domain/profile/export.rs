//! Validates the export of whole objects.

use super::validate::quoted;
use super::{Embedded, Export, ObjectExport, ProfileSpec, PruneSpec, secret};
use crate::extract::cel::Program;
use crate::extract::embed::Embedding;
use crate::extract::jsonpath::JsonPath;
use crate::extract::pointer::Pointer;
use crate::extract::prune::{Prune, Removal, Step};

/// Key of the embedded object when the profile names none.
const DEFAULT_KEY: &str = "resource";

/// Checks `spec.export`; gives how to embed objects, if they are embedded.
///
/// Paths and expressions that cannot be read are warnings and remove nothing: earlier versions ignored them, and
/// profiles that have them must go on working.
pub(super) fn validate(spec: &ProfileSpec, problems: &mut Vec<String>, warnings: &mut Vec<String>) -> Option<Embedded> {
    let export = match spec.export.as_ref()? {
        Export::Attributes if spec.attributes.is_empty() => {
            problems.push(
                "spec.attributes: is empty, and spec.export.mode is Attributes; list attributes, or set the mode to \
                 Resource"
                    .to_owned(),
            );
            return None;
        }
        Export::Attributes => return None,
        Export::Resource(export) => export,
    };
    if spec.gvk.is_core_secret() && !spec.allow_whole_secrets {
        problems.push(format!(
            "spec.export.mode: Resource would export whole Secrets; set the annotation {}: \"true\" on the profile, \
             which exports them with the values of their data redacted",
            secret::WHOLE_ANNOTATION
        ));
    }
    let key = key(export);
    if spec.attributes.iter().any(|attribute| attribute.name == key) {
        problems.push(format!(
            "spec.export.as: {} is the name of an attribute; choose another name for the embedded object",
            quoted(key)
        ));
    }
    let embedding = Embedding {
        gvk: spec.gvk.clone(),
        include: export.include,
        prune: Prune {
            identity: !export.keep_identity,
            noise: !export.prune.keep_noise,
            steps: steps(&export.prune, problems, warnings),
        },
    };
    Some(Embedded {
        key: key.to_owned(),
        embedding,
    })
}

fn key(export: &ObjectExport) -> &str {
    if export.key.trim().is_empty() {
        DEFAULT_KEY
    } else {
        &export.key
    }
}

fn steps(prune: &PruneSpec, problems: &mut Vec<String>, warnings: &mut Vec<String>) -> Vec<Step> {
    let mut steps = Vec::new();
    for (index, text) in prune.pointers.iter().enumerate() {
        let field = format!("spec.export.prune.jsonPointers[{index}]");
        match Pointer::parse(text) {
            Some(pointer) => steps.push(Step {
                field,
                removal: Removal::Pointer(pointer),
            }),
            None => problems.push(format!(
                "{field}: {} is not a JSON pointer; write it like /spec/replicas, with ~0 for ~ and ~1 for / in a name",
                quoted(text)
            )),
        }
    }
    for (index, text) in prune.paths.iter().enumerate() {
        let field = format!("spec.export.prune.jsonPaths[{index}]");
        match JsonPath::parse(text) {
            Ok(path) => {
                let notices = path.notices().iter();
                warnings.extend(notices.map(|notice| format!("{field}: {}: {notice}", quoted(text))));
                steps.push(Step {
                    field,
                    removal: Removal::Path(path),
                });
            }
            Err(error) => warnings.push(format!("{field}: {} removes nothing: {error}", quoted(text))),
        }
    }
    for (index, text) in prune.expressions.iter().enumerate() {
        let field = format!("spec.export.prune.cel[{index}]");
        match Program::compile(text) {
            Ok(program) => steps.push(Step {
                field,
                removal: Removal::Computed(Box::new(program)),
            }),
            Err(error) => warnings.push(format!("{field}: {} removes nothing: {error}", quoted(text))),
        }
    }
    steps
}
