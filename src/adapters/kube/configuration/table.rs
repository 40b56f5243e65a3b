//! The latest state of one watched kind.

use std::collections::BTreeMap;

use kube::runtime::watcher::Event;

/// Something whose changes matter only in part.
pub trait Definition {
    /// Whether nothing changed that anybody acts on.
    fn is_same(&self, other: &Self) -> bool;
}

/// Rows by key; a relist is built aside and then replaces what was there.
#[derive(Debug)]
pub struct Table<K, V> {
    rows: BTreeMap<K, V>,
    relist: Option<BTreeMap<K, V>>,
    complete: bool,
    refused: Option<String>,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            relist: None,
            complete: false,
            refused: None,
        }
    }
}

impl<K: Ord, V: Definition> Table<K, V> {
    /// Takes an event; true if the rows may be others now, or are complete for the first time.
    pub fn apply<O>(&mut self, event: Event<O>, row: impl Fn(&O) -> (K, V)) -> bool {
        match event {
            Event::Init => {
                self.relist = Some(BTreeMap::new());
                false
            }
            Event::InitApply(object) => {
                let (key, value) = row(&object);
                self.relist.get_or_insert_with(BTreeMap::new).insert(key, value);
                false
            }
            Event::InitDone => {
                let rows = self.relist.take().unwrap_or_default();
                let changed = !self.complete || !is_same(&rows, &self.rows);
                self.rows = rows;
                self.complete = true;
                self.refused = None;
                changed
            }
            Event::Apply(object) => {
                let (key, value) = row(&object);
                let before = self.rows.get(&key);
                let changed = before.is_none_or(|before| !before.is_same(&value));
                self.rows.insert(key, value);
                changed
            }
            Event::Delete(object) => self.rows.remove(&row(&object).0).is_some(),
        }
    }

    /// Takes that the kind may not be read; true if that is new. What was read before stays.
    pub fn refuse(&mut self, why: String) -> bool {
        let why = (!self.complete).then_some(why);
        let changed = why.is_some() && self.refused.is_none();
        self.refused = why;
        changed
    }

    /// Why the kind could never be read.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// True once a list was finished.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The rows.
    pub fn rows(&self) -> &BTreeMap<K, V> {
        &self.rows
    }
}

fn is_same<K: Ord, V: Definition>(a: &BTreeMap<K, V>, b: &BTreeMap<K, V>) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((ka, va), (kb, vb))| ka == kb && va.is_same(vb))
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Definition for String {
        fn is_same(&self, other: &Self) -> bool {
            self.eq_ignore_ascii_case(other)
        }
    }

    fn row(object: &(u8, &'static str)) -> (u8, String) {
        (object.0, object.1.to_owned())
    }

    #[test]
    fn rows_of_an_unfinished_relist_are_not_shown_and_what_it_misses_is_gone() {
        let mut table = Table::default();
        assert!(!table.apply(Event::Init, row));
        assert!(!table.apply(Event::InitApply((1, "a")), row));
        assert!(!table.is_complete());
        assert!(table.apply(Event::InitDone, row));
        assert!(table.apply(Event::Apply((2, "b")), row));
        table.apply(Event::Init, row);
        table.apply(Event::InitApply((2, "b")), row);
        assert_eq!(table.rows().len(), 2);
        assert!(table.apply(Event::InitDone, row));
        assert_eq!(table.rows(), &[(2, "b".to_owned())].into());
    }

    #[test]
    fn only_what_really_changed_counts_as_a_change() {
        let mut table = Table::default();
        table.apply(Event::Init, row);
        assert!(
            table.apply(Event::<(u8, &'static str)>::InitDone, row),
            "complete for the first time"
        );
        assert!(table.apply(Event::Apply((1, "a")), row));
        assert!(!table.apply(Event::Apply((1, "A")), row), "nobody acts on this change");
        assert_eq!(
            table.rows(),
            &[(1, "A".to_owned())].into(),
            "but the latest state is kept"
        );
        assert!(table.apply(Event::Apply((1, "b")), row));
        assert!(table.apply(Event::Delete((1, "z")), row));
        assert!(!table.apply(Event::Delete((1, "a")), row));
    }
}
