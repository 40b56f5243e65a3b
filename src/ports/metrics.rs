//! What happened, as typed events; the adapter turns each into metrics.

use std::fmt::Debug;
use std::time::Duration;
