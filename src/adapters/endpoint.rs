//! The endpoint guard: which addresses the operator may connect to on behalf of a sink.
//!
//! Whoever may create a sink chooses where the operator connects to, and the operator sits where a tenant does not:
//! beside the node's metadata service and its own loopback. The guard is therefore asked twice by every dialer: for the
//! name as it is written, and for each address the name resolved to, immediately before connecting to exactly that
//! address. Nothing here resolves or connects.
//!
//! Order of the rules: the deny list, the allow list, the built-in rules. Private networks are allowed, since sinks
//! inside a data centre are normal.

mod cidr;

#[cfg(test)]
mod tests;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use kollect_domain::condition::reason;
use kollect_ports::error::{ErrorClass, PortError};

use cidr::Cidr;

/// Names that are denied whatever they resolve to.
const DENIED_NAMES: [&str; 6] = [
    "localhost",
    "localhost.localdomain",
    "metadata",
    "metadata.google.internal",
    "instance-data",
    "instance-data.ec2.internal",
];

/// Metadata services of cloud providers that no range below covers.
const METADATA_ADDRESSES: [IpAddr; 4] = [
    // Alibaba Cloud.
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    // Azure, the platform's own address.
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    // Oracle Cloud.
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    // AWS, IPv6.
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254)),
];

/// What may be connected to.
///
/// **Shape**: two lists of CIDR ranges, single addresses and host names; `*.example.org` stands for every name below
/// `example.org`. The default has empty lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndpointPolicy {
    allow: Rules,
    deny: Rules,
}

/// Why an endpoint may not be connected to.
///
/// **Shape**: the message names the host, the address when the name resolved to one, and the flag that allows it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("endpoint host \"{host}\" is not allowed: {cause}")]
pub struct EndpointDenied {
    host: String,
    cause: Cause,
}

/// An entry of a list that is neither a range nor an address nor a host name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "endpoint rule \"{entry}\" is not an address, a CIDR range or a host name; write for example 10.0.0.0/8, 192.0.2.7, db.example.org or *.example.org"
)]
pub struct InvalidRule {
    entry: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Cause {
    DeniedName,
    DenyList(Option<IpAddr>),
    Address(IpAddr, Class),
}

/// Built-in classes of denied addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Unspecified,
    Loopback,
    LinkLocal,
    Metadata,
    Multicast,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Rules {
    ranges: Vec<Cidr>,
    names: Vec<String>,
}

impl EndpointPolicy {
    /// A policy from the values of `--endpoint-allow` and `--endpoint-deny`.
    ///
    /// # Errors
    /// The first entry that is not an address, a range or a host name.
    pub fn parse<S: AsRef<str>>(allow: &[S], deny: &[S]) -> Result<Self, InvalidRule> {
        Ok(Self {
            allow: Rules::parse(allow)?,
            deny: Rules::parse(deny)?,
        })
    }

    /// Checks a host as it is written, before it is resolved. A literal address is checked as one.
    ///
    /// # Errors
    /// The host is on the deny list, or is denied by the built-in rules and not on the allow list.
    pub fn check_host(&self, host: &str) -> Result<(), EndpointDenied> {
        let name = normal_name(host);
        if let Ok(address) = name.parse() {
            return self.check_address(host, address);
        }
        let denied = |cause| {
            Err(EndpointDenied {
                host: host.to_owned(),
                cause,
            })
        };
        if self.deny.has_name(&name) {
            return denied(Cause::DenyList(None));
        }
        if !self.allow.has_name(&name) && is_denied_name(&name) {
            return denied(Cause::DeniedName);
        }
        Ok(())
    }

