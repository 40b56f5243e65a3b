//! The engine: rows in, deliveries out. One owned value, synchronous, without clock or I/O.
//!
//! [`Engine::configure`] says what should be collected and exported; [`Engine::apply`] takes what happened outside;
//! both answer with [`Effect`]s for somebody else to carry out. [`Engine::tick`] is called when
//! [`Engine::next_deadline`] has passed.
//!
//! Invariants kept here: nothing is deleted in a sink for a target whose lists are not complete; what fails is held,
//! not deleted; a delivery counts only once the sink acknowledged it; work follows change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::aggregate::view::View;
use crate::ceiling::Ceiling;
use crate::ids::{BindingKey, Epoch, InventoryKey, TargetKey, WatchScope};
use crate::time::Now;

pub mod binding;
mod event;
mod operation;
pub mod report;
pub mod rollup;
pub mod target;

#[cfg(test)]
mod tests;

use binding::Binding;
pub use event::{Answer, Command, Effect, Event, SourceStep};
use target::{Stepped, Target};

/// What should be collected and exported.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Targets whose rows exist or must be kept; what is missing here is removed from memory and from sinks.
    pub targets: BTreeMap<TargetKey, TargetPlan>,
    /// Inventories and the sinks they are exported to.
    pub bindings: BTreeMap<BindingKey, BindingPlan>,
    /// What inventories show of the targets of their namespace; everything, if not said here.
    pub views: BTreeMap<InventoryKey, Arc<View>>,
}

/// What becomes of one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetPlan {
    /// Collect it. A new epoch means a new definition: old rows stay until its lists are complete.
    Collect {
        /// Registration number.
        epoch: Epoch,
        /// Kind, as `group/version/Kind`.
        kind: String,
        /// What is listed and watched for it.
        scopes: Vec<WatchScope>,
        /// What policy allows: rows outside of it go at once.
        ceiling: Arc<Ceiling>,
    },
    /// It cannot be collected at present; its rows stay.
    Hold {
        /// Condition reason.
        reason: &'static str,
    },
}

/// How one inventory is exported to one sink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindingPlan {
    /// Changes with the sink's definition: a new revision is claimed and read back anew.
    pub revision: u64,
    /// Minimum spacing between two deliveries of changes.
    pub spacing: Duration,
    /// Set when the inventory is being deleted: whether its rows are removed from the sink first.
    pub closing: Option<Closing>,
}

/// What becomes of exported rows when a binding ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closing {
    /// They are removed.
    Purge,
    /// They stay.
    Retain,
}

/// The engine.
#[derive(Debug, Default)]
pub struct Engine {
    targets: BTreeMap<TargetKey, Target>,
    bindings: BTreeMap<BindingKey, Binding>,
    changed_targets: BTreeSet<TargetKey>,
    changed_bindings: BTreeSet<BindingKey>,
    incarnations: u64,
}

impl Engine {
    /// An engine that collects and exports nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Brings targets and bindings in line with a plan.
    pub fn configure(&mut self, plan: &Plan, now: Now) -> Vec<Effect> {
        self.configure_targets(plan, now);
        self.configure_bindings(plan);
        let all: Vec<BindingKey> = self.bindings.keys().cloned().collect();
        let mut effects = Vec::new();
        for key in all {
            self.advance(&key, now, &mut effects);
        }
        effects
    }

    fn configure_targets(&mut self, plan: &Plan, now: Now) {
        let gone: Vec<TargetKey> = self
            .targets
            .keys()
            .filter(|key| !plan.targets.contains_key(*key))
            .cloned()
            .collect();
        for key in gone {
            for (binding_key, binding) in bindings_of(&mut self.bindings, &key.namespace) {
                binding.forget_target(&key.name, &lookup_in(&self.targets, binding_key));
            }
            self.targets.remove(&key);
            self.changed_targets.insert(key);
        }
        for (key, target_plan) in &plan.targets {
            let stepped = self.targets.entry(key.clone()).or_default().configure(target_plan);
            if stepped == Stepped::default() {
                continue;
            }
            self.changed_targets.insert(key.clone());
            self.tell_bindings(key, &stepped, now);
        }
    }

    fn configure_bindings(&mut self, plan: &Plan) {
        let changed = &mut self.changed_bindings;
        self.bindings.retain(|key, _| {
            let keep = plan.bindings.contains_key(key);
            if !keep {
                changed.insert(key.clone());
            }
            keep
        });
        for (key, binding_plan) in &plan.bindings {
            let fits = self
                .bindings
                .get(key)
                .is_some_and(|binding| binding.revision() == binding_plan.revision);
            if !fits {
                self.incarnations += 1;
                self.changed_bindings.insert(key.clone());
                let binding = Binding::new(self.incarnations, binding_plan);
                self.bindings.insert(key.clone(), binding);
            }
            if let Some(binding) = self.bindings.get_mut(key) {
                binding.configure(binding_plan);
                let view = plan.views.get(&key.inventory).cloned().unwrap_or_default();
                let targets: Vec<Arc<str>> = self
                    .targets
                    .keys()
                    .filter(|target| target.namespace == key.inventory.namespace && view.selects(&target.name))
                    .map(|target| target.name.clone())
                    .collect();
                binding.show(&view, &targets, &lookup_in(&self.targets, key));
            }
        }
    }

