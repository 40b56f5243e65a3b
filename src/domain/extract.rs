//! From an object to a row: paths, expressions and the part of an object they need.

pub mod attribute;
pub mod cel;
pub mod embed;
pub mod helm;
pub mod jsonpath;
pub mod mask;
pub mod pointer;
pub mod prune;
mod size;
