//! Running a program to its end.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Error;
use crate::error::LogTail;

/// Runs `command` with `input` and gives what it printed.
///
/// `label` stands for the command in an error, since arguments may hold a password.
///
/// # Errors
/// [`Error::Io`] when it cannot be run, [`Error::Command`] when it reports failure.
pub(crate) fn output(mut command: Command, label: &str, input: Option<&str>) -> Result<String, Error> {
    let program = command.get_program().to_owned();
    let failed = |action| Error::io(action, Path::new(&program));
    let mut child = command
        .stdin(input.map_or_else(Stdio::null, |_| Stdio::piped()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed("run"))?;
    // A second thread writes, so that a long input and a long output cannot block each other.
    let writer = child.stdin.take().zip(input).map(|(mut pipe, input)| {
        let input = input.to_owned();
        std::thread::spawn(move || pipe.write_all(input.as_bytes()))
    });
    let output = child.wait_with_output().map_err(failed("wait for"))?;
    if !output.status.success() {
        return Err(Error::Command {
            program: label.to_owned(),
            status: output.status,
            output: LogTail::of(&output.stderr),
        });
    }
    // A program that succeeded without reading all of its input wanted no more of it.
    drop(writer.map(std::thread::JoinHandle::join));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_longer_than_a_pipe_comes_back_whole() {
        let long = "0123456789".repeat(100_000);
        assert_eq!(output(Command::new("cat"), "cat", Some(&long)).unwrap(), long);
    }

    #[test]
    fn a_failure_shows_the_command_and_its_complaint() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo broken >&2; exit 3"]);
        let message = output(command, "sh -c ...", None).unwrap_err().to_string();
        assert_eq!(message, "sh -c ... ended with exit status: 3: broken");
    }
}
