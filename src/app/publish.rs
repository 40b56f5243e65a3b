//! Statuses: which are due, computed from decisions and the engine, and handed to the outbox.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use kollect_domain::condition::Condition;
use kollect_domain::config::target::TargetSpec;
use kollect_domain::config::{Configuration, InventorySpec, Resource};
use kollect_domain::engine::Engine;
use kollect_domain::engine::report::BindingReport;
use kollect_domain::engine::rollup::Rollup;
use kollect_domain::ids::{BindingKey, InventoryKey, NamespacedName, ProfileKey, SinkFamily, SinkKey, TargetKey};
use kollect_domain::plan::Decisions;
use kollect_domain::status::book::{Book, Decision};
use kollect_domain::status::preview::SinkPreview;
use kollect_domain::status::{cluster_inventory, inventory, profile, sink, target};
use kollect_domain::time::Now;
use kollect_ports::resources::{ResourceKind, StatusUpdate};
use kollect_ports::sink::SinkFactory;
use serde_json::Value;

use crate::outbox::Outbox;

mod cluster;

/// Changes that come within this time are looked at together.
const GATHER: Duration = Duration::from_millis(100);

/// An object whose status may have changed.
type Subject = (ResourceKind, NamespacedName);

/// Decides which statuses are written when.
#[derive(Debug)]
pub struct Publisher {
    outbox: Arc<Outbox>,
    book: Book<Subject>,
    /// What cluster inventories gather from each namespace.
    rollups: BTreeMap<InventoryKey, Rollup>,
    pending: BTreeSet<Subject>,
    due: Option<Duration>,
}

/// What statuses are computed from.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The configuration.
    pub configuration: &'a Configuration,
    /// What it asks for.
    pub decisions: &'a Decisions,
    /// How it goes.
    pub engine: &'a Engine,
    /// What sinks are made by.
    pub sinks: &'a dyn SinkFactory,
}

impl Publisher {
    /// A publisher that wrote nothing yet.
    pub fn new(outbox: Arc<Outbox>) -> Self {
        Self {
            outbox,
            book: Book::default(),
            rollups: BTreeMap::new(),
            pending: BTreeSet::new(),
            due: None,
        }
    }

    /// The configuration changed: every status may have.
    pub fn all_changed(&mut self, configuration: &Configuration, now: Now) {
        let profiles = configuration.profiles.keys().map(|key| (ResourceKind::Profile, key));
        let targets = configuration.targets.keys();
        let targets = targets.map(|key| (ResourceKind::of_target(key), key));
        let inventories = configuration.inventories.keys();
        let inventories = inventories.map(|key| (ResourceKind::of_inventory(key), key));
        let sinks = configuration
            .sinks
            .keys()
            .map(|key| (ResourceKind::DatabaseSink, &key.object));
        let all: BTreeSet<Subject> = profiles
            .chain(targets)
            .chain(inventories)
            .chain(sinks)
            .map(|(kind, key)| (kind, key.clone()))
            .collect();
        self.book.retain(|subject| all.contains(subject));
        self.rollups
            .retain(|key, _| configuration.inventories.contains_key(key));
        self.pending.extend(all);
        self.hurry(now);
    }

    /// Targets and bindings changed: so may the statuses that speak of them.
    pub fn changed(
        &mut self,
        targets: BTreeSet<TargetKey>,
        bindings: BTreeSet<BindingKey>,
        configuration: &Configuration,
        now: Now,
    ) {
        if targets.is_empty() && bindings.is_empty() {
            return;
        }
        for key in targets {
            let inventories = of_namespace(configuration.inventories.keys(), &key.namespace);
            self.pending
                .extend(inventories.map(|key| (ResourceKind::of_inventory(&key), key)));
            self.pending.insert((ResourceKind::of_target(&key), key));
        }
        for key in bindings {
            // Cluster targets say nothing about sinks.
            if !key.inventory.is_cluster_scoped() {
                let targets = of_namespace(configuration.targets.keys(), &key.inventory.namespace);
                self.pending.extend(targets.map(|key| (ResourceKind::Target, key)));
            }
            self.pending.insert((ResourceKind::DatabaseSink, key.sink.object));
            let kind = ResourceKind::of_inventory(&key.inventory);
            self.pending.insert((kind, key.inventory));
        }
        self.hurry(now);
    }

    fn hurry(&mut self, now: Now) {
        let due = now.monotonic + GATHER;
        self.due = Some(self.due.map_or(due, |earlier| earlier.min(due)));
    }

    /// When [`Publisher::publish`] has something to do.
    pub fn next_deadline(&self) -> Option<Duration> {
        self.due
    }

