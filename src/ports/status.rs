//! Statuses of our own resources.
