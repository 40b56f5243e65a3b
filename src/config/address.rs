//! Addresses to listen on.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

/// An address to listen on: `host:port`, `:port` for all addresses, or `0` for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BindAddress(pub Option<SocketAddr>);

impl FromStr for BindAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if matches!(text, "0" | "") {
            return Ok(Self(None));
        }
        if let Some(port) = text.strip_prefix(':') {
            let port = port.parse().map_err(|_| format!("{port:?} is not a port"))?;
            return Ok(Self(Some(SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), port))));
        }
        text.parse()
            .map(|address| Self(Some(address)))
            .map_err(|_| format!("{text:?} is neither an address such as 127.0.0.1:8081, nor :8081, nor 0"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_are_understood() {
        let parsed = |text: &str| {
            text.parse::<BindAddress>()
                .map(|address| address.0.map(|a| a.to_string()))
        };
        assert_eq!(parsed("0"), Ok(None));
        assert_eq!(parsed(":8081"), Ok(Some("0.0.0.0:8081".into())));
        assert_eq!(parsed("127.0.0.1:9"), Ok(Some("127.0.0.1:9".into())));
        assert_eq!(parsed("[::1]:9"), Ok(Some("[::1]:9".into())));
        assert!(parsed("localhost").is_err());
        assert!(parsed(":http").is_err());
    }
}