    /// Checks one address that `host` resolved to; call it for the address that is connected to.
    ///
    /// IPv4 addresses inside IPv6 ones (mapped, and the well-known NAT64 prefix) are checked as IPv4.
    ///
    /// # Errors
    /// The address is on the deny list, or is denied by the built-in rules and neither it nor the host is on the allow
    /// list.
    pub fn check_address(&self, host: &str, address: IpAddr) -> Result<(), EndpointDenied> {
        let address = embedded_v4(address);
        let denied = |cause| {
            Err(EndpointDenied {
                host: host.to_owned(),
                cause,
            })
        };
        if self.deny.has_address(address) {
            return denied(Cause::DenyList(Some(address)));
        }
        if self.allow.has_address(address) || self.allow.has_name(&normal_name(host)) {
            return Ok(());
        }
        match class(address) {
            Some(class) => denied(Cause::Address(address, class)),
            None => Ok(()),
        }
    }
}

impl From<EndpointDenied> for PortError {
    fn from(denied: EndpointDenied) -> Self {
        Self::new(ErrorClass::Misconfigured, reason::ENDPOINT_DENIED, denied.to_string())
    }
}

impl Rules {
    fn parse<S: AsRef<str>>(entries: &[S]) -> Result<Self, InvalidRule> {
        let mut rules = Self::default();
        for entry in entries
            .iter()
            .map(|entry| entry.as_ref().trim())
            .filter(|entry| !entry.is_empty())
        {
            if let Some(range) = Cidr::parse(entry) {
                rules.ranges.push(range);
            } else if is_host_rule(entry) {
                rules.names.push(normal_name(entry));
            } else {
                return Err(InvalidRule {
                    entry: entry.to_owned(),
                });
            }
        }
        Ok(rules)
    }

    fn has_address(&self, address: IpAddr) -> bool {
        self.ranges.iter().any(|range| range.contains(address))
    }

    fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|rule| match rule.strip_prefix('*') {
            Some(suffix) => name.len() > suffix.len() && name.ends_with(suffix),
            None => rule == name,
        })
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeniedName => write!(
                f,
                "the name stands for the operator's own host; --endpoint-allow can permit it"
            ),
            Self::DenyList(None) => write!(f, "it is on the list of --endpoint-deny"),
            Self::DenyList(Some(address)) => write!(f, "{address} is on the list of --endpoint-deny"),
            Self::Address(address, class) => {
                write!(f, "{address} is {class}; --endpoint-allow={address} would permit it")
            }
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unspecified => "an unspecified address",
            Self::Loopback => "a loopback address",
            Self::LinkLocal => "a link-local address",
            Self::Metadata => "the address of a metadata service",
            Self::Multicast => "a multicast address",
        })
    }
}

/// Lower case, without surrounding blanks, brackets and dots.
fn normal_name(host: &str) -> String {
    host.trim()
        .trim_matches(|c| matches!(c, '.' | '[' | ']'))
        .to_ascii_lowercase()
}

fn is_denied_name(name: &str) -> bool {
    DENIED_NAMES.contains(&name) || name.ends_with(".localhost")
}

fn is_host_rule(entry: &str) -> bool {
    let name = entry.strip_prefix("*.").unwrap_or(entry);
    let label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    // The last label of a name is never a number: such an entry is a mistyped address.
    let numeric = |label: &str| label.chars().all(|c| c.is_ascii_digit());
    name.split('.').all(label) && !name.rsplit('.').next().is_some_and(numeric)
}

/// The IPv4 address inside an IPv6 one, or the address as it is.
fn embedded_v4(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    if let Some(v4) = v6.to_ipv4_mapped() {
        return v4.into();
    }
    match v6.segments() {
        [0x0064, 0xff9b, 0, 0, 0, 0, high, low] => {
            let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
            Ipv4Addr::new(a, b, c, d).into()
        }
        _ => address,
    }
}

fn class(address: IpAddr) -> Option<Class> {
    let (unspecified, link_local) = match address {
        // All of 0.0.0.0/8 means "this network"; Linux connects it to the host itself.
        IpAddr::V4(v4) => (v4.octets()[0] == 0, v4.is_link_local()),
        IpAddr::V6(v6) => (v6.is_unspecified(), v6.is_unicast_link_local()),
    };
    let broadcast = address == IpAddr::V4(Ipv4Addr::BROADCAST);
    [
        (unspecified, Class::Unspecified),
        (address.is_loopback(), Class::Loopback),
        (link_local, Class::LinkLocal),
        (METADATA_ADDRESSES.contains(&address), Class::Metadata),
        (address.is_multicast() || broadcast, Class::Multicast),
    ]
    .into_iter()
    .find_map(|(applies, class)| applies.then_some(class))
}
