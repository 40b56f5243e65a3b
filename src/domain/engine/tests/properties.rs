//! Whatever happens, in whatever order: no row of a live object is deleted, and in the end the sink equals the cluster.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::world::{Object, World};
use crate::fault::ErrorClass;

/// Something that happens.
#[derive(Debug, Clone)]
enum Happening {
    /// An object is created or changed, and the watch reports it if it is up.
    Change(u8, u64),
    /// An object's extraction starts to fail.
    Break(u8),
    /// An object is deleted.
    Delete(u8),
    /// A list runs to its end.
    List,
    /// A list starts, shows some objects and fails.
    BrokenList,
    /// The watch is lost; changes go unseen until the next list.
    LoseWatch,
    /// The operator is killed and comes back.
    Restart,
    /// The profile is edited.
    Redefine,
    /// The next delivery fails; it may have been committed.
    FailDelivery(u8, bool),
    /// Time passes.
    Wait(u16),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        8 => (0_u8..40, 0_u64..4).prop_map(|(o, v)| Happening::Change(o, v)),
        2 => (0_u8..40).prop_map(Happening::Break),
        5 => (0_u8..40).prop_map(Happening::Delete),
        3 => Just(Happening::List),
        2 => Just(Happening::BrokenList),
        1 => Just(Happening::LoseWatch),
        1 => Just(Happening::Restart),
        1 => Just(Happening::Redefine),
        2 => (0_u8..3, any::<bool>()).prop_map(|(c, a)| Happening::FailDelivery(c, a)),
        2 => (0_u16..30_000).prop_map(Happening::Wait),
    ]
}

#[derive(Debug)]
struct Run {
    world: World,
    /// Whether changes are reported as they happen.
    watching: bool,
    /// How often each object was deleted: an object that is created again under its name has another uid.
    lives: BTreeMap<u8, u32>,
}

impl Run {
    fn new() -> Self {
        Self {
            world: World::new(),
            watching: false,
            lives: BTreeMap::new(),
        }
    }

    fn uid(&self, object: u8) -> String {
        format!("o{object:04}-{}", self.lives.get(&object).unwrap_or(&0))
    }

    fn happen(&mut self, happening: &Happening) {
        match *happening {
            Happening::Change(object, value) => {
                let uid = self.uid(object);
                self.world.put(&uid, value);
                self.report(&uid);
            }
            Happening::Break(object) => {
                let uid = self.uid(object);
                self.world.objects.insert(uid.as_str().into(), Object::Broken);
                self.report(&uid);
            }
            Happening::Delete(object) => {
                let uid = self.uid(object);
                self.world.objects.remove(uid.as_str());
                self.report(&uid);
                *self.lives.entry(object).or_default() += 1;
            }
            Happening::List => {
                self.world.list();
                self.watching = true;
            }
            Happening::BrokenList => {
                self.world.list_start();
                self.world.fail("stream broke");
                self.watching = false;
            }
            Happening::LoseWatch => self.watching = false,
            Happening::Restart => {
                self.world.restart();
                self.watching = false;
            }
            Happening::Redefine => {
                self.world.redefine();
                self.watching = false;
            }
            Happening::FailDelivery(class, applied) => {
                let class = match class {
                    0 => ErrorClass::Transient,
                    1 => ErrorClass::Unavailable,
                    _ => ErrorClass::Throttled {
                        after: Duration::from_secs(3),
                    },
                };
                self.world.fail_next(class, applied);
            }
            Happening::Wait(ms) => self.world.tick(Duration::from_millis(ms.into())),
        }
    }

    fn report(&mut self, uid: &str) {
        if self.watching {
            self.world.report(uid);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn the_sink_converges_and_never_loses_a_live_object(happenings in proptest::collection::vec(happening(), 1..80)) {
        let mut run = Run::new();
        for happening in happenings {
            run.happen(&happening);
        }
        // The world calms down: the watch is back, the sink works, broken objects heal.
        let world = &mut run.world;
        let broken: Vec<_> = world
            .objects
            .iter()
            .filter(|(_, object)| **object == Object::Broken)
            .map(|(uid, _)| uid.clone())
            .collect();
        for uid in broken {
            world.put(&uid, 7);
        }
        world.tick(Duration::from_mins(2));
        world.list();
        world.tick(Duration::from_mins(2));
        world.list();
        world.tick(Duration::from_mins(2));
        prop_assert_eq!(&world.wrongly_deleted, &Vec::new());
        world.assert_level();
    }

    /// Rows from any history of events and a final list equal rows built from scratch.
    #[test]
    fn any_order_of_events_followed_by_a_relist_equals_building_from_scratch(
        happenings in proptest::collection::vec(happening(), 0..60),
    ) {
        let mut run = Run::new();
        for happening in happenings {
            run.happen(&happening);
        }
        let world = &mut run.world;
        world.objects.retain(|_, object| *object != Object::Broken);
        world.list();
        world.list();
        prop_assert_eq!(world.target_report().rows, u64::try_from(world.objects.len()).unwrap());
        prop_assert_eq!(world.target_report().failures, 0);
    }
}