    /// Hands statuses that are due to the outbox.
    pub fn publish(&mut self, view: View<'_>, now: Now) {
        if self.due.is_none_or(|due| now.monotonic < due) {
            return;
        }
        self.due = None;
        for subject in std::mem::take(&mut self.pending) {
            let mut again = None;
            if subject.0 == ResourceKind::ClusterInventory {
                let rollup = self.rollups.entry(subject.1.clone()).or_default();
                again = view.refresh(&subject.1, rollup, now);
            }
            let rollup = self.rollups.get(&subject.1);
            let Some((status, stored)) = view.status(&subject, self.book.last(&subject), rollup, now) else {
                continue;
            };
            let decision = self.book.decide(&subject, &status, now.monotonic);
            if let Some(at) = again {
                self.wait(subject.clone(), at);
            }
            match decision {
                Decision::Keep => {}
                Decision::Write => {
                    let last = self.book.last(&subject);
                    let replace = (last.is_none() && has_strangers(stored, &status))
                        || view.drops_preview(&subject, last, &status);
                    self.outbox.put_status(StatusUpdate {
                        kind: subject.0,
                        object: subject.1.clone(),
                        status: status.clone(),
                        replace,
                    });
                    self.book.written(subject, status, now.monotonic);
                }
                Decision::Later(at) => self.wait(subject, at),
            }
        }
    }

    /// Looks at a status again.
    fn wait(&mut self, subject: Subject, at: Duration) {
        self.pending.insert(subject);
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }
}

fn of_namespace<'a>(
    keys: impl Iterator<Item = &'a NamespacedName> + 'a,
    namespace: &'a str,
) -> impl Iterator<Item = NamespacedName> + 'a {
    keys.filter(move |key| &*key.namespace == namespace).cloned()
}

