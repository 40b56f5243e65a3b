//! What is shown, as data.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kollect_domain::config::profile::ProfileSpec;
use kollect_domain::ids::{ProfileKey, TargetKey};
use kollect_domain::plan::session;
use kollect_domain::row::Row;
use serde::Serialize;
use serde_json::{Map, Value};

use super::findings::{Findings, Seen};
use crate::collect::{Collected, Definitions};

/// Objects that are named of those with the same fault.
const EXAMPLES: usize = 3;

/// What definitions would give.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// Targets by namespace and name.
    pub targets: Vec<TargetPreview>,
}

/// What one target would give.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetPreview {
    /// Namespace of the target.
    pub namespace: String,
    /// Name of the target.
    pub name: String,
    /// Name of its profile.
    pub profile: String,
    /// API group of the kind that is read.
    pub group: String,
    /// Its version.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// Why not all, or nothing, could be collected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// How many objects became what.
    pub objects: Objects,
    /// Attributes in the order of the profile.
    pub attributes: Vec<Attribute>,
    /// What fails, the most frequent first.
    pub failures: Vec<Failure>,
    /// What may surprise the author.
    pub warnings: Vec<String>,
    /// The fields of an object that are decoded.
    pub reads: Vec<String>,
    /// Rows, as exported.
    pub rows: Vec<Value>,
    /// The same as they come out of the pipeline.
    #[serde(skip)]
    pub encoded: Vec<Arc<Row>>,
}

/// How many objects became what.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Objects {
    /// Of the kind.
    pub found: u64,
    /// That the target selects.
    pub selected: u64,
    /// With a row.
    pub rows: u64,
    /// Selected without a row.
    pub failed: u64,
}

/// How an attribute fares.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Where its values come from.
    pub path: String,
    /// Whether it may be missing.
    pub optional: bool,
    /// Rows that have a value.
    pub values: u64,
    /// Rows that have none although nothing failed.
    pub missing: u64,
    /// Objects for which it fails.
    pub failed: u64,
    /// A value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
}

/// One fault of any number of objects.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The attribute that fails, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// What is wrong and what to do about it.
    pub message: String,
    /// True when the objects have a row all the same, without the attribute.
    pub row_kept: bool,
    /// How many objects.
    pub objects: u64,
    /// The first of them.
    pub examples: Vec<String>,
}

impl Preview {
    /// Puts together what a run gave and what was seen meanwhile.
    pub fn new(definitions: &Definitions, collected: &Collected, findings: &Findings) -> Self {
        let mut rows: BTreeMap<TargetKey, Vec<Arc<Row>>> = BTreeMap::new();
        for row in collected.rows.iter().flatten() {
            let mut target = TargetKey::new(row.target_namespace(), row.target_name());
            // Rows of a cluster target name the namespace of the object.
            if !definitions.targets.contains_key(&target) {
                target.namespace = "".into();
            }
            rows.entry(target).or_default().push(row.clone());
        }
        let targets = definitions.targets.keys().map(|key| {
            let rows = rows.remove(key).unwrap_or_default();
            TargetPreview::new(key, definitions, collected, &findings.take(key), rows)
        });
        Self {
            targets: targets.collect(),
        }
    }

    /// Objects without a row, and targets with a problem.
    pub fn faults(&self) -> u64 {
        let faults = |target: &TargetPreview| target.objects.failed + u64::from(target.problem.is_some());
        self.targets.iter().map(faults).sum()
    }

    /// Targets of which anything can be shown.
    pub fn shown(&self) -> u64 {
        let shown = |target: &&TargetPreview| target.problem.is_none() || target.objects.rows > 0;
        self.targets.iter().filter(shown).count() as u64
    }

    /// The document, with so many rows of each target.
    pub fn document(&self, limit: usize) -> Self {
        let targets = self.targets.iter().map(|target| TargetPreview {
            rows: target
                .encoded
                .iter()
                .take(limit)
                .map(|row| parsed(row.payload()))
                .collect(),
            ..target.clone()
        });
        Self {
            targets: targets.collect(),
        }
    }
}

impl TargetPreview {
    fn new(
        key: &TargetKey,
        definitions: &Definitions,
        collected: &Collected,
        seen: &Seen,
        encoded: Vec<Arc<Row>>,
    ) -> Self {
        let registration = collected.outcome.registrations.get(key);
        let target = definitions
            .targets
            .get(key)
            .and_then(|target| target.spec.as_ref().ok());
        let profile = target.map_or("", |spec| &*spec.profile);
        let profile_key = ProfileKey {
            namespace: target
                .and_then(|spec| spec.profile_namespace.as_ref())
                .unwrap_or(&key.namespace)
                .clone(),
            name: profile.into(),
        };
        let spec = definitions
            .profiles
            .get(&profile_key)
            .and_then(|profile| profile.spec.as_ref().ok());
        let gvk = spec.map(|spec| &spec.gvk);
        let counts = seen.counts();
        let failures = failures(seen);
        let attributes = spec.map_or_else(Vec::new, |spec| attributes(spec, &encoded, &failures));
        let mut warnings: Vec<String> =
            registration.map_or_else(Vec::new, |registration| registration.profile.warnings().to_vec());
        warnings.extend(attributes.iter().filter_map(never_found));
        if counts.seen > 0 && counts.selected == 0 {
            warnings.push(nothing_selected(&seen.passed_over));
        }
        Self {
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
            profile: profile.to_owned(),
            group: gvk.map_or_else(String::new, |gvk| gvk.group.to_string()),
            version: gvk.map_or_else(String::new, |gvk| gvk.version.to_string()),
            kind: gvk.map_or_else(String::new, |gvk| gvk.kind.to_string()),
            problem: problem(collected, key),
            objects: Objects {
                found: counts.seen,
                selected: counts.selected,
                rows: encoded.len() as u64,
                failed: counts.failed,
            },
            attributes,
            failures,
            warnings,
            reads: registration.map_or_else(Vec::new, |registration| {
                session::mask(std::slice::from_ref(registration)).paths()
            }),
            rows: Vec::new(),
            encoded,
        }
    }
}

