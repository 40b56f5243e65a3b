//! Rows in memory, and how they differ from what each sink holds.
//!
//! [`rows`] holds the rows of one target; [`difference`] the keys in which one sink is known to differ from them.
//! [`view`] says which rows an inventory shows of its targets.
//! The invariant between them: a sink holds exactly the row that is shown of every key that is not in its difference.

pub mod difference;
pub mod rows;
pub mod scope;
pub mod sums;
pub mod unjudged;
pub mod view;
