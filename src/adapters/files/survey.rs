//! What selection must know before the first object is judged: namespaces, and which custom kinds have one.
//!
//! Definitions may stand behind the objects that depend on them. So all inputs are searched for the two kinds first,
//! as plain text and at the speed of the disk, and only inputs in which one of them may occur are parsed for it.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use kollect_domain::config::Namespace;
use kollect_domain::extract::mask::Mask;
use memchr::memmem;
use serde_json::{Map, Value};

use super::input::Input;
use super::item::{Identified, Interest, Item};
use super::read::{self, Listener};
use super::report::Place;
use super::scope::{Scope, Scopes};

/// What a survey found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// Namespaces with their labels and annotations.
    pub namespaces: BTreeMap<String, Namespace>,
    pub(super) scopes: Scopes,
}

/// Kinds that are looked for.
const NAMESPACE: &str = "Namespace";
const DEFINITION: &str = "CustomResourceDefinition";

/// Surveys the inputs. What cannot be read is left to the pass that reads everything, which reports it.
pub fn survey(inputs: &[Input]) -> Survey {
    let mut survey = Survey::default();
    let unseen = Arc::new(AtomicU64::new(0));
    let worth_reading: Vec<Input> = inputs
        .iter()
        .filter(|input| read::open(input, &unseen).is_ok_and(|mut text| mentions(&mut text).unwrap_or(true)))
        .cloned()
        .collect();
    read::read_all(&worth_reading, &interests(), &unseen, &mut survey);
    survey
}

fn interests() -> [Interest; 2] {
    let mut namespace = Mask::default();
    for path in [
        ["metadata", "name"],
        ["metadata", "labels"],
        ["metadata", "annotations"],
    ] {
        namespace.keep(path);
    }
    let mut definition = Mask::default();
    definition.keep(["spec", "group"]);
    definition.keep(["spec", "scope"]);
    definition.keep(["spec", "names", "kind"]);
    [
        Interest {
            api_version: "v1".to_owned(),
            kind: NAMESPACE.to_owned(),
            mask: Arc::new(namespace),
        },
        Interest {
            api_version: "apiextensions.k8s.io/v1".to_owned(),
            kind: DEFINITION.to_owned(),
            mask: Arc::new(definition),
        },
    ]
}

impl Listener for Survey {
    fn object(&mut self, _: Place, item: Item) {
        let Some((_, object)) = item.found else {
            return;
        };
        if item.kind == NAMESPACE {
            let metadata = &object["metadata"];
            if let Some(name) = metadata["name"].as_str() {
                let namespace = Namespace {
                    labels: texts(metadata["labels"].as_object()),
                    annotations: texts(metadata["annotations"].as_object()),
                };
                self.namespaces.insert(name.to_owned(), namespace);
            }
            return;
        }
        let spec = &object["spec"];
        let scope = match spec["scope"].as_str() {
            Some("Cluster") => Scope::Cluster,
            Some("Namespaced") => Scope::Namespaced,
            _ => return,
        };
        if let (Some(group), Some(kind)) = (spec["group"].as_str(), spec["names"]["kind"].as_str()) {
            self.scopes.learn(group, kind, scope);
        }
    }

    fn undecodable(&mut self, _: Place, _: Identified, _: String) {}

    fn problem(&mut self, _: Place, _: String) {}

    fn flow(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn texts(members: Option<&Map<String, Value>>) -> BTreeMap<String, String> {
    members
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
        .collect()
}

/// Whether one of the kinds may occur: its name after `kind:`, quoted or not.
fn mentions(text: &mut dyn BufRead) -> io::Result<bool> {
    /// More than the longest `"kind" : "CustomResourceDefinition` with a few blanks.
    const OVERLAP: usize = 64;
    let finders = [memmem::Finder::new(NAMESPACE), memmem::Finder::new(DEFINITION)];
    let is_in = |text: &[u8]| {
        let found = |finder: &memmem::Finder<'_>| finder.find_iter(text).any(|at| follows_kind(&text[..at]));
        finders.iter().any(found)
    };
    // Where two blocks meet.
    let mut seam: Vec<u8> = Vec::with_capacity(2 * OVERLAP);
    loop {
        let block = text.fill_buf()?;
        if block.is_empty() {
            return Ok(false);
        }
        seam.extend_from_slice(&block[..block.len().min(OVERLAP)]);
        if is_in(&seam) || is_in(block) {
            return Ok(true);
        }
        if block.len() >= OVERLAP {
            seam.clear();
            seam.extend_from_slice(&block[block.len() - OVERLAP..]);
        } else {
            seam.drain(..seam.len().saturating_sub(OVERLAP));
        }
        let bytes = block.len();
        text.consume(bytes);
    }
}

/// Whether the text ends with the name of the member `kind`, and what may stand between it and its value.
fn follows_kind(before: &[u8]) -> bool {
    let trimmed = |text: &[u8], quotes: bool| {
        let end = text
            .iter()
            .rposition(|byte| !(byte.is_ascii_whitespace() || quotes && matches!(byte, b'"' | b'\'')));
        end.map_or(0, |end| end + 1)
    };
    let before = &before[..trimmed(before, true)];
    let Some(before) = before.strip_suffix(b":") else {
        return false;
    };
    before[..trimmed(before, true)].ends_with(b"kind")
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::json("{\"kind\": \"Namespace\"}", true)]
    #[case::blanks("{ \"kind\" :\n \"Namespace\" }", true)]
    #[case::yaml("apiVersion: v1\nkind: Namespace\n", true)]
    #[case::quoted("'kind': 'CustomResourceDefinition'", true)]
    #[case::list("kind: NamespaceList", true)]
    #[case::another_member("{\"note\": \"Namespace\"}", false)]
    #[case::another_kind("kind: Pod\nnamespace: Namespace\n", false)]
    #[case::nothing("", false)]
    fn a_kind_is_found_wherever_blocks_end(#[case] text: &str, #[case] expected: bool) {
        for padding in [
            "",
            "# a comment that moves the text behind what one block of a few bytes can hold\n",
        ] {
            for block in 1..80 {
                let padded = format!("{padding}{text}");
                let mut blocks = BufReader::with_capacity(block, padded.as_bytes());
                assert_eq!(mentions(&mut blocks).unwrap(), expected, "blocks of {block} bytes");
            }
        }
    }
}