impl TargetPreview {
    /// Whether what fails is an optional attribute, which costs no object its row.
    pub fn is_optional(&self, failure: &Failure) -> bool {
        let is_of = |attribute: &&Attribute| failure.attribute.as_ref() == Some(&attribute.name);
        self.attributes
            .iter()
            .find(is_of)
            .is_some_and(|attribute| attribute.optional)
    }
}

fn problem(collected: &Collected, key: &TargetKey) -> Option<String> {
    match collected.outcome.targets.get(key) {
        Some(Ok(report)) => match &report.fault {
            Some(fault) => Some(fault.message.clone()),
            None if report.complete => None,
            None => Some("it was not listed whole".to_owned()),
        },
        Some(Err((_, message))) => Some(message.clone()),
        None => Some("it was not collected".to_owned()),
    }
}

fn attributes(spec: &ProfileSpec, rows: &[Arc<Row>], failures: &[Failure]) -> Vec<Attribute> {
    let rows: Vec<Map<String, Value>> = rows
        .iter()
        // A row's own attributes are an object.
        .map(|row| serde_json::from_str(row.attributes()).unwrap_or_default())
        .collect();
    let attribute = |written: &kollect_domain::config::profile::AttributeSpec| {
        let mut values = rows
            .iter()
            .filter_map(|row| row.get(&written.name))
            .filter(|value| !value.is_null())
            .peekable();
        let example = values.peek().map(|value| (*value).clone());
        let values = values.count() as u64;
        let of_this = || failures.iter().filter(|f| f.attribute.as_ref() == Some(&written.name));
        let failed_in_rows: u64 = of_this().filter(|f| f.row_kept).map(|f| f.objects).sum();
        Attribute {
            name: written.name.clone(),
            path: written.path.clone(),
            optional: written.optional,
            values,
            missing: (rows.len() as u64).saturating_sub(values + failed_in_rows),
            failed: of_this().map(|f| f.objects).sum(),
            example,
        }
    };
    spec.attributes.iter().map(attribute).collect()
}

fn failures(seen: &Seen) -> Vec<Failure> {
    let mut failures: BTreeMap<(bool, &Option<String>, &String), Failure> = BTreeMap::new();
    for (row_kept, faulty) in seen.faulty() {
        for (attribute, message) in &faulty.faults {
            let failure = failures
                .entry((row_kept, attribute, message))
                .or_insert_with(|| Failure {
                    attribute: attribute.clone(),
                    message: message.clone(),
                    row_kept,
                    objects: 0,
                    examples: Vec::new(),
                });
            failure.objects += 1;
            if failure.examples.len() < EXAMPLES {
                failure.examples.push(faulty.object.clone());
            }
        }
    }
    let mut failures: Vec<Failure> = failures.into_values().collect();
    failures.sort_by(|a, b| a.row_kept.cmp(&b.row_kept).then(b.objects.cmp(&a.objects)));
    failures
}

/// An attribute without any value in any row is most often a path that is spelled wrong.
fn never_found(attribute: &Attribute) -> Option<String> {
    let Attribute {
        name, path, missing, ..
    } = attribute;
    (attribute.values == 0 && attribute.failed == 0 && *missing > 0)
        .then(|| format!("attribute `{name}`: no object has a value; is the path `{path}` spelled right?"))
}

fn nothing_selected(namespaces: &BTreeSet<Arc<str>>) -> String {
    /// Namespaces that are named.
    const NAMED: usize = 5;
    let names: Vec<&str> = namespaces
        .iter()
        .map(AsRef::as_ref)
        .filter(|name: &&str| !name.is_empty())
        .collect();
    let where_they_are = match names.as_slice() {
        [] => String::new(),
        few if few.len() <= NAMED => format!("; they are in {}", few.join(", ")),
        many => format!(
            "; they are in {} and {} more namespaces",
            many[..NAMED].join(", "),
            many.len() - NAMED
        ),
    };
    format!("no object is selected: check the namespaces, labels and names of the target{where_they_are}")
}

fn parsed(payload: &str) -> Value {
    // Rows are encoded by this program.
    serde_json::from_str(payload).unwrap_or_default()
}
