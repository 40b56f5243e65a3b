//! Which host names a server answers to.
//!
//! A page of somebody else can have its own host name point to a loopback address and then read what a browser gets
//! from there. The browser still sends the name, so a server that knows its names refuses such requests.

use std::collections::BTreeSet;

/// The names that are always those of a loopback address.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The host names that a server answers to, on any port.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Hosts {
    /// `localhost`, `127.0.0.1` and `[::1]`.
    #[default]
    Loopback,
    /// Those of a loopback address, and these.
    Named(BTreeSet<String>),
    /// Every name: for servers behind something that checks it.
    Any,
}

impl Hosts {
    /// Whether a request to `host`, the value of a `Host` header, is answered.
    pub fn include(&self, host: &str) -> bool {
        let Some(name) = name(host) else {
            return *self == Self::Any;
        };
        let is_named = |own: &str| own.eq_ignore_ascii_case(name);
        match self {
            Self::Any => true,
            Self::Loopback => LOOPBACK.into_iter().any(is_named),
            Self::Named(names) => LOOPBACK.into_iter().any(is_named) || names.iter().any(|own| is_named(own)),
        }
    }
}

/// A host without its port; `None` if what follows the name is no port.
fn name(host: &str) -> Option<&str> {
    let end = if host.starts_with('[') {
        host.find(']')? + 1
    } else {
        host.find(':').unwrap_or(host.len())
    };
    let (name, rest) = host.split_at_checked(end)?;
    let is_port = |port: &str| port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit());
    (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_names_are_known_on_any_port() {
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:65535", "[::1]"] {
            assert!(Hosts::Loopback.include(host), "{host}");
            assert!(Hosts::Named(BTreeSet::new()).include(host), "{host}");
        }
    }

    #[test]
    fn other_names_are_refused_until_they_are_named() {
        let named = Hosts::Named(BTreeSet::from(["kollect.example.org".to_owned()]));
        assert!(named.include("Kollect.Example.org:443"));
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:80",
            "localhost:80@evil.example",
            "[::1]evil.example",
            "[::1",
            "",
        ] {
            assert!(!Hosts::Loopback.include(host), "{host}");
            assert!(!named.include(host), "{host}");
            assert!(Hosts::Any.include(host), "{host}");
        }
    }
}
