//! Address ranges.

use std::net::IpAddr;

/// A range of addresses of one family; a single address is a range of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cidr {
    network: IpAddr,
    prefix: u32,
}

impl Cidr {
    /// A range from `address` or `address/prefix`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.parse::<u32>().ok()?)),
            None => (text, None),
        };
        let network: IpAddr = address.trim_matches(|c| matches!(c, '[' | ']')).parse().ok()?;
        let width = width(network);
        let prefix = prefix.unwrap_or(width);
        (prefix <= width).then_some(Self { network, prefix })
    }

    pub(super) fn contains(&self, address: IpAddr) -> bool {
        let width = width(self.network);
        let host_bits = width - self.prefix;
        let network = |address| bits(address).checked_shr(host_bits).unwrap_or(0);
        width == self::width(address) && network(self.network) == network(address)
    }
}

fn width(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u128::from(v4.to_bits()),
        IpAddr::V6(v6) => v6.to_bits(),
    }
}
