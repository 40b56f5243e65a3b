//! The program as a process that ends by itself.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use kollect_testbed::eventually;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_kollect");

/// No run takes as long, on a machine that runs many at once.
const DEADLINE: Duration = Duration::from_mins(5);

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
    /// Most memory that the process had at a time, in bytes.
    pub peak: u64,
}

impl Ended {
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Whether it was killed.
    pub fn was_killed(&self) -> bool {
        self.status.signal().is_some()
    }

    /// Its standard output, if all was collected and nothing but counts was said.
    pub fn complete(self) -> String {
        assert_eq!(self.code(), Some(0), "{self:?}");
        let is_count = |line: &str| line.ends_with(" row(s)");
        assert!(self.stderr.lines().all(is_count), "{}", self.stderr);
        self.stdout
    }

    /// The same for a run that fails: code and words on standard error.
    #[track_caller]
    pub fn failed(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code(), Some(code), "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is missing in: {}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}

/// A command without any setting of the person who runs the tests.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).env_clear();
    // A kubeconfig may name programs, and tests may run where the usual temporary folder is small.
    for name in ["PATH", "TMPDIR"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// Runs it to its end.
pub fn kollect(arguments: &[&str]) -> Ended {
    Running::start(&mut command(arguments)).end()
}

/// Runs it to its end with `input` as standard input.
pub fn kollect_with_input(arguments: &[&str], input: &str) -> Ended {
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, input.as_bytes()).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    Running::start_with(&mut command(arguments), file.into()).end()
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// `sqlite:FILE`.
pub fn sqlite(file: &Path) -> String {
    format!("sqlite:{}", text(file))
}

/// A run; it is killed if the test ends before it.
pub struct Running {
    child: Child,
    stdout: File,
    stderr: File,
    started: Instant,
    peak: u64,
}

impl Running {
    pub fn start(command: &mut Command) -> Self {
        Self::start_with(command, Stdio::null())
    }

    fn start_with(command: &mut Command, stdin: Stdio) -> Self {
        // Files, since a pipe would have to be read while the program runs.
        let (stdout, stderr) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        let child = command
            .stdin(stdin)
            .stdout(stdout.try_clone().unwrap())
            .stderr(stderr.try_clone().unwrap())
            .spawn()
            .unwrap();
        Self {
            child,
            stdout,
            stderr,
            started: Instant::now(),
            peak: 0,
        }
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub fn signal(&self, name: &str) {
        signal(&self.child.id().to_string(), name);
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        let status = eventually(DEADLINE, "the program ends", || {
            let peak = peak(self.child.id());
            self.peak = self.peak.max(peak);
            self.child.try_wait().unwrap()
        });
        let took = self.started.elapsed();
        let (stdout, stderr) = (content(&mut self.stdout), content(&mut self.stderr));
        let status = status.unwrap_or_else(|error| panic!("{error}; it said: {stderr}"));
        Ended {
            status,
            stdout,
            stderr,
            took,
            peak: self.peak,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal; a process that has just ended is no failure.
pub fn signal(pid: &str, name: &str) {
    Command::new("kill")
        .args([&format!("-{name}"), pid])
        .stderr(Stdio::null())
        .status()
        .unwrap();
}

/// Peak of the resident memory so far; 0 where the system does not tell, or of a process that ended.
fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let kilobytes = status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?
            .trim()
            .strip_suffix(" kB")?
            .parse::<u64>()
            .ok()
    });
    kilobytes.unwrap_or(0) * 1024
}

fn content(file: &mut File) -> String {
    let mut content = String::new();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.read_to_string(&mut content).unwrap();
    content
}

/// Runs a line of shell that calls the program as `$0`, with `arguments` as `$1` and so on.
pub fn shell(line: &str, arguments: &[&OsStr]) -> Ended {
    let mut shell = Command::new("sh");
    shell.args(["-c", line, PROGRAM]).args(arguments);
    Running::start(&mut shell).end()
}
