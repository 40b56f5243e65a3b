//! A server and the processes it made, which may be in process groups of their own.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::{Error, command, eventually};

/// Long enough for a loaded machine to tear down killed processes.
const END_DEADLINE: Duration = Duration::from_secs(20);

/// The direct children of a process that still run; a server's workers have no children.
fn running_children(parent: Pid) -> Result<Vec<Pid>, Error> {
    Ok(table()?
        .into_iter()
        .filter(|row| row.parent == parent.as_raw_pid() && !row.ended)
        .filter_map(|row| Pid::from_raw(row.pid))
        .collect())
}

/// Stops the execution of a process and its children; they keep their connections and say nothing.
pub(crate) fn pause(parent: Pid) -> Result<(), Error> {
    // The parent first: then it makes no more children while they are listed.
    signal(parent, Signal::STOP)?;
    for child in running_children(parent)? {
        signal(child, Signal::STOP)?;
    }
    Ok(())
}

/// Continues what [`pause`] stopped.
pub(crate) fn resume(parent: Pid) -> Result<(), Error> {
    for child in running_children(parent)? {
        signal(child, Signal::CONT)?;
    }
    signal(parent, Signal::CONT)
}

/// Kills a process and its children at once and waits until the children are gone.
///
/// The caller waits for the parent, which is its own child.
pub(crate) fn kill(parent: Pid) -> Result<(), Error> {
    signal(parent, Signal::STOP)?;
    let children = running_children(parent)?;
    signal(parent, Signal::KILL)?;
    for &child in &children {
        signal(child, Signal::KILL)?;
    }
    let numbers: Vec<i32> = children.iter().map(|child| child.as_raw_pid()).collect();
    eventually(END_DEADLINE, "killed processes are gone", || {
        let still = |rows: Vec<Row>| rows.iter().any(|row| numbers.contains(&row.pid) && !row.ended);
        match table() {
            Ok(rows) => (!still(rows)).then_some(Ok(())),
            Err(error) => Some(Err(error)),
        }
    })?
}

/// Sends a signal; a process that has just ended is no failure.
pub(crate) fn signal(pid: Pid, signal: Signal) -> Result<(), Error> {
    match kill_process(pid, signal) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(Error::io("signal", Path::new("a server"))(error.into())),
    }
}

struct Row {
    pid: i32,
    parent: i32,
    /// Ended, and only waiting for its parent to notice.
    ended: bool,
}

fn table() -> Result<Vec<Row>, Error> {
    let mut ps = Command::new("ps");
    ps.args(["-A", "-o", "pid=", "-o", "ppid=", "-o", "stat="]);
    let printed = command::output(ps, "ps", None)?;
    Ok(printed.lines().filter_map(row).collect())
}

fn row(line: &str) -> Option<Row> {
    let mut words = line.split_whitespace();
    Some(Row {
        pid: words.next()?.parse().ok()?,
        parent: words.next()?.parse().ok()?,
        ended: words.next()?.starts_with('Z'),
    })
}
