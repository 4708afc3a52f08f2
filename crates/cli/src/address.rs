//! Parses the address to listen on from the command line.

use std::net::{Ipv4Addr, SocketAddr};

/// Where a server listens for HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// On a socket that it opens.
    Open(SocketAddr),
    /// On the socket that systemd has opened for it.
    Systemd,
}

/// Parses `7337`, `:7337`, `localhost:7337`, a complete address or `systemd`. Without a host, the address
/// is loopback.
pub(crate) fn parse(text: &str) -> Result<Address, String> {
    if text == "systemd" {
        return Ok(Address::Systemd);
    }
    let on_loopback = |port: &str| port.parse().map(|port| (Ipv4Addr::LOCALHOST, port).into());
    let port = text.strip_prefix("localhost:").or_else(|| text.strip_prefix(':')).unwrap_or(text);
    let address = on_loopback(port).or_else(|_: std::num::ParseIntError| {
        text.parse().map_err(|_| {
            "use a port, such as 7337, an address with a port, such as 127.0.0.1:7337, or `systemd`"
                .to_owned()
        })
    });
    address.map(Address::Open)
}

#[cfg(test)]
mod tests {
    use super::{Address, parse};

    #[test]
    fn accepts_what_people_type() {
        let parse = |text: &str| match parse(text) {
            Ok(Address::Open(address)) => Some(address.to_string()),
            _ => None,
        };
        for text in ["7337", ":7337", "localhost:7337", "127.0.0.1:7337"] {
            assert_eq!(parse(text).as_deref(), Some("127.0.0.1:7337"));
        }
        assert_eq!(parse("[::1]:80").as_deref(), Some("[::1]:80"));
        for text in ["", "localhost", "127.0.0.1", "example.org:80", "99999"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
