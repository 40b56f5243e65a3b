//! The operator's process: started, waited for, stopped; killed when dropped.

use std::env;
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::error::Error;

/// Pause between two looks at the same thing.
const PAUSE: Duration = Duration::from_millis(5);
/// A look that costs the servers time is taken more rarely: waiting must not slow down what is waited for.
const PAUSE_PER_LOOK: u32 = 4;
/// The operator finishes deliveries for 20 s at most.
const STOP_LIMIT: Duration = Duration::from_secs(40);
const LOG_LINES: usize = 20;

/// A running operator.
#[derive(Debug)]
pub struct Operator {
    child: Child,
    pid: u32,
    probes: SocketAddr,
    log: PathBuf,
    started: Instant,
}

impl Operator {
    /// Starts it; its log goes to a file in `folder`.
    ///
    /// # Errors
    /// [`Error::Io`] when the program cannot be run.
    pub async fn start(program: &Path, kubeconfig: &Path, folder: &Path) -> Result<Self, Error> {
        let log = folder.join("operator.log");
        let output = File::create(&log).map_err(Error::io("write the operator's log"))?;
        let errors = output.try_clone().map_err(Error::io("write the operator's log"))?;
        let probes = free_address().await?;
        let mut command = Command::new(program);
        command
            .args(["operator", "--endpoint-allow=127.0.0.0/8"])
            .arg(format!("--health-probe-bind-address={probes}"))
            .arg("--kubeconfig")
            .arg(kubeconfig)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .kill_on_drop(true);
        // A person's own settings must not change what is measured.
        for (name, _) in env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"KOLLECT_") {
                command.env_remove(name);
            }
        }
        let started = Instant::now();
        let child = command.spawn().map_err(Error::io("start the operator"))?;
        Ok(Self {
            pid: child.id().unwrap_or_default(),
            child,
            probes,
            log,
            started,
        })
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The moment before the process was made.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Looks again and again until there is something to see.
    ///
    /// # Errors
    /// [`Error::Deadline`] after `limit`, [`Error::Operator`] when the process ends, and what `look` reports.
    pub async fn until<T>(
        &mut self,
        what: &str,
        limit: Duration,
        mut look: impl AsyncFnMut() -> Result<Option<T>, Error>,
    ) -> Result<T, Error> {
        let waiting = Instant::now();
        loop {
            let before = Instant::now();
            if let Some(seen) = look().await? {
                return Ok(seen);
            }
            if let Some(status) = self.child.try_wait().map_err(Error::io("look at the operator"))? {
                return Err(self.failed(format!("ended by itself with {status}")));
            }
            if waiting.elapsed() > limit {
                return Err(self.late(what, limit));
            }
            sleep(PAUSE.max(before.elapsed() * PAUSE_PER_LOOK)).await;
        }
    }

    /// Whether the readiness probe says yes.
    pub async fn is_ready(probes: SocketAddr) -> bool {
        let ask = async {
            let mut stream = TcpStream::connect(probes).await?;
            stream
                .write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                .await?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await?;
            Ok::<String, std::io::Error>(answer)
        };
        // While the process starts nobody listens; that is a no.
        matches!(timeout(Duration::from_secs(5), ask).await, Ok(Ok(answer)) if answer.starts_with("HTTP/1.1 200"))
    }

    /// Where its probes are.
    pub fn probes(&self) -> SocketAddr {
        self.probes
    }

    /// Asks it to stop and waits until it has.
    ///
    /// # Errors
    /// [`Error::Operator`] when it reports a failure or does not stop in time.
    pub async fn stop(mut self) -> Result<(), Error> {
        if let Some(pid) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) {
            kill_process(pid, Signal::TERM)
                .map_err(std::io::Error::from)
                .map_err(Error::io("stop the operator"))?;
        }
        match timeout(STOP_LIMIT, self.child.wait()).await {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(self.failed(format!("stopped with {status}"))),
            Ok(Err(error)) => Err(Error::io("wait for the operator")(error)),
            Err(_) => Err(self.failed(format!("did not stop within {STOP_LIMIT:?}"))),
        }
    }

    /// That something did not come true in time.
    pub fn late(&self, what: &str, limit: Duration) -> Error {
        Error::Deadline {
            what: what.to_owned(),
            limit,
            log: self.log_tail(),
        }
    }

    /// That an object has no row.
    pub fn missing(&self, object: &str) -> Error {
        self.failed(format!("wrote no row of {object}"))
    }

    fn failed(&self, outcome: String) -> Error {
        Error::Operator {
            outcome,
            log: self.log_tail(),
        }
    }

    fn log_tail(&self) -> String {
        match std::fs::read_to_string(&self.log) {
            Ok(text) => {
                let lines: Vec<&str> = text.lines().collect();
                lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
            }
            Err(error) => format!("(the log cannot be read: {error})"),
        }
    }
}

/// An address that nobody listens on now.
async fn free_address() -> Result<SocketAddr, Error> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    listener
        .and_then(|listener| listener.local_addr())
        .map_err(Error::io("find a free port"))
}
