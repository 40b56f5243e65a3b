//! The `kollect` binary.

fn main() {}
