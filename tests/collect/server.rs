//! The program as a server of pages.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use kollect_testbed::eventually;

use crate::program::{PROGRAM, signal};

const SOON: Duration = Duration::from_mins(1);

/// Runs the program in the background and kills it when standard input closes, so that it never outlives the test,
/// however that ends. Prints the program's process id and, when it ended, its exit code.
const WATCHDOG: &str = r#"
exec 3<&0
"$@" </dev/null >"$OUT" 2>"$ERR" 3<&- &
pid=$!
echo "$pid"
{ cat <&3 >/dev/null; kill -9 "$pid" 2>/dev/null; } &
wait "$pid"
echo "$?"
"#;

/// A `kollect ui` or `kollect demo` that answers.
pub struct Server {
    watchdog: Child,
    output: BufReader<ChildStdout>,
    pid: String,
    folder: tempfile::TempDir,
    /// Address of the first page, with a slash at its end.
    pub url: String,
}

impl Server {
    /// Starts it and waits until it says where it serves.
    pub fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        let mut watchdog = Command::new("sh")
            .args(["-c", WATCHDOG, "sh", PROGRAM])
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("TMPDIR", folder.path().join("tmp"))
            .env("OUT", folder.path().join("stdout"))
            .env("ERR", folder.path().join("stderr"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // The shell reports what it killed, which is no news.
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(watchdog.stdout.take().unwrap());
        let pid = line(&mut output);
        let mut server = Self {
            watchdog,
            output,
            pid,
            folder,
            url: String::new(),
        };
        let serving = || Some(server.stderr().split_once("serving ")?.1.split_once('\n')?.0.to_owned());
        let url = eventually(SOON, "the server says where it serves", serving);
        server.url = url.unwrap_or_else(|error| panic!("{error}; it said: {}", server.stderr()));
        server
    }

    pub fn stdout(&self) -> String {
        fs::read_to_string(self.folder.path().join("stdout")).unwrap_or_default()
    }

    pub fn stderr(&self) -> String {
        fs::read_to_string(self.folder.path().join("stderr")).unwrap_or_default()
    }

    /// The program's temporary folder.
    pub fn temporary(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    /// Status and body of a page; `path` is below the first page.
    pub fn get(&self, path: &str) -> (u16, String) {
        let url = format!("{}{path}", self.url);
        let output = Command::new("curl")
            .args(["-sS", "--max-time", "30", "-w", "\n%{http_code}", &url])
            .output()
            .unwrap();
        let answer = String::from_utf8(output.stdout).unwrap();
        let (body, status) = answer.rsplit_once('\n').unwrap();
        (status.parse().unwrap(), body.to_owned())
    }

    /// The body of a page that must be there.
    pub fn page(&self, path: &str) -> String {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// Asks it to stop, and waits for its exit code.
    pub fn stop(&mut self, name: &str) -> String {
        signal(&self.pid, name);
        line(&mut self.output)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.watchdog.stdin.take());
        // The watchdog ends with the program.
        let _ = self.watchdog.wait();
        if std::thread::panicking() {
            // A closed standard error only costs the hint.
            let _ = writeln!(std::io::stderr(), "the server said:\n{}", self.stderr());
        }
    }
}

fn line(output: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    line.trim().to_owned()
}
