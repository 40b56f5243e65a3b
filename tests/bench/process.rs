//! What the system says about a process.
//!
//! **Source**: Linux `proc(5)`.

use std::time::Duration;

use crate::error::Error;

/// Memory of a process. **Units**: bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Resident now.
    pub resident: u64,
    /// Most that was ever resident.
    pub peak: u64,
}

/// How much memory a process has and had.
///
/// # Errors
/// [`Error::Io`] when the process has ended.
pub fn memory(pid: u32) -> Result<Memory, Error> {
    let status = read(&format!("/proc/{pid}/status"))?;
    let field = |name| kibibytes(&status, name).map(|kibibytes| kibibytes * 1024);
    field("VmRSS:")
        .zip(field("VmHWM:"))
        .map(|(resident, peak)| Memory { resident, peak })
        .ok_or_else(|| incomplete("status"))
}

/// How long a process has been computing, in its own code and in the system for it.
///
/// # Errors
/// [`Error::Io`] when the process has ended.
pub fn cpu(pid: u32) -> Result<Duration, Error> {
    let stat = read(&format!("/proc/{pid}/stat"))?;
    let ticks = ticks(&stat).ok_or_else(|| incomplete("stat"))?;
    let per_second = rustix::param::clock_ticks_per_second();
    Ok(Duration::from_millis(ticks * 1_000 / per_second.max(1)))
}

fn read(path: &str) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(Error::io(format!("read {path}")))
}

fn incomplete(file: &str) -> Error {
    Error::io(format!("read the {file} of the operator's process"))(std::io::ErrorKind::InvalidData.into())
}

fn kibibytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with(name))?;
    line[name.len()..].trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Fields 14 and 15, `utime` and `stime`. The second field is the name, which may contain blanks and parentheses.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11);
    let user: u64 = times.next()?.parse().ok()?;
    let system: u64 = times.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_system_time_are_added_whatever_the_process_is_called() {
        let stat = "42 (a) b (c) S 1 42 42 0 -1 4194304 100 0 0 0 120 30 7 7 20 0 1 0 5 6 7";
        assert_eq!(ticks(stat), Some(150));
        assert_eq!(ticks("42 (cut"), None);
    }

    #[test]
    fn memory_is_read_from_the_line_of_its_name() {
        let status = "Name:\tkollect\nVmHWM:\t   61440 kB\nVmRSS:\t   25600 kB\n";
        assert_eq!(kibibytes(status, "VmRSS:"), Some(25_600));
        assert_eq!(kibibytes(status, "VmHWM:"), Some(61_440));
        assert_eq!(kibibytes(status, "VmSwap:"), None);
    }

    #[test]
    fn this_process_has_memory_and_its_peak_is_no_less() {
        let memory = memory(std::process::id()).unwrap();
        assert!(memory.resident > 0 && memory.peak >= memory.resident, "{memory:?}");
        assert!(cpu(std::process::id()).is_ok());
    }
}
