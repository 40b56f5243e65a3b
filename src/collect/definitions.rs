//! What is collected: profiles and targets, from a folder of manifests or ready-made.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use kollect_adapters::files::input::Folders;
use kollect_adapters::files::{Input, documents};
use kollect_adapters::kube::convert::{self, Configured};
use kollect_adapters::kube::crd;
use kollect_domain::config::profile::ProfileSpec;
use kollect_domain::config::target::TargetSpec;
use kollect_domain::config::{Invalid, Resource};
use kollect_domain::ids::{ProfileKey, TargetKey};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ready_made;

const API_VERSION: &str = "kollect.dev/v1alpha1";
/// Namespace of definitions that name none.
const NAMESPACED: Option<&str> = Some("default");

/// Profiles and targets.
#[derive(Debug, Default)]
pub struct Definitions {
    /// Profiles; each in every namespace whose targets refer to it.
    pub profiles: BTreeMap<ProfileKey, Resource<ProfileSpec>>,
    /// Targets.
    pub targets: BTreeMap<TargetKey, Resource<TargetSpec>>,
    /// What the user should know.
    pub remarks: Vec<String>,
}

type Profiles = BTreeMap<Arc<str>, Resource<ProfileSpec>>;

impl Definitions {
    /// Gives every target its profile, which is found by its name in whatever namespace; `place` is where it was looked
    /// for.
    fn connect(&mut self, profiles: &Profiles, place: &str) -> anyhow::Result<()> {
        for target in self.targets.values() {
            let Ok(spec) = &target.spec else { continue };
            let Some(profile) = profiles.get(&spec.profile) else {
                bail!(
                    "target {} refers to KollectProfile {:?}, which is not {place}",
                    target.key,
                    spec.profile
                );
            };
            let key = ProfileKey {
                namespace: spec.profile_namespace.as_ref().unwrap_or(&target.key.namespace).clone(),
                name: spec.profile.clone(),
            };
            let profile = Resource {
                key: key.clone(),
                ..profile.clone()
            };
            self.profiles.insert(key, profile);
        }
        Ok(())
    }

    /// Collects from one namespace only; what targets exclude stays excluded.
    pub fn restrict(&mut self, namespace: &str) {
        for target in self.targets.values_mut() {
            if let Ok(spec) = &target.spec {
                let restricted = TargetSpec {
                    included_namespaces: vec![namespace.to_owned()],
                    ..TargetSpec::clone(spec)
                };
                target.spec = Ok(Arc::new(restricted));
            }
        }
    }
}

/// The definitions of a folder.
///
/// # Errors
/// The folder cannot be read, a manifest is broken or invalid, or a target's profile is missing.
pub fn load(folder: &Path) -> anyhow::Result<Definitions> {
    let inputs = Input::path(folder, Folders::Flat).context("--config")?;
    let (profiles, mut definitions) = read(&inputs)?;
    if definitions.targets.is_empty() {
        bail!("--config has no KollectTarget and no KollectClusterTarget, so there is nothing to collect");
    }
    definitions.connect(&profiles, "in the folder")?;
    Ok(definitions)
}

/// The definitions of manifests, for those who want to see what they give: a profile that no target refers to gets a
/// target over every object of its kind.
///
/// # Errors
/// As [`load`], and when there is neither a profile nor a target.
pub fn for_preview(inputs: &[Input]) -> anyhow::Result<Definitions> {
    let (profiles, mut definitions) = read(inputs)?;
    if profiles.is_empty() && definitions.targets.is_empty() {
        bail!("-f has no KollectProfile, so there is nothing to show");
    }
    definitions.connect(&profiles, "in the files of -f; add its manifest")?;
    let is_used = |name: &str| definitions.profiles.keys().any(|used| &*used.name == name);
    let (unused, used): (Vec<_>, Vec<_>) = profiles.into_values().partition(|profile| !is_used(&profile.key.name));
    drop(used);
    for profile in unused {
        let target = over_everything(&profile);
        if definitions.targets.contains_key(&target.key) {
            let key = &target.key;
            definitions.remarks.push(format!(
                "KollectProfile {key} is not shown: KollectTarget {key} is there and refers to another one"
            ));
        } else {
            definitions.targets.insert(target.key.clone(), target);
            definitions.profiles.insert(profile.key.clone(), profile);
        }
    }
    Ok(definitions)
}

