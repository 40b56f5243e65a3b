//! What was read and what could not be.

use std::fmt;
use std::sync::Arc;

/// Problems that are kept with their text; more are only counted.
const KEPT: usize = 100;

/// Where something stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Name of the input, as the user gave it.
    pub input: Arc<str>,
    /// Line, from 1; 0 when no line is known.
    pub line: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            f.write_str(&self.input)
        } else {
            write!(f, "{}:{}", self.input, self.line)
        }
    }
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What is wrong and what to do about it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// What one pass over all inputs found.
///
/// **Shape**: of problems and remarks the first hundred each are kept, and all are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Objects of any kind.
    pub objects: u64,
    /// Objects of kinds that were asked for.
    pub read: u64,
    /// Documents and objects that could not be read: the input is not known whole.
    pub problems: Vec<Problem>,
    /// How many problems there were.
    pub problem_count: u64,
    /// What the user should know although everything was read.
    pub remarks: Vec<Problem>,
    /// How many remarks there were.
    pub remark_count: u64,
}

impl Report {
    /// Adds a problem.
    pub(super) fn problem(&mut self, place: Place, message: impl Into<String>) {
        self.problem_count += 1;
        add(&mut self.problems, place, message.into());
    }

    /// Adds a remark.
    pub(super) fn remark(&mut self, place: Place, message: impl Into<String>) {
        self.remark_count += 1;
        add(&mut self.remarks, place, message.into());
    }

    /// All problems in one sentence.
    pub fn summary(&self) -> String {
        let first = self.problems.first().map(Problem::to_string).unwrap_or_default();
        match self.problem_count {
            0 => String::new(),
            1 => first,
            count => format!("{first}; and {} more problem(s)", count - 1),
        }
    }
}

fn add(list: &mut Vec<Problem>, place: Place, message: String) {
    if list.len() < KEPT {
        list.push(Problem { place, message });
    }
}