/// Whether the stored status has conditions that the new one has not: another program wrote them.
fn has_strangers(stored: &[Condition], status: &Value) -> bool {
    let written: BTreeSet<&str> = status["conditions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|condition| condition["type"].as_str())
        .collect();
    stored
        .iter()
        .any(|condition| !written.contains(condition.kind.as_str()))
}

impl<'a> View<'a> {
    /// The status of an object as it should be now, and the conditions that are stored; `None` if the object is gone.
    fn status(
        &self,
        (kind, key): &Subject,
        last: Option<&Value>,
        rollup: Option<&Rollup>,
        now: Now,
    ) -> Option<(Value, &'a [Condition])> {
        match kind {
            ResourceKind::Profile => {
                let resource = self.configuration.profiles.get(key)?;
                Some((self.profile(resource, key, last, now)?, &resource.conditions))
            }
            ResourceKind::Target | ResourceKind::ClusterTarget => {
                let resource = self.configuration.targets.get(key).filter(|target| !target.deleting)?;
                let previous = previous(resource, last);
                let status = target::status(self.target_facts(key, &profile_of(resource)));
                let value = status.render(&previous, resource.generation, now.wall);
                Some((value, &resource.conditions))
            }
            ResourceKind::Inventory | ResourceKind::ClusterInventory => {
                let resource = self.configuration.inventories.get(key)?;
                Some((self.inventory(resource, last, rollup, now)?, &resource.conditions))
            }
            ResourceKind::DatabaseSink => {
                let sink = SinkKey {
                    family: SinkFamily::Database,
                    object: key.clone(),
                };
                let resource = self.configuration.sinks.get(&sink)?;
                let facts = self.sink_facts(&sink, last, now)?;
                let status = sink::status(facts).render(&previous(resource, last), resource.generation, now.wall);
                Some((status, &resource.conditions))
            }
        }
    }

    /// Whether the stored status has a preview that must go. Applying a status without it would leave what an earlier
    /// writer, or a replacement, put there.
    fn drops_preview(&self, (kind, key): &Subject, last: Option<&Value>, status: &Value) -> bool {
        if *kind != ResourceKind::DatabaseSink || status.get("preview").is_some() {
            return false;
        }
        let of_this = |sink: &SinkKey| sink.object == *key;
        let mut previews = self.configuration.previews.iter();
        match last {
            Some(last) => last.get("preview").is_some(),
            None => previews.any(|(sink, preview)| of_this(sink) && preview.stored.is_some()),
        }
    }

    fn profile<S>(&self, resource: &Resource<S>, key: &ProfileKey, last: Option<&Value>, now: Now) -> Option<Value> {
        let outcome = self.decisions.profiles.get(key)?;
        let status = profile::status(outcome.as_deref().map_err(String::as_str));
        Some(status.render(&previous(resource, last), resource.generation, now.wall))
    }

    fn target_facts<'f>(&'f self, key: &TargetKey, profile: &'f str) -> target::Facts<'f> {
        let registration = self.decisions.registrations.get(key);
        let blocked = self.decisions.blocked_targets.get(key);
        let namespaces = &*self.configuration.namespaces;
        target::Facts {
            profile,
            blocked: blocked.map(|(reason, message)| (*reason, message.as_str())),
            report: self.engine.target(key),
            namespaces: registration.map_or_else(target::Namespaces::default, |registration| {
                let filter = registration.selection.namespaces();
                let matched = filter.matched(namespaces);
                target::Namespaces {
                    effective: filter.allowed(matched.clone()),
                    matched,
                }
            }),
            active_rules: registration.map_or(0, |registration| registration.selection.active_rules()),
            sinks: (!key.is_cluster_scoped()).then(|| self.sinks_of_namespace(&key.namespace)),
        }
    }

    fn sinks_of_namespace(&self, namespace: &str) -> Vec<(String, Option<BindingReport>)> {
        self.decisions
            .inventories
            .iter()
            .filter(|(key, _)| &*key.namespace == namespace)
            .flat_map(|(inventory, decision)| {
                decision.sinks.iter().map(|(sink, fault)| {
                    let report = self.binding(inventory, sink).filter(|_| fault.is_none());
                    (sink.to_string(), report)
                })
            })
            .collect()
    }

    fn binding(&self, inventory: &InventoryKey, sink: &SinkKey) -> Option<BindingReport> {
        self.engine.binding(&BindingKey {
            inventory: inventory.clone(),
            sink: sink.clone(),
        })
    }

    fn inventory(
        &self,
        resource: &Resource<InventorySpec>,
        last: Option<&Value>,
        rollup: Option<&Rollup>,
        now: Now,
    ) -> Option<Value> {
        let key = &resource.key;
        let decision = self.decisions.inventories.get(key)?;
        let gathered = rollup.map(|rollup| self.gathered(resource, rollup, now));
        let (gathered, rows) = match gathered {
            Some((gathered, rows)) => (Some(gathered), rows),
            None => (None, self.engine.rows_of_namespace(&key.namespace)),
        };
        let selected = self.selected(key);
        let exports = last.map(inventory::exports).unwrap_or_default();
        let facts = inventory::Facts {
            blocked: decision
                .blocked
                .as_ref()
                .map(|(reason, message)| (*reason, message.as_str())),
            bindings: decision
                .sinks
                .iter()
                .map(|(sink, fault)| inventory::Bound {
                    sink: sink.clone(),
                    state: fault.clone().map_or_else(|| Ok(self.binding(key, sink)), Err),
                })
                .collect(),
            rows,
            listing: selected.iter().filter(|target| !self.is_listed(target)).count(),
            cluster: key.is_cluster_scoped(),
            generation: resource.generation,
            previous: &exports,
            now: now.wall,
        };
        let previous = previous(resource, last);
        Some(match gathered {
            Some(gathered) => {
                cluster_inventory::status(&facts, gathered).render(&previous, resource.generation, now.wall)
            }
            None => inventory::status(&facts).render(&previous, resource.generation, now.wall),
        })
    }

    fn sink_facts(&self, key: &SinkKey, last: Option<&Value>, now: Now) -> Option<sink::Facts<'a>> {
        let usable = self.decisions.sinks.get(key)?;
        let inventories = self.decisions.inventories.iter();
        Some(sink::Facts {
            problem: usable.as_ref().err(),
            bindings: inventories
                .filter(|(_, decision)| decision.sinks.iter().any(|(sink, _)| sink == key))
                .filter_map(|(inventory, _)| self.binding(inventory, key))
                .collect(),
            tls_insecure: usable.as_ref().is_ok_and(|sink| sink.spec.tls.insecure_skip_verify),
            preview: self.preview(key, last, now),
        })
    }

    /// The preview of a sink that asks for one. There is none of a definition that cannot be read: its condition says
    /// what is wrong.
    fn preview(&self, key: &SinkKey, last: Option<&Value>, now: Now) -> Option<SinkPreview> {
        let asked = self.configuration.previews.get(key).filter(|preview| preview.wanted)?;
        let spec = self.configuration.sinks.get(key)?.spec.as_ref().ok()?;
        let destination = self.sinks.preview(key, spec).map_err(|error| error.message);
        let stored = last.map_or(asked.stored.as_ref(), |status| status.get("preview"));
        Some(SinkPreview::new(spec, destination, stored, now.wall))
    }
}

/// The conditions that are stored, as far as is known: those written last, else those that were read.
fn previous<S>(resource: &Resource<S>, last: Option<&Value>) -> Vec<Condition> {
    last.and_then(|status| serde_json::from_value(status["conditions"].clone()).ok())
        .unwrap_or_else(|| resource.conditions.clone())
}

/// How a target's status calls its profile.
fn profile_of(target: &Resource<TargetSpec>) -> String {
    let Ok(spec) = &target.spec else {
        return String::new();
    };
    match &spec.profile_namespace {
        Some(namespace) => format!("{namespace}/{}", spec.profile),
        None => spec.profile.to_string(),
    }
}