/// Ready-made profiles with one target each, for some kinds; for all when none is named.
///
/// # Errors
/// There is no profile for a kind.
pub fn ready_made(kinds: &[String]) -> anyhow::Result<Definitions> {
    let chosen: Vec<&ready_made::ReadyMade> = if kinds.is_empty() {
        ready_made::all().iter().collect()
    } else {
        kinds
            .iter()
            .map(|kind| ready_made::profile(kind))
            .collect::<Result<_, _>>()?
    };
    let inputs: Vec<Input> = chosen
        .iter()
        .map(|profile| Input::text(&profile.resource(), profile.yaml().to_owned()))
        .collect();
    let mut definitions = Definitions::default();
    let (profiles, _) = documents(&inputs, &[(API_VERSION, "KollectProfile")]);
    for (_, value) in profiles {
        let profile: Resource<ProfileSpec> = resource::<crd::KollectProfile>(value, NAMESPACED)?;
        let target = over_everything(&profile);
        definitions.targets.insert(target.key.clone(), target);
        definitions.profiles.insert(profile.key.clone(), profile);
    }
    Ok(definitions)
}

/// A target of the profile's name that selects every object of its kind.
fn over_everything(profile: &Resource<ProfileSpec>) -> Resource<TargetSpec> {
    let spec = TargetSpec {
        profile: profile.key.name.clone(),
        ..TargetSpec::default()
    };
    Resource {
        key: profile.key.clone(),
        labels: [].into(),
        created: None,
        uid: profile.uid.clone(),
        generation: profile.generation,
        deleting: false,
        finalizers: Vec::new(),
        spec: Ok(Arc::new(spec)),
        conditions: Vec::new(),
    }
}

/// Profiles by name, and definitions that have targets only.
fn read(inputs: &[Input]) -> anyhow::Result<(Profiles, Definitions)> {
    let kinds = ["KollectProfile", "KollectTarget", "KollectClusterTarget"].map(|kind| (API_VERSION, kind));
    let (found, report) = documents(inputs, &kinds);
    if let Some(problem) = report.problems.first() {
        bail!("{problem}");
    }
    let mut definitions = Definitions {
        remarks: report.remarks.iter().map(ToString::to_string).collect(),
        ..Definitions::default()
    };
    let mut profiles = Profiles::new();
    for (place, value) in found {
        let place = || place.to_string();
        let target = match value["kind"].as_str() {
            Some("KollectProfile") => {
                let profile = resource::<crd::KollectProfile>(value, NAMESPACED).with_context(place)?;
                profiles.insert(profile.key.name.clone(), profile);
                continue;
            }
            Some("KollectClusterTarget") => resource::<crd::KollectClusterTarget>(value, None).with_context(place)?,
            _ => resource::<crd::KollectTarget>(value, NAMESPACED).with_context(place)?,
        };
        definitions.targets.insert(target.key.clone(), target);
    }
    Ok((profiles, definitions))
}

/// A typed, validated definition; `default_namespace` is `None` for a cluster-scoped one.
fn resource<K: Configured + DeserializeOwned>(
    mut value: Value,
    default_namespace: Option<&str>,
) -> anyhow::Result<Resource<K::Spec>> {
    let metadata = &mut value["metadata"];
    let name = metadata["name"].as_str().unwrap_or_default().to_owned();
    if name.is_empty() {
        bail!("metadata.name is missing");
    }
    match default_namespace {
        Some(default) if metadata["namespace"].as_str().unwrap_or_default().is_empty() => {
            metadata["namespace"] = Value::from(default);
        }
        Some(_) => {}
        // What is written there has no meaning for a cluster-scoped object.
        None => metadata["namespace"] = Value::Null,
    }
    let kind = value["kind"].as_str().unwrap_or_default().to_owned();
    let object: K = serde_json::from_value(value).with_context(|| format!("{kind} {name}"))?;
    let resource = convert::resource(&object);
    if let Err(Invalid { message }) = &resource.spec {
        bail!("{kind} {name}: {message}");
    }
    Ok(resource)
}
