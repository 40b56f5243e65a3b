//! What is removed from an embedded object.

use serde_json::Value;

use super::attribute::AttributeFault;
use super::cel::Program;
use super::jsonpath::JsonPath;
use super::pointer::{self, Pointer};

/// What changes without meaning, or repeats the object.
const NOISE: [&str; 5] = [
    "/metadata/managedFields",
    "/metadata/resourceVersion",
    "/metadata/generation",
    "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration",
    "/metadata/annotations/argocd.argoproj.io~1tracking-id",
];

/// What every row says of its object.
const IDENTITY: [&str; 3] = ["/metadata/name", "/metadata/namespace", "/metadata/uid"];

/// Removals, applied in order: each sees what the ones before it left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prune {
    pub(crate) identity: bool,
    pub(crate) noise: bool,
    pub(crate) steps: Vec<Step>,
}

/// One removal and the field of the profile that asks for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub(crate) field: String,
    pub(crate) removal: Removal,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Removal {
    Pointer(Pointer),
    Path(JsonPath),
    /// The value is the pointer or path to remove, or a list of such.
    Computed(Box<Program>),
}

impl Prune {
    /// Removes from a copy of an object.
    ///
    /// # Errors
    /// [`AttributeFault::Prune`] with the field of the first removal that cannot be made: whoever asks for a removal
    /// must not get what was to be removed.
    pub fn apply(&self, object: &mut Value) -> Result<(), AttributeFault> {
        let identity = IDENTITY.iter().filter(|_| self.identity);
        let noise = NOISE.iter().filter(|_| self.noise);
        for pointer in identity.chain(noise) {
            pointer::remove(pointer, object);
        }
        for step in &self.steps {
            step.removal.apply(object).map_err(|fault| AttributeFault::Prune {
                field: step.field.clone(),
                fault: Box::new(fault),
            })?;
        }
        Ok(())
    }
}

impl Removal {
    fn apply(&self, object: &mut Value) -> Result<(), AttributeFault> {
        match self {
            Self::Pointer(pointer) => pointer.remove_from(object),
            Self::Path(path) => path.remove_from(object)?,
            Self::Computed(program) => {
                let computed = program.evaluate(object)?;
                for place in places(computed)? {
                    place.apply(object)?;
                }
            }
        }
        Ok(())
    }
}

/// The removals that a computed value asks for. Null, empty texts and booleans ask for none; booleans since predicates
/// stood here when the field was reserved.
fn places(computed: Value) -> Result<Vec<Removal>, AttributeFault> {
    let texts = match computed {
        Value::Null | Value::Bool(_) => Vec::new(),
        Value::Array(items) => items,
        single => vec![single],
    };
    let mut places = Vec::with_capacity(texts.len());
    for text in texts {
        match text.as_str().map(str::trim) {
            Some("") => {}
            Some(text) => places.push(place(text)?),
            None => return Err(AttributeFault::NoPlace),
        }
    }
    Ok(places)
}

fn place(text: &str) -> Result<Removal, AttributeFault> {
    if text.starts_with('/') {
        return Pointer::parse(text)
            .map(Removal::Pointer)
            .ok_or(AttributeFault::NoPlace);
    }
    let path = JsonPath::parse(text).map_err(|_| AttributeFault::NoPlace)?;
    Ok(Removal::Path(path))
}
