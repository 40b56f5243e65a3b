//! Rows in memory, and how they differ from what each sink holds.
//!
//! [`rows`] holds the rows of one target; [`difference`] the keys in which one sink is known to differ from them.
//! The invariant between the two: a sink holds exactly the current row of every key that is not in its difference.

pub mod difference;
pub mod rows;
pub mod scope;
