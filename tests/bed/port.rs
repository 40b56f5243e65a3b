//! Ports that stay ours while their server is down.

use std::fs::{File, TryLockError};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU16, Ordering};

use crate::Error;

/// Below the range from which systems pick the local ports of outgoing connections (32768 on
/// Linux, 49152 elsewhere): otherwise a connection could take the port of a server that a test
/// has stopped, and the server could not come back.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// Another account's process may still take a port between our look at it and the server's start.
const ATTEMPTS: u32 = 3;

/// A free port on 127.0.0.1, reserved until dropped.
///
/// The reservation is a locked file that every run of this account knows, because a test stops
/// its server for a while and nobody else's may take the port meanwhile. The system releases the
/// lock when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Port {
    number: u16,
    _reservation: File,
}

impl Port {
    pub(crate) fn reserve() -> Result<Self, Error> {
        static NEXT: AtomicU16 = AtomicU16::new(0);
        let folder = reservations();
        std::fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        // Processes begin at different places, so that they seldom ask for the same port.
        let offset = u16::try_from(std::process::id() % u32::from(COUNT)).unwrap_or(0);
        for _ in 0..COUNT {
            let step = NEXT.fetch_add(1, Ordering::Relaxed);
            let number = FIRST + (offset.wrapping_mul(61).wrapping_add(step)) % COUNT;
            let path = folder.join(number.to_string());
            let file = File::options()
                .create(true)
                .append(true)
                .open(&path)
                .map_err(Error::io("write", &path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path)(error)),
            }
            if TcpListener::bind((Ipv4Addr::LOCALHOST, number)).is_ok() {
                return Ok(Self {
                    number,
                    _reservation: file,
                });
            }
        }
        Err(Error::NoFreePort {
            first: FIRST,
            last: FIRST + COUNT - 1,
        })
    }

    pub(crate) fn number(&self) -> u16 {
        self.number
    }
}

/// Starts something on ports of its own, and again on others if somebody took one of them.
pub(crate) fn retry_on_port_clash<T>(mut start: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    let mut attempt = 1;
    loop {
        match start() {
            Err(error) if error.is_port_clash() && attempt < ATTEMPTS => attempt += 1,
            outcome => return outcome,
        }
    }
}

/// One folder for each account, since nobody may lock the files of another.
fn reservations() -> PathBuf {
    let account = rustix::process::geteuid().as_raw();
    std::env::temp_dir().join(format!("kollect-bed-ports-{account}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LogTail;

    #[test]
    fn ports_held_at_the_same_time_differ() {
        let ports: Vec<Port> = (0..20).map(|_| Port::reserve().unwrap()).collect();
        let numbers: std::collections::BTreeSet<u16> = ports.iter().map(Port::number).collect();
        assert_eq!(numbers.len(), 20);
    }

    #[test]
    fn a_reserved_port_can_be_bound_and_stays_reserved_when_it_is_not() {
        let port = Port::reserve().unwrap();
        drop(TcpListener::bind((Ipv4Addr::LOCALHOST, port.number())).unwrap());
        let path = reservations().join(port.number().to_string());
        let again = File::options().append(true).open(path).unwrap();
        assert!(matches!(again.try_lock(), Err(TryLockError::WouldBlock)));
    }

    #[test]
    fn a_port_that_somebody_took_is_given_up_and_another_failure_is_not() {
        let failure = |log: &str| Error::Server {
            server: "postgres",
            outcome: "ended".into(),
            log: LogTail::of(log.as_bytes()),
        };
        let mut starts = 0;
        let mut run = |log: &str| {
            starts = 0;
            let outcome = retry_on_port_clash(|| {
                starts += 1;
                if starts < 3 { Err(failure(log)) } else { Ok(()) }
            });
            (outcome.is_ok(), starts)
        };
        let clash = "could not bind IPv4 address \"127.0.0.1\": Address already in use";
        assert_eq!(run(clash), (true, 3));
        assert_eq!(run("out of memory"), (false, 1));
    }
}
