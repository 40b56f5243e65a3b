//! One run of some servers: its folder, and the watchdog that outlives its owner.

use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::Error;
use crate::certificates::hand_over;
use crate::server::User;

/// A folder for the files of some servers, with a watchdog.
///
/// The watchdog is a small process that waits for the end of the process that owns this value,
/// however it ends. Then it kills the servers it was told about and removes the folder. It does
/// the same when this value is dropped.
#[derive(Debug)]
pub(crate) struct Instance {
    folder: PathBuf,
    watchdog: Child,
    orders: Mutex<Option<ChildStdin>>,
}

impl Instance {
    /// Makes the folder, owned by `user` if one is given, and starts its watchdog.
    pub(crate) fn create(user: Option<User>) -> Result<Self, Error> {
        let parent = std::env::temp_dir();
        let folder = tempfile::Builder::new()
            .prefix("kollect-bed-")
            .tempdir()
            .map_err(Error::io("create a folder in", &parent))?;
        hand_over(folder.path(), user)?;
        let mut watchdog = Command::new("sh")
            .args(["-c", include_str!("instance/watchdog.sh"), "watchdog"])
            .arg(folder.path())
            .current_dir(&parent)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(Error::io("start", Path::new("sh")))?;
        let orders = Mutex::new(watchdog.stdin.take());
        // From here on the watchdog removes the folder.
        Ok(Self {
            folder: folder.keep(),
            watchdog,
            orders,
        })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Has the process and its group killed when the owner is gone.
    pub(crate) fn watch(&self, pid: u32) -> Result<(), Error> {
        self.order(&format!("watch {pid}\n"))
    }

    /// The process has ended and its number may soon be somebody else's.
    pub(crate) fn forget(&self, pid: u32) -> Result<(), Error> {
        self.order(&format!("forget {pid}\n"))
    }

    fn order(&self, line: &str) -> Result<(), Error> {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        orders
            .as_mut()
            .map_or(Err(io::ErrorKind::BrokenPipe.into()), |pipe| {
                pipe.write_all(line.as_bytes())
            })
            .map_err(Error::io("write to", Path::new("the watchdog")))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // Closing the pipe is the order to clean up.
        drop(self.orders.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        // Fails only if the watchdog was already waited for, which nothing else does.
        drop(self.watchdog.wait());
    }
}
