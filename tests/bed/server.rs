//! One server process: start, stop, kill, pause, and start again with the same arguments.

use std::fmt;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use crate::error::LogTail;
use crate::instance::Instance;
use crate::{Error, eventually, process_tree};

/// Starts take a few seconds; this leaves room for a machine that runs many at once.
const START_DEADLINE: Duration = Duration::from_secs(90);
const STOP_DEADLINE: Duration = Duration::from_mins(1);

/// Waits for a word on standard input and only then becomes the server. If the owner dies in
/// between, before the watchdog knows the process, the input ends and nothing is started.
pub(crate) const START_ON_WORD: &str = r#"read -r word && exec "$@" </dev/null"#;

/// The account that a server runs under.
#[derive(Clone, Copy, Debug)]
pub(crate) struct User {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

/// What is needed to start a server, again and again.
pub(crate) struct Launch {
    /// What people call it; also the name of its log file.
    pub(crate) name: &'static str,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// `None`: the account of the test.
    pub(crate) user: Option<User>,
    /// The signal on which it finishes in good order without waiting for its clients.
    pub(crate) stop_signal: Signal,
    /// Whether it answers.
    pub(crate) ready: Box<dyn Fn() -> bool + Send + Sync>,
}

/// A server process that can be stopped and started; killed when dropped.
pub(crate) struct Server {
    launch: Launch,
    log: PathBuf,
    instance: Arc<Instance>,
    running: Mutex<Option<Child>>,
}

impl Server {
    /// Starts the server for the first time and waits until it answers.
    pub(crate) fn launch(instance: &Arc<Instance>, launch: Launch) -> Result<Self, Error> {
        let server = Self {
            log: instance.folder().join(format!("{}.log", launch.name)),
            launch,
            instance: Arc::clone(instance),
            running: Mutex::new(None),
        };
        server.start()?;
        Ok(server)
    }

    /// Starts it with the arguments and data of before, and waits until it answers. A server that
    /// runs already stays as it is.
    pub(crate) fn start(&self) -> Result<(), Error> {
        let mut running = self.running();
        if running.is_none() {
            *running = Some(self.spawn()?);
        }
        let answered = eventually(START_DEADLINE, self.launch.name, || {
            match running.as_mut().map(Child::try_wait) {
                Some(Ok(None)) => (self.launch.ready)().then_some(Ok(())),
                Some(Ok(Some(status))) => Some(Err(format!("ended at its start with {status}"))),
                Some(Err(error)) => Some(Err(format!("cannot be waited for: {error}"))),
                None => Some(Err("was not started".to_owned())),
            }
        });
        let outcome = match answered {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(outcome)) => outcome,
            Err(_) => format!("did not answer within {START_DEADLINE:?}"),
        };
        self.end(&mut running)?;
        Err(self.failure(outcome))
    }

    /// Asks it to finish in good order, and waits until it has.
    pub(crate) fn stop(&self) -> Result<(), Error> {
        let mut running = self.running();
        let Some(child) = running.as_mut() else {
            return Ok(());
        };
        process_tree::signal(pid(child), self.launch.stop_signal)?;
        // A paused server would not see the signal.
        process_tree::resume(pid(child))?;
        let ended = eventually(STOP_DEADLINE, self.launch.name, || {
            (!matches!(child.try_wait(), Ok(None))).then_some(())
        });
        let late = ended.is_err();
        self.end(&mut running)?;
        if late {
            return Err(self.failure(format!("did not stop within {STOP_DEADLINE:?} and was killed")));
        }
        Ok(())
    }

    /// Ends it at once, as a crash would, with every process it made.
    pub(crate) fn kill(&self) -> Result<(), Error> {
        self.end(&mut self.running())
    }

    /// Makes it silent: it keeps its connections and accepts new ones, but answers nothing.
    pub(crate) fn pause(&self) -> Result<(), Error> {
        self.running()
            .as_ref()
            .map_or(Ok(()), |child| process_tree::pause(pid(child)))
    }

    /// Lets it answer again.
    pub(crate) fn resume(&self) -> Result<(), Error> {
        self.running()
            .as_ref()
            .map_or(Ok(()), |child| process_tree::resume(pid(child)))
    }

    fn spawn(&self) -> Result<Child, Error> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(&self.log)
            .map_err(Error::io("write", &self.log))?;
        let errors = log.try_clone().map_err(Error::io("write", &self.log))?;
        let mut command = Command::new("sh");
        command
            .args(["-c", START_ON_WORD, self.launch.name])
            .arg(&self.launch.program)
            .args(&self.launch.arguments)
            .current_dir(self.instance.folder())
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(log)
            .stderr(errors);
        if let Some(user) = self.launch.user {
            command.uid(user.uid).gid(user.gid);
        }
        let failed = |action| Error::io(action, Path::new(self.launch.name));
        let mut child = command.spawn().map_err(failed("start"))?;
        self.instance.watch(child.id())?;
        if let Some(mut word) = child.stdin.take() {
            word.write_all(b"start\n").map_err(failed("start"))?;
        }
        Ok(child)
    }

    fn end(&self, running: &mut Option<Child>) -> Result<(), Error> {
        let Some(mut child) = running.take() else {
            return Ok(());
        };
        let ended = matches!(child.try_wait(), Ok(Some(_)));
        if !ended {
            process_tree::kill(pid(&child))?;
        }
        child
            .wait()
            .map_err(Error::io("wait for", Path::new(self.launch.name)))?;
        self.instance.forget(child.id())
    }

    fn failure(&self, outcome: String) -> Error {
        Error::Server {
            server: self.launch.name,
            outcome,
            log: LogTail::of_file(&self.log),
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Child>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // What cannot be ended here is ended by the watchdog, which goes next.
        drop(self.kill());
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("name", &self.launch.name)
            .field("log", &self.log)
            .finish_non_exhaustive()
    }
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}
