//! From the configuration to what is collected and exported: pure, whole, and the same for every restart.
//!
//! A plan is made anew from the whole configuration at every change of it. What did not change keeps its number
//! (epoch of a registration, revision of a sink), so unchanged parts go on undisturbed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ceiling::Ceiling;
use crate::condition::reason;
use crate::config::profile::ProfileSpec;
use crate::config::sink::{Destination, SinkSpec};
use crate::config::target::TargetSpec;
use crate::config::{Configuration, Invalid, Resource};
use crate::engine::{Plan, TargetPlan};
use crate::fault::{ErrorClass, Fault};
use crate::ids::{Epoch, InventoryKey, ProfileKey, SinkKey, TargetKey, WatchScope};
use crate::profile::Profile;
use crate::selection::Selection;
use crate::selection::namespaces::{Defaults, Namespaces};

mod cluster_inventories;
mod collected;
mod inventories;
mod policy;
pub mod reach;
pub mod registration;
pub mod session;

#[cfg(test)]
mod tests;

pub use collected::ProfileGroup;
pub use inventories::InventoryDecision;
use reach::Reach;
use registration::Registration;

/// Why something is not done: a condition reason and a message.
pub type Blocked = (&'static str, String);

/// Reasons for which the rows of a target go. Every other reason is a fault, and keeps them.
const REMOVING: [&str; 3] = [
    reason::SUSPENDED,
    reason::SCOPE_KIND_DENIED,
    reason::SCOPE_NAMESPACE_DENIED,
];

/// What a configuration asks for.
#[derive(Debug, Default)]
pub struct Decisions {
    /// For the engine.
    pub plan: Plan,
    /// Targets that are collected.
    pub registrations: BTreeMap<TargetKey, Arc<Registration>>,
    /// Targets that are not, and why.
    pub blocked_targets: BTreeMap<TargetKey, Blocked>,
    /// Inventories, and what becomes of each.
    pub inventories: BTreeMap<InventoryKey, InventoryDecision>,
    /// Sinks that can be used, with the revision of their definition, or why not.
    pub sinks: BTreeMap<SinkKey, Result<UsableSink, Fault>>,
    /// Profiles: warnings, or what is wrong.
    pub profiles: BTreeMap<ProfileKey, Result<Vec<String>, String>>,
}

impl Decisions {
    /// The targets that are collected, and what is listed for each.
    pub fn watched(&self) -> impl Iterator<Item = (&Arc<Registration>, &[WatchScope])> + Clone {
        self.registrations.iter().filter_map(|(key, registration)| {
            let TargetPlan::Collect { scopes, .. } = self.plan.targets.get(key)? else {
                return None;
            };
            Some((registration, scopes.as_slice()))
        })
    }
}

/// A sink that can be used.
#[derive(Debug, Clone)]
pub struct UsableSink {
    /// Its definition.
    pub spec: Arc<SinkSpec>,
    /// Number of the definition; a changed definition has a new one.
    pub revision: u64,
}

/// Makes plans, and remembers what it numbered.
#[derive(Debug)]
pub struct Planner {
    defaults: Defaults,
    scrub_keys: Vec<String>,
    profiles: BTreeMap<ProfileKey, Validated>,
    registrations: BTreeMap<TargetKey, Arc<Registration>>,
    revisions: BTreeMap<SinkKey, UsableSink>,
    numbers: u64,
}

#[derive(Debug)]
struct Validated {
    spec: Arc<ProfileSpec>,
    profile: Result<Arc<Profile>, Invalid>,
}

impl Planner {
    /// A planner with the operator's own restrictions and additional keys to redact.
    pub fn new(defaults: Defaults, scrub_keys: Vec<String>) -> Self {
        Self {
            defaults,
            scrub_keys,
            profiles: BTreeMap::new(),
            registrations: BTreeMap::new(),
            revisions: BTreeMap::new(),
            numbers: 0,
        }
    }

    /// What the configuration asks for.
    pub fn plan(&mut self, configuration: &Configuration, reach: &Reach) -> Decisions {
        let mut decisions = Decisions::default();
        self.plan_profiles(configuration, &mut decisions);
        self.plan_targets(configuration, reach, &mut decisions);
        self.plan_sinks(configuration, &mut decisions);
        inventories::plan(configuration, &mut decisions);
        decisions
    }

    fn plan_profiles(&mut self, configuration: &Configuration, decisions: &mut Decisions) {
        self.profiles.retain(|key, _| configuration.profiles.contains_key(key));
        for (key, resource) in &configuration.profiles {
            let spec = match &resource.spec {
                Ok(spec) => spec,
                Err(invalid) => {
                    self.profiles.remove(key);
                    decisions.profiles.insert(key.clone(), Err(invalid.message.clone()));
                    continue;
                }
            };
            let known = self.profiles.get(key).is_some_and(|known| known.spec == *spec);
            if !known {
                let validated = Validated {
                    spec: spec.clone(),
                    profile: Profile::validate(spec, &self.scrub_keys).map(Arc::new),
                };
                self.profiles.insert(key.clone(), validated);
            }
            let outcome = match self.profiles.get(key).map(|validated| &validated.profile) {
                Some(Ok(profile)) => Ok(profile.warnings().to_vec()),
                Some(Err(invalid)) => Err(invalid.message.clone()),
                None => continue,
            };
            decisions.profiles.insert(key.clone(), outcome);
        }
    }

    fn plan_targets(&mut self, configuration: &Configuration, reach: &Reach, decisions: &mut Decisions) {
        let living = |resource: &&Resource<TargetSpec>| !resource.deleting;
        for resource in configuration.targets.values().filter(living) {
            let key = resource.key.clone();
            let registered = self.register(resource, configuration).and_then(|registration| {
                let scopes = self.scopes(&registration, reach, &configuration.namespaces)?;
                Ok((registration, scopes))
            });
            match registered {
                Ok((registration, scopes)) => {
                    let plan = TargetPlan::Collect {
                        epoch: registration.epoch,
                        kind: registration.profile.gvk().to_string(),
                        scopes,
                        ceiling: registration.ceiling.clone(),
                    };
                    decisions.plan.targets.insert(key.clone(), plan);
                    decisions.registrations.insert(key, registration);
                }
                Err(blocked) => {
                    if !REMOVING.contains(&blocked.0) {
                        let plan = TargetPlan::Hold { reason: blocked.0 };
                        decisions.plan.targets.insert(key.clone(), plan);
                    }
                    decisions.blocked_targets.insert(key, blocked);
                }
            }
        }
        // A target that comes back after a fault of its definition is registered anew: it may have missed changes.
        self.registrations = decisions.registrations.clone();
    }

    fn register(
        &mut self,
        resource: &Resource<TargetSpec>,
        configuration: &Configuration,
    ) -> Result<Arc<Registration>, Blocked> {
        let key = &resource.key;
        let spec = resource
            .spec
            .as_ref()
            .map_err(|invalid| (reason::INVALID_TARGET, invalid.message.clone()))?;
        if spec.suspend {
            let message = "spec.suspend is true: nothing is collected and the target's rows are removed";
            return Err((reason::SUSPENDED, message.into()));
        }
        if spec.profile.trim().is_empty() {
            let message = "spec.profileRef is empty: name a KollectProfile";
            return Err((reason::MISSING_PROFILE_REF, message.into()));
        }
        let namespace = spec.profile_namespace.as_ref().unwrap_or(&key.namespace);
        if namespace.is_empty() {
            let message = "spec.profileRef.namespace is empty: name the namespace of the KollectProfile";
            return Err((reason::MISSING_PROFILE_REF, message.into()));
        }
        let profile_key = ProfileKey {
            namespace: namespace.clone(),
            name: spec.profile.clone(),
        };
        let profile = self.profile(&profile_key, configuration)?;
        let ceiling =
            Ceiling::over(&key.namespace, configuration).map_err(|message| (reason::SCOPE_LOOKUP_FAILED, message))?;
        let registration = match self.registrations.get(key) {
            Some(known) if known.is_for(spec, &profile, &ceiling) => known.clone(),
            _ => {
                let ceiling = Arc::new(ceiling);
                let selection = Selection::compile(spec, profile.gvk(), &self.defaults, &ceiling)
                    .map_err(|invalid| (reason::INVALID_TARGET, invalid.message))?;
                Arc::new(Registration {
                    target: key.clone(),
                    epoch: Epoch(self.number()),
                    spec: spec.clone(),
                    ceiling,
                    profile,
                    selection,
                })
            }
        };
        policy::check(&registration, &configuration.namespaces)?;
        Ok(registration)
    }

    /// What is listed for a target.
    fn scopes(
        &self,
        registration: &Registration,
        reach: &Reach,
        known: &Namespaces,
    ) -> Result<Vec<WatchScope>, Blocked> {
        let gvk = registration.profile.gvk();
        if self.defaults.only_namespaces && reach.is_cluster_scoped(gvk) {
            let message = format!(
                "objects of kind {gvk} have no namespace, and in tenant mode nothing outside of namespaces is read: \
                 collect them with an operator that serves the whole cluster"
            );
            return Err((reason::SCOPE_FORBIDDEN, message));
        }
        let one_by_one = self.defaults.only_namespaces || !self.defaults.watched.is_empty();
        Ok(reach.scopes(registration, one_by_one, known))
    }

    fn profile(&self, key: &ProfileKey, configuration: &Configuration) -> Result<Arc<Profile>, Blocked> {
        let Some(resource) = configuration.profiles.get(key) else {
            let message = format!(
                "KollectProfile {} does not exist in namespace {}: create it, or correct spec.profileRef",
                key.name, key.namespace
            );
            return Err((reason::PROFILE_NOT_FOUND, message));
        };
        let invalid = |message: &str| {
            let message = format!("KollectProfile {} cannot be used: {message}", key.name);
            (reason::INVALID_PROFILE, message)
        };
        if let Err(error) = &resource.spec {
            return Err(invalid(&error.message));
        }
        match self.profiles.get(key).map(|validated| &validated.profile) {
            Some(Ok(profile)) => Ok(profile.clone()),
            Some(Err(error)) => Err(invalid(&error.message)),
            None => Err(invalid("it was not validated")),
        }
    }

    fn plan_sinks(&mut self, configuration: &Configuration, decisions: &mut Decisions) {
        for (key, resource) in configuration.sinks.iter().filter(|(_, sink)| !sink.deleting) {
            let usable = resource
                .spec
                .as_ref()
                .map_err(|invalid| Fault::new(ErrorClass::Misconfigured, reason::INVALID_SINK, invalid.message.clone()))
                .and_then(|spec| match spec.destination {
                    Destination::Unsupported => Err(Fault::new(
                        ErrorClass::Misconfigured,
                        reason::SINK_TYPE_UNAVAILABLE,
                        format!(
                            "sink type {} is not available in this version; postgres and sqlite are",
                            spec.kind
                        ),
                    )),
                    Destination::Postgres(_) | Destination::Sqlite(_) | Destination::Caller => {
                        Ok(self.revise(key, spec))
                    }
                });
            decisions.sinks.insert(key.clone(), usable);
        }
        self.revisions
            .retain(|key, _| decisions.sinks.get(key).is_some_and(Result::is_ok));
    }

    fn revise(&mut self, key: &SinkKey, spec: &Arc<SinkSpec>) -> UsableSink {
        if let Some(known) = self.revisions.get(key).filter(|known| known.spec == *spec) {
            return known.clone();
        }
        let usable = UsableSink {
            spec: spec.clone(),
            revision: self.number(),
        };
        self.revisions.insert(key.clone(), usable.clone());
        usable
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }
}

/// The namespaces of which each target makes something else when they change from `before` to `after`: their objects
/// must be judged again. Namespaces that vanished need nothing: their objects are reported as deleted themselves.
pub fn affected_by_namespaces<'a>(
    registrations: impl Iterator<Item = &'a Arc<Registration>>,
    before: &Namespaces,
    after: &Namespaces,
) -> BTreeMap<TargetKey, BTreeSet<Arc<str>>> {
    let changed: Vec<&String> = after
        .iter()
        .filter(|(name, namespace)| before.get(*name) != Some(namespace))
        .map(|(name, _)| name)
        .collect();
    let mut affected: BTreeMap<TargetKey, BTreeSet<Arc<str>>> = BTreeMap::new();
    for registration in registrations {
        let selection = &registration.selection;
        let another = |name: &&&String| selection.verdict(name, before) != selection.verdict(name, after);
        for name in changed.iter().filter(another) {
            let namespaces = affected.entry(registration.target.clone()).or_default();
            namespaces.insert(name.as_str().into());
        }
    }
    affected
}
