//! From an object to a row: paths, expressions and the part of an object they need.

pub mod attribute;
pub mod cel;
pub mod jsonpath;
pub mod mask;
mod size;
