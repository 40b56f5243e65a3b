//! A real browser without a screen.

mod session;

use std::env;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::error::LogTail;
use crate::installation::{bed_folder, program, search_path};
use crate::instance::Instance;
use crate::server::START_ON_WORD;
use crate::{Error, eventually, process_tree};
use session::Session;

const SERVER: &str = "chromium";
/// Names a browser that exists already.
const VARIABLE: &str = "KOLLECT_TEST_CHROMIUM";
/// A page takes about a second; this leaves room for a machine that runs many at once.
const VISIT_DEADLINE: Duration = Duration::from_mins(1);

/// As [`START_ON_WORD`], with the pipe on the two descriptors where the browser looks for commands.
const START_ON_WORD_WITH_PIPE: &str = r#"read -r word && exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

/// What every visit has: nothing of the person's, nothing in the background, and the console on the error stream.
///
/// The sandbox needs rights that containers seldom have; the pages are our own.
const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--enable-logging=stderr",
    "--log-level=0",
];

/// A browser; each visit is a process of its own with an empty profile, which ends with the visit.
#[derive(Debug)]
pub struct Chromium {
    program: PathBuf,
}

/// What a visit found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// The document after its scripts ran, as HTML.
    pub document: String,
    /// What the browser wrote to its console: errors of scripts, and what a content security policy stopped.
    pub console: Vec<String>,
}

/// Whether a page may run scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    /// As most people browse.
    Run,
    /// As if scripts did not exist.
    Off,
}

/// How a picture is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Width in pixels; a window is never narrower than 500.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Whether the reader prefers dark colours.
    pub dark: bool,
}

impl Chromium {
    /// The browser that `KOLLECT_TEST_CHROMIUM` names, else the installed one.
    ///
    /// # Errors
    /// [`Error::NotInstalled`] when there is none.
    pub fn find() -> Result<Self, Error> {
        let program = match env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
            Some(path) => path.into(),
            None => program(SERVER, "chromium", [bed_folder()?].into_iter().chain(search_path()))?,
        };
        Ok(Self { program })
    }

    /// Opens a page and waits until it is loaded.
    ///
    /// # Errors
    /// [`Error::Server`] when the browser fails or does not end in time.
    pub fn visit(&self, url: &str, scripts: Scripts) -> Result<Visit, Error> {
        let instance = Instance::create(None)?;
        let log = log(&instance);
        let mut command = self.command(&instance, START_ON_WORD_WITH_PIPE, &["--remote-debugging-pipe"])?;
        let mut child = start(&instance, command.stdout(Stdio::piped()))?;
        let (Some(commands), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            end(&instance, &mut child)?;
            return Err(failure("has no pipe".to_owned(), &log));
        };
        let mut session = Session::new(commands, answers, Instant::now() + VISIT_DEADLINE);
        let document = session.document(url, scripts);
        let closed = session.close();
        let ended = end(&instance, &mut child);
        let document = document?.ok_or_else(|| failure(format!("shows no document of {url}"), &log))?;
        closed?;
        ended?;
        Ok(Visit {
            document,
            console: console(&read(&log)?),
        })
    }

    /// Takes a picture of a page, as a PNG file.
    ///
    /// # Errors
    /// [`Error::Server`] when the browser fails, does not end in time, or writes no picture.
    pub fn picture(&self, url: &str, look: Look, file: &Path) -> Result<(), Error> {
        let instance = Instance::create(None)?;
        let picture = instance.folder().join("picture.png");
        let screenshot = format!("--screenshot={}", picture.display());
        let size = format!("--window-size={},{}", look.width, look.height);
        let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!look.dark));
        let mut command = self.command(&instance, START_ON_WORD, &[&screenshot, &size, &scheme, url])?;
        let mut child = start(&instance, command.stdout(Stdio::null()))?;
        end(&instance, &mut child)?;
        if !picture.exists() {
            return Err(failure("wrote no picture".to_owned(), &log(&instance)));
        }
        fs::copy(&picture, file).map_err(Error::io("write", file))?;
        Ok(())
    }

    fn command(&self, instance: &Instance, start: &str, flags: &[&str]) -> Result<Command, Error> {
        let log = log(instance);
        let mut command = Command::new("sh");
        command
            .args(["-c", start, SERVER])
            .arg(&self.program)
            .args(FLAGS)
            .arg(format!(
                "--user-data-dir={}",
                instance.folder().join("profile").display()
            ))
            .args(flags)
            .current_dir(instance.folder())
            .process_group(0)
            .stdin(Stdio::piped())
            .stderr(File::create(&log).map_err(Error::io("write", &log))?);
        Ok(command)
    }
}

/// Starts a process that ends with its owner.
fn start(instance: &Instance, command: &mut Command) -> Result<Child, Error> {
    let failed = |action| Error::io(action, Path::new(SERVER));
    let mut child = command.spawn().map_err(failed("start"))?;
    instance.watch(child.id())?;
    if let Some(word) = child.stdin.as_mut() {
        word.write_all(b"start\n").map_err(failed("start"))?;
    }
    Ok(child)
}

/// Waits until the browser has ended, and kills it if it does not.
fn end(instance: &Instance, child: &mut Child) -> Result<(), Error> {
    let failed = |action| Error::io(action, Path::new(SERVER));
    let ended = eventually(VISIT_DEADLINE, SERVER, || child.try_wait().transpose());
    let outcome = match ended {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(failure(format!("ended with {status}"), &log(instance))),
        Ok(Err(error)) => Err(failed("wait for")(error)),
        Err(_) => {
            process_tree::kill(Pid::from_child(child))?;
            child.wait().map_err(failed("wait for"))?;
            let outcome = format!("did not end within {VISIT_DEADLINE:?}");
            Err(failure(outcome, &log(instance)))
        }
    };
    instance.forget(child.id())?;
    outcome
}

fn log(instance: &Instance) -> PathBuf {
    instance.folder().join("chromium.log")
}

fn failure(outcome: String, log: &PathBuf) -> Error {
    Error::Server {
        server: SERVER,
        outcome,
        log: LogTail::of_file(log),
    }
}

fn read(path: &Path) -> Result<String, Error> {
    let bytes = fs::read(path).map_err(Error::io("read", path))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What pages wrote to the console, without what the browser says about itself.
fn console(log: &str) -> Vec<String> {
    log.lines()
        .filter_map(|line| line.split_once(":CONSOLE:")?.1.split_once("] "))
        .map(|(_, message)| message.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_messages_of_pages_are_of_the_console() {
        let log = "[1:2:ERROR:dbus/bus.cc:405] Failed to connect\n\
                   [1:1:1201/16:INFO:CONSOLE:7] \"Uncaught Error: [x] y\", source: http://127.0.0.1/a.js (7)\n";
        assert_eq!(
            console(log),
            ["\"Uncaught Error: [x] y\", source: http://127.0.0.1/a.js (7)"]
        );
    }
}
