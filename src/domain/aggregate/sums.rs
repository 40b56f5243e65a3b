//! How many rows a target has in each namespace, and the sum of their digests.

use std::collections::HashMap;

use crate::row::Row;

/// Rows of one namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sum {
    /// How many.
    pub rows: u64,
    /// Sum of their digests; equal rows give equal sums, in any order.
    pub checksum: u128,
}

impl Sum {
    /// One row.
    pub fn of(row: &Row) -> Self {
        Self {
            rows: 1,
            checksum: u128::from_be_bytes(*row.digest().as_bytes()),
        }
    }

    /// Adds a row.
    pub fn add(&mut self, row: &Row) {
        *self = self.plus(Self::of(row));
    }

    /// Takes a row away that was added.
    pub fn take(&mut self, row: &Row) {
        let Self { rows, checksum } = Self::of(row);
        self.rows -= rows;
        self.checksum = self.checksum.wrapping_sub(checksum);
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            checksum: self.checksum.wrapping_add(other.checksum),
        }
    }
}

/// Rows by the namespace that they name as their target's; namespaces without rows are not listed.
#[derive(Debug, Default)]
pub struct Sums(HashMap<Box<str>, Sum>);

impl Sums {
    /// Adds a row.
    pub fn add(&mut self, row: &Row) {
        let namespace = row.target_namespace();
        // Looked up first: nearly always the namespace is known, and nothing is allocated.
        match self.0.get_mut(namespace) {
            Some(sum) => sum.add(row),
            None => self.0.entry(namespace.into()).or_default().add(row),
        }
    }

    /// Takes a row away that was added.
    pub fn take(&mut self, row: &Row) {
        let namespace = row.target_namespace();
        if let Some(sum) = self.0.get_mut(namespace) {
            sum.take(row);
            if sum.rows == 0 {
                self.0.remove(namespace);
            }
        }
    }

    /// The namespaces with rows, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Sum)> {
        self.0.iter().map(|(namespace, sum)| (&**namespace, *sum))
    }

    /// The rows of one namespace.
    pub fn of(&self, namespace: &str) -> Sum {
        self.0.get(namespace).copied().unwrap_or_default()
    }
}
