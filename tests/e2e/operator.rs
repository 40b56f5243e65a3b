//! The operator as a process.

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use tempfile::TempDir;

use crate::world::until;

/// Runs the program in the background and kills it when standard input closes, so that it never outlives the test,
/// however that ends. Prints the program's process id and, when it ended, its exit code.
const WATCHDOG: &str = r#"
exec 3<&0
"$@" </dev/null >>"$LOG" 2>&1 3<&- &
pid=$!
echo "$pid"
{ cat <&3 >/dev/null; kill -9 "$pid" 2>/dev/null; } &
wait "$pid"
echo "$?"
"#;

pub struct Operator {
    watchdog: Child,
    output: BufReader<ChildStdout>,
    pid: String,
    health: u16,
    folder: TempDir,
}

impl Operator {
    pub fn start(kubeconfig: &Path, flags: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let health = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut watchdog = Command::new("sh")
            .args(["-c", WATCHDOG, "sh", env!("CARGO_BIN_EXE_kollect"), "operator"])
            .args(["--endpoint-allow", "127.0.0.0/8"])
            .args(["--health-probe-bind-address", &format!("127.0.0.1:{health}")])
            .arg("--kubeconfig")
            .arg(kubeconfig)
            .args(flags)
            .env("LOG", folder.path().join("log"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // The shell reports what it killed, which is no news.
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(watchdog.stdout.take().unwrap());
        let pid = line(&mut output);
        Self {
            watchdog,
            output,
            pid,
            health,
            folder,
        }
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    pub async fn wait_until_ready(&self) {
        let ready = async || {
            let answer = Command::new("curl")
                .args(["-s", "-o", "/dev/null", "-w", "%{http_code}"])
                .arg(format!("http://127.0.0.1:{}/readyz", self.health))
                .output()
                .unwrap();
            (answer.stdout == b"200").then_some(())
        };
        until("the operator is ready", ready).await;
    }

    /// Kills the process without warning.
    pub fn kill(mut self) {
        self.signal("KILL");
        line(&mut self.output);
    }

    /// Asks the process to stop, and returns its exit code.
    pub fn terminate(mut self) -> String {
        self.signal("TERM");
        line(&mut self.output)
    }

    fn signal(&self, name: &str) {
        Command::new("kill")
            .args([&format!("-{name}"), &self.pid])
            .stderr(Stdio::null())
            .status()
            .unwrap();
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        self.signal("KILL");
        drop(self.watchdog.stdin.take());
        // The watchdog ends with the program.
        let _ = self.watchdog.wait();
        if std::thread::panicking() {
            let log = self.log();
            let tail: Vec<&str> = log.lines().rev().take(30).collect();
            let tail = tail.into_iter().rev().collect::<Vec<_>>().join("\n");
            // A closed standard error only costs the hint.
            let _ = writeln!(std::io::stderr(), "end of the operator's log:\n{tail}");
        }
    }
}

fn line(output: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    line.trim().to_owned()
}