    /// Takes what happened outside.
    pub fn apply(&mut self, event: Event, now: Now) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Source {
                target,
                epoch,
                scope,
                step,
            } => self.source_step(&target, epoch, &scope, step, now, &mut effects),
            Event::Sink {
                binding,
                incarnation,
                answer,
            } => self.sink_answer(&binding, incarnation, answer, now, &mut effects),
        }
        effects
    }

    fn source_step(
        &mut self,
        key: &TargetKey,
        epoch: Epoch,
        scope: &WatchScope,
        step: SourceStep,
        now: Now,
        effects: &mut Vec<Effect>,
    ) {
        let Some(target) = self.targets.get_mut(key).filter(|t| t.epoch() == Some(epoch)) else {
            return;
        };
        let stepped = target.step(scope, step, now);
        if stepped.confirm {
            effects.push(Effect::Relist {
                target: key.clone(),
                scope: scope.clone(),
            });
        }
        if stepped.visible || !stepped.changes.is_empty() {
            self.changed_targets.insert(key.clone());
        }
        self.tell_bindings(key, &stepped, now);
        for binding in bindings_keys(&self.bindings, &key.namespace) {
            self.advance(&binding, now, effects);
        }
    }

    /// Tells all bindings of a target what happened to it.
    fn tell_bindings(&mut self, key: &TargetKey, stepped: &Stepped, now: Now) {
        for (binding_key, binding) in bindings_of(&mut self.bindings, &key.namespace) {
            let lookup = lookup_in(&self.targets, binding_key);
            binding.target_changed(&key.name, stepped, &lookup, now.monotonic);
        }
    }

    fn sink_answer(&mut self, key: &BindingKey, incarnation: u64, answer: Answer, now: Now, effects: &mut Vec<Effect>) {
        let Some(binding) = self.bindings.get_mut(key).filter(|b| b.incarnation() == incarnation) else {
            return;
        };
        let confirm = binding.answer(answer, &lookup_in(&self.targets, key), now);
        if let Some(name) = confirm {
            let target = TargetKey {
                namespace: key.inventory.namespace.clone(),
                name,
            };
            let scopes = self.targets.get(&target).map(Target::scopes).unwrap_or_default();
            effects.extend(scopes.into_iter().map(|scope| Effect::Relist {
                target: target.clone(),
                scope,
            }));
        }
        self.changed_bindings.insert(key.clone());
        self.advance(key, now, effects);
    }

    /// Starts what became due.
    pub fn tick(&mut self, now: Now) -> Vec<Effect> {
        let keys: Vec<BindingKey> = self.bindings.keys().cloned().collect();
        let mut effects = Vec::new();
        for key in keys {
            self.advance(&key, now, &mut effects);
        }
        effects
    }

    /// Nothing will be collected any more: what is left is to be delivered, and the last state recorded.
    pub fn wind_up(&mut self, now: Now) -> Vec<Effect> {
        for binding in self.bindings.values_mut() {
            binding.wind_up(now.monotonic);
        }
        self.tick(now)
    }

    /// When [`Engine::tick`] has something to do, as a monotonic reading; `None` = not before the next event.
    pub fn next_deadline(&self) -> Option<Duration> {
        self.bindings
            .iter()
            .filter_map(|(key, binding)| binding.deadline(&lookup_in(&self.targets, key)))
            .min()
    }

    fn advance(&mut self, key: &BindingKey, now: Now, effects: &mut Vec<Effect>) {
        let Some(binding) = self.bindings.get_mut(key) else {
            return;
        };
        match binding.advance(&lookup_in(&self.targets, key), now) {
            binding::Advance::Nothing => {}
            binding::Advance::Start(command) => effects.push(Effect::Sink {
                binding: key.clone(),
                incarnation: binding.incarnation(),
                command,
            }),
            binding::Advance::Closed => effects.push(Effect::Closed { binding: key.clone() }),
        }
    }

    /// Targets whose report may have changed since the last call, ascending.
    pub fn take_changed_targets(&mut self) -> BTreeSet<TargetKey> {
        std::mem::take(&mut self.changed_targets)
    }

    /// Bindings whose report may have changed since the last call, ascending.
    pub fn take_changed_bindings(&mut self) -> BTreeSet<BindingKey> {
        std::mem::take(&mut self.changed_bindings)
    }
}

fn lookup_in<'a>(
    targets: &'a BTreeMap<TargetKey, Target>,
    binding: &BindingKey,
) -> impl Fn(&Arc<str>) -> Option<&'a Target> + use<'a> {
    let namespace = binding.inventory.namespace.clone();
    move |name| {
        targets.get(&TargetKey {
            namespace: namespace.clone(),
            name: name.clone(),
        })
    }
}

fn bindings_of<'a>(
    bindings: &'a mut BTreeMap<BindingKey, Binding>,
    namespace: &'a str,
) -> impl Iterator<Item = (&'a BindingKey, &'a mut Binding)> {
    bindings
        .iter_mut()
        .filter(move |(key, _)| &*key.inventory.namespace == namespace)
}

fn bindings_keys(bindings: &BTreeMap<BindingKey, Binding>, namespace: &str) -> Vec<BindingKey> {
    bindings
        .keys()
        .filter(|key| &*key.inventory.namespace == namespace)
        .cloned()
        .collect()
}
