//! Errors of ports: the domain's faults, under the name that fits here.

pub use kollect_domain::fault::{ErrorClass, Fault as PortError};
