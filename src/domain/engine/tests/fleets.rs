//! Whatever happens to targets, views and the sink, in whatever order: no object that should be shown vanishes, and in
//! the end the sink holds what a simple model says.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;

use super::fleet::{Failure, Fleet};
use crate::aggregate::view::View;
use crate::fault::ErrorClass;

const TARGETS: [&str; 3] = ["a", "b", "c"];
const NAMESPACES: [&str; 3] = ["blog", "default", "shop"];

/// Something that happens.
#[derive(Debug, Clone)]
enum Happening {
    /// An object is created, with a subset of the targets, or changed.
    Put(u8, u8, u8),
    Break(u8),
    Delete(u8),
    /// A list of a target runs to its end, and its watch goes on.
    List(usize),
    /// A list shows everything and fails; its watch is lost.
    BrokenList(usize),
    /// A list shows everything and does not end yet.
    SlowList(usize),
    Register(usize),
    Hold(usize),
    Remove(usize),
    View {
        targets: Option<u8>,
        namespaces: Option<u8>,
        dedupe: bool,
    },
    Restart,
    /// The next delivery fails; it may have been committed.
    Fail(u8, bool),
    /// The sink answers at once, or only when it is asked.
    Slow(bool),
    Serve,
    Wait(u16),
}

fn happening() -> impl Strategy<Value = Happening> {
    let object = 0_u8..12;
    let target = 0..TARGETS.len();
    prop_oneof![
        12 => (object.clone(), 0_u8..3, 1_u8..8).prop_map(|(o, n, t)| Happening::Put(o, n, t)),
        2 => object.clone().prop_map(Happening::Break),
        5 => object.prop_map(Happening::Delete),
        6 => target.clone().prop_map(Happening::List),
        2 => target.clone().prop_map(Happening::BrokenList),
        2 => target.clone().prop_map(Happening::SlowList),
        3 => target.clone().prop_map(Happening::Register),
        1 => target.clone().prop_map(Happening::Hold),
        1 => target.prop_map(Happening::Remove),
        4 => view(),
        1 => Just(Happening::Restart),
        2 => (0_u8..3, any::<bool>()).prop_map(|(c, a)| Happening::Fail(c, a)),
        1 => any::<bool>().prop_map(Happening::Slow),
        4 => Just(Happening::Serve),
        3 => (0_u16..20_000).prop_map(Happening::Wait),
    ]
}

fn view() -> impl Strategy<Value = Happening> {
    let subset = || proptest::option::of(0_u8..8);
    (subset(), subset(), any::<bool>()).prop_map(|(targets, namespaces, dedupe)| Happening::View {
        targets,
        namespaces,
        dedupe,
    })
}

fn subset<'a>(names: &'a [&'static str], bits: u8) -> impl Iterator<Item = &'static str> + 'a {
    names
        .iter()
        .enumerate()
        .filter(move |(i, _)| bits >> i & 1 == 1)
        .map(|(_, name)| *name)
}

struct Run {
    fleet: Fleet,
    /// Targets whose watch reports changes.
    watching: BTreeSet<&'static str>,
    /// How often each object was deleted: a new one has another uid.
    lives: [u32; 12],
}

impl Run {
    fn uid(&self, object: u8) -> String {
        format!("o{object:02}-{}", self.lives[usize::from(object)])
    }

    fn report(&mut self, uid: &str) {
        for target in self.watching.clone() {
            self.fleet.report(target, uid);
        }
    }

    fn happen(&mut self, happening: &Happening) {
        match *happening {
            Happening::Put(object, namespace, bits) => {
                let uid = self.uid(object);
                if let Some(known) = self.fleet.objects.get_mut(uid.as_str()) {
                    known.value += 1;
                    known.broken = false;
                } else {
                    let targets: Vec<&'static str> = subset(&TARGETS, bits).collect();
                    self.fleet.put(&uid, NAMESPACES[usize::from(namespace)], &targets);
                }
                self.report(&uid);
            }
            Happening::Break(object) => {
                let uid = self.uid(object);
                if let Some(known) = self.fleet.objects.get_mut(uid.as_str()) {
                    known.broken = true;
                    self.report(&uid);
                }
            }
            Happening::Delete(object) => {
                let uid = self.uid(object);
                self.fleet.objects.remove(uid.as_str());
                self.report(&uid);
                self.lives[usize::from(object)] += 1;
            }
            Happening::List(target) => {
                self.fleet.list(TARGETS[target]);
                self.watching.insert(TARGETS[target]);
            }
            Happening::BrokenList(target) => {
                self.fleet.list_start(TARGETS[target]);
                self.fleet.fail(TARGETS[target]);
                self.watching.remove(TARGETS[target]);
            }
            Happening::SlowList(target) => {
                self.fleet.list_start(TARGETS[target]);
                self.watching.remove(TARGETS[target]);
            }
            Happening::Register(target) => {
                self.fleet.collect(TARGETS[target]);
                self.watching.remove(TARGETS[target]);
            }
            Happening::Hold(target) => {
                self.fleet.hold(TARGETS[target]);
                self.watching.remove(TARGETS[target]);
            }
            Happening::Remove(target) => {
                self.fleet.remove(TARGETS[target]);
                self.watching.remove(TARGETS[target]);
            }
            Happening::View {
                targets,
                namespaces,
                dedupe,
            } => self.fleet.set_view(View {
                targets: targets.map(|bits| subset(&TARGETS, bits).map(Into::into).collect()),
                namespaces: namespaces.map(|bits| subset(&NAMESPACES, bits).map(str::to_owned).collect()),
                dedupe,
            }),
            Happening::Restart => {
                self.fleet.restart();
                self.watching.clear();
            }
            Happening::Fail(class, applied) => {
                let class = match class {
                    0 => ErrorClass::Transient,
                    1 => ErrorClass::Unavailable,
                    _ => ErrorClass::Throttled {
                        after: Duration::from_secs(3),
                    },
                };
                self.fleet.failures.push_back(Failure { class, applied });
            }
            Happening::Slow(slow) => {
                self.fleet.slow = slow;
                while !slow && self.fleet.serve() {}
            }
            Happening::Serve => {
                self.fleet.serve();
            }
            Happening::Wait(ms) => self.fleet.tick(Duration::from_millis(ms.into())),
        }
    }

    /// The sink works, objects heal, and every target is collected and watched.
    fn calm_down(&mut self) {
        self.happen(&Happening::Slow(false));
        for object in self.fleet.objects.values_mut() {
            object.broken = false;
        }
        for target in TARGETS {
            self.fleet.collect(target);
        }
        for _ in 0..2 {
            for target in TARGETS {
                self.fleet.list(target);
            }
            self.fleet.tick(Duration::from_mins(2));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn any_view_converges_and_no_object_that_is_shown_vanishes(
        happenings in proptest::collection::vec(happening(), 1..80),
    ) {
        let mut run = Run { fleet: Fleet::new(), watching: BTreeSet::new(), lives: [0; 12] };
        for target in TARGETS {
            run.fleet.collect(target);
            run.happen(&Happening::List(0));
        }
        for happening in &happenings {
            run.happen(happening);
        }
        run.calm_down();
        prop_assert_eq!(&run.fleet.lost, &Vec::new());
        run.fleet.assert_level();
    }
}
