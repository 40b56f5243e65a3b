//! Which rows of which targets a binding delivers, and what follows when that changes.
//!
//! Where an object is shown once, the rows of one target depend on those of others. They are kept consistent by
//! comparing again the keys that both have: when a row appears or vanishes, when a target's rows begin to be delivered,
//! and when a target is not selected any more.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

use super::link::{Link, LinkState};
use super::{Binding, Lookup};
use crate::aggregate::difference::Held;
use crate::aggregate::rows::{Current, TargetRows};
use crate::aggregate::view::{Rival, View};
use crate::engine::target::Target;

impl Binding {
    /// Shows these rows of these targets from now on.
    pub fn show<'a>(&mut self, view: &Arc<View>, targets: &[Arc<str>], lookup: &impl Lookup<'a>) {
        let before = std::mem::replace(&mut self.view, view.clone());
        let unselected: Vec<Arc<str>> = self
            .links
            .keys()
            .filter(|name| !targets.contains(name))
            .cloned()
            .collect();
        for name in &unselected {
            self.forget_target(name, lookup);
        }
        for name in targets {
            self.links.entry(name.clone()).or_default();
            self.purge.remove(name);
        }
        if before.dedupe != view.dedupe {
            self.links.values_mut().for_each(Link::reset);
        } else if before.namespaces != view.namespaces {
            for (name, link) in &mut self.links {
                if let Some(target) = lookup(name) {
                    compare_again(link, target.rows(), &before, view);
                }
            }
        }
    }

    /// A target does not exist any more, or is not selected: its rows go.
    pub fn forget_target<'a>(&mut self, name: &Arc<str>, lookup: &impl Lookup<'a>) {
        if self.links.remove(name).is_none() {
            return;
        }
        self.refused.retain(|key| key.target != *name);
        self.purge.insert(name.clone());
        if let Some(target) = lookup(name).filter(|_| self.view.dedupe) {
            self.recheck_earlier(name, &target.rows().uids(), lookup);
        }
    }

    /// Targets whose rows win over others', ascending by name; none where every row is shown.
    pub(super) fn rivals<'a>(&self, lookup: &impl Lookup<'a>) -> Vec<Rival<'a>> {
        if !self.view.dedupe {
            return Vec::new();
        }
        let rivals = self.links.iter().filter_map(|(name, link)| {
            let target = lookup(name)?;
            let ready = link.is_ready(target);
            (ready || link.exported).then(|| Rival {
                name: name.clone(),
                rows: target.rows(),
                ready,
            })
        });
        rivals.collect()
    }

    /// Where an object is shown once: earlier targets give way to those whose rows begin to be delivered.
    pub(super) fn note_ready<'a>(&mut self, lookup: &impl Lookup<'a>) {
        if !self.view.dedupe {
            return;
        }
        let mut fresh: Vec<(Arc<str>, &'a Target)> = Vec::new();
        for (name, link) in &mut self.links {
            let Some(target) = lookup(name) else { continue };
            let ready = link.is_ready(target);
            if ready && !link.was_ready {
                fresh.push((name.clone(), target));
            }
            link.was_ready = ready;
            link.exported |= ready;
        }
        for (name, target) in fresh {
            self.recheck_earlier(&name, &target.rows().uids(), lookup);
        }
    }

    /// Compares keys again that targets with an earlier name share with this one.
    pub(super) fn recheck_earlier<'a, 'k>(
        &mut self,
        name: &Arc<str>,
        uids: &(impl Iterator<Item = &'k Arc<str>> + Clone),
        lookup: &impl Lookup<'a>,
    ) {
        let earlier = (Bound::Unbounded, Bound::Excluded(name.clone()));
        for (other, link) in self.links.range_mut(earlier) {
            let Some(target) = lookup(other) else { continue };
            for uid in uids.clone() {
                link.recheck(target, uid);
            }
        }
    }

    /// The next target that must be read back and can be.
    ///
    /// Where an object is shown once, a target waits for those whose rows win over its own, so that a restart does not
    /// write rows that give way a moment later. It does not wait for those that cannot be collected.
    pub(super) fn unread<'a>(&self, lookup: &impl Lookup<'a>) -> Option<(Arc<str>, &'a Target)> {
        for (name, link) in self.links.iter().rev() {
            let Some(target) = lookup(name) else { continue };
            let proven = link.doubted_after.is_none_or(|lists| target.lists_done() > lists);
            if link.state == LinkState::Unread && target.is_deliverable() && proven {
                return Some((name.clone(), target));
            }
            if self.view.dedupe && link.is_awaited(target) {
                return None;
            }
        }
        None
    }
}

/// The choice of namespaces changed: compares the rows again that are shown now and were not, or the other way round.
fn compare_again(link: &mut Link, rows: &TargetRows, before: &View, view: &View) {
    if link.state == LinkState::Reading || link.difference.depends_on_namespaces() || rows.has_rowless() {
        // What the sink holds of objects without a row in memory is known to nobody but the sink.
        link.reset();
    }
    if link.state != LinkState::Live {
        return;
    }
    let changed: BTreeSet<&str> = rows
        .sums()
        .iter()
        .map(|(namespace, _)| namespace)
        .filter(|namespace| before.admits(namespace) != view.admits(namespace))
        .collect();
    if changed.is_empty() {
        return;
    }
    for uid in rows.uids() {
        let Current::Row(row) = rows.current(uid) else { continue };
        let namespace = row.target_namespace();
        if changed.contains(namespace) {
            let held = if before.admits(namespace) {
                Held::Unknown
            } else {
                Held::Nothing
            };
            link.difference.changed(uid, held);
        }
    }
}
