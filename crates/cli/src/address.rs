//! Parses the address to listen on from the command line.

use std::net::{Ipv4Addr, SocketAddr};

/// Parses `7337`, `:7337`, `localhost:7337` or a complete address. Without a host, the address is
/// loopback.
pub(crate) fn parse(text: &str) -> Result<SocketAddr, String> {
    let on_loopback = |port: &str| port.parse().map(|port| (Ipv4Addr::LOCALHOST, port).into());
    let port = text.strip_prefix("localhost:").or_else(|| text.strip_prefix(':')).unwrap_or(text);
    on_loopback(port).or_else(|_: std::num::ParseIntError| {
        text.parse().map_err(|_| {
            "use a port, such as 7337, or an address with a port, such as 127.0.0.1:7337".to_owned()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn accepts_what_people_type() {
        for text in ["7337", ":7337", "localhost:7337", "127.0.0.1:7337"] {
            assert_eq!(parse(text).map(|address| address.to_string()), Ok("127.0.0.1:7337".into()));
        }
        assert_eq!(parse("[::1]:80").map(|address| address.port()), Ok(80));
        for text in ["", "localhost", "127.0.0.1", "example.org:80", "99999"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
