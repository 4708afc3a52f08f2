//! What a tool may reach over the network.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// What a tool may reach over the network. In definitions: `false`, `true` or a list of
/// destinations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NetworkAccess {
    /// No sockets at all.
    #[default]
    None,
    /// Every Internet address.
    Internet,
    /// Only these destinations; never empty.
    Only(Vec<HostPort>),
}

/// A destination: `example.org:443`, `*.example.org:443`, `127.0.0.1:5432` or `[::1]:5432`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPort {
    /// The host, or the pattern for hosts.
    pub host: Host,
    /// The TCP port; never 0.
    pub port: u16,
}

/// The host of a destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// A name, in lower case and without a trailing dot.
    Name(String),
    /// All names below this one, but not the name itself.
    Subdomains(String),
    /// An address. IPv4 addresses in IPv6 notation are stored as IPv4.
    Address(IpAddr),
}

/// Why a destination or a list of them is invalid, and what to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkError {
    /// The problem.
    pub message: String,
    /// The suggested correction.
    pub hint: &'static str,
}

/// Maximum number of destinations of a tool. Each loopback destination takes a socket during a
/// call.
const MAX_DESTINATIONS: usize = 64;

const WRITE: &str = "write `\"host:port\"`, such as `\"example.org:443\"`, `\"127.0.0.1:5432\"` or `\"[::1]:5432\"`";

impl NetworkAccess {
    /// Access to exactly these destinations.
    pub fn from_destinations(destinations: Vec<HostPort>) -> Result<Self, NetworkError> {
        let error = |message: &str, hint| Err(NetworkError { message: message.to_owned(), hint });
        match destinations.len() {
            0 => error("the list of destinations is empty", "write `false` for no network"),
            1..=MAX_DESTINATIONS => Ok(Self::Only(destinations)),
            _ => error(
                "the list has more than 64 destinations",
                "use patterns such as `\"*.example.org:443\"`",
            ),
        }
    }

    /// Whether it is any access at all.
    pub fn is_granted(&self) -> bool {
        *self != Self::None
    }

    /// Whether everything that `other` may reach may be reached.
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Internet, _) | (_, Self::None) => true,
            (Self::Only(own), Self::Only(others)) => {
                others.iter().all(|other| own.iter().any(|own| own.covers(other)))
            }
            (Self::None, _) | (Self::Only(_), Self::Internet) => false,
        }
    }
}

impl From<bool> for NetworkAccess {
    fn from(is_granted: bool) -> Self {
        if is_granted { Self::Internet } else { Self::None }
    }
}

impl HostPort {
    fn covers(&self, other: &Self) -> bool {
        let host = match &other.host {
            Host::Name(name) => self.host.matches_name(name),
            Host::Subdomains(name) => self.host == other.host || self.host.matches_name(name),
            Host::Address(_) => self.host == other.host,
        };
        host && self.port == other.port
    }
}

impl Host {
    /// Reads a host as clients write it: a name, an IPv4 address, or an IPv6 address in brackets.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(inner) = text.strip_prefix('[') {
            let address: Ipv6Addr = inner.strip_suffix(']')?.parse().ok()?;
            // `::ffff:10.0.0.1` and `10.0.0.1` are the same destination.
            return Some(Self::Address(IpAddr::V6(address).to_canonical()));
        }
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Some(Self::Address(address.into()));
        }
        // A trailing dot marks a fully qualified name and does not change it.
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        is_name(&name).then_some(Self::Name(name))
    }

    /// Whether this is the name, or a pattern for it.
    pub fn matches_name(&self, name: &str) -> bool {
        match self {
            Self::Name(own) => own == name,
            Self::Subdomains(parent) => {
                name.strip_suffix(parent.as_str()).is_some_and(|below| below.ends_with('.'))
            }
            Self::Address(_) => false,
        }
    }
}

/// Whether it is a DNS name. The last label must not look like a number: C libraries read `127.1`
/// and `0x7f000001` as addresses.
fn is_name(name: &str) -> bool {
    let is_label = |label: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        (1..=63).contains(&label.len()) && label.bytes().all(is_allowed)
    };
    name.len() <= 253
        && name.split('.').all(is_label)
        && name
            .rsplit('.')
            .next()
            .is_some_and(|last| last.starts_with(|c: char| c.is_ascii_lowercase()))
}

impl FromStr for HostPort {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, NetworkError> {
        let error = |reason: &str, hint| NetworkError {
            message: format!("`{text}` is not a destination: {reason}"),
            hint,
        };
        if text.contains('/') {
            return Err(error("it looks like a URL", WRITE));
        }
        // `::1` is an address without a port, and not the host `:` with one.
        let Some((host, port)) = text.rsplit_once(':').filter(|(host, _)| !host.ends_with(':'))
        else {
            return Err(error("it has no port", WRITE));
        };
        // Parsing a number would accept `+443` as well.
        let is_plain = port.bytes().all(|byte| byte.is_ascii_digit());
        let port = port.parse().ok().filter(|port| is_plain && *port != 0);
        let port = port.ok_or_else(|| error("the port is not a number from 1 to 65535", WRITE))?;
        if host.contains(':') && !host.starts_with('[') {
            return Err(error("an IPv6 address needs brackets", WRITE));
        }
        let found = match host.strip_prefix("*.") {
            Some(parent) => match Host::parse(parent) {
                Some(Host::Name(parent)) => Some(Host::Subdomains(parent)),
                _ => None,
            },
            None => Host::parse(host),
        };
        let host = found.ok_or_else(|| {
            error(
                "the host is neither a name nor an address",
                "write a name in ASCII, `*.` and a name, an IPv4 address or an IPv6 address in brackets",
            )
        })?;
        Ok(Self { host, port })
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Name(name) => write!(f, "{name}:{}", self.port),
            Host::Subdomains(name) => write!(f, "*.{name}:{}", self.port),
            Host::Address(IpAddr::V4(address)) => write!(f, "{address}:{}", self.port),
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]:{}", self.port),
        }
    }
}

/// `no`, `yes` or the destinations.
impl fmt::Display for NetworkAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("no"),
            Self::Internet => f.write_str("yes"),
            Self::Only(list) => {
                let list: Vec<_> = list.iter().map(ToString::to_string).collect();
                f.write_str(&list.join(", "))
            }
        }
    }
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.hint)
    }
}

impl std::error::Error for NetworkError {}

/// As in definitions, so that digests of tools with `true` or `false` stay the same.
impl Serialize for NetworkAccess {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serializer.serialize_bool(false),
            Self::Internet => serializer.serialize_bool(true),
            Self::Only(list) => serializer.collect_seq(list.iter().map(ToString::to_string)),
        }
    }
}

impl<'de> Deserialize<'de> for NetworkAccess {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = NetworkAccess;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`true`, `false` or a list of `\"host:port\"`")
            }

            fn visit_bool<E: de::Error>(self, is_granted: bool) -> Result<NetworkAccess, E> {
                Ok(is_granted.into())
            }

            fn visit_seq<A: de::SeqAccess<'de>>(
                self,
                mut items: A,
            ) -> Result<NetworkAccess, A::Error> {
                let mut list = Vec::new();
                while let Some(text) = items.next_element::<String>()? {
                    list.push(text.parse().map_err(de::Error::custom)?);
                }
                NetworkAccess::from_destinations(list).map_err(de::Error::custom)
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{HostPort, NetworkAccess};

    fn access(value: serde_json::Value) -> NetworkAccess {
        serde_json::from_value(value).expect("a network access")
    }

    #[test]
    fn reads_names_patterns_and_addresses() {
        for (text, expected) in [
            ("Example.org.:443", Ok("example.org:443")),
            ("*.example.org:443", Ok("*.example.org:443")),
            ("127.0.0.1:5432", Ok("127.0.0.1:5432")),
            ("[0::1]:5432", Ok("[::1]:5432")),
            ("[::ffff:10.0.0.1]:80", Ok("10.0.0.1:80")),
            ("localhost:80", Ok("localhost:80")),
            ("example.org", Err("it has no port")),
            ("https://example.org", Err("it looks like a URL")),
            ("example.org:0", Err("the port is not a number from 1 to 65535")),
            ("example.org:+5", Err("the port is not a number from 1 to 65535")),
            ("example.org:65536", Err("the port is not a number from 1 to 65535")),
            ("fe80::1:80", Err("an IPv6 address needs brackets")),
            ("127.1:80", Err("the host is neither a name nor an address")),
            ("2130706433:80", Err("the host is neither a name nor an address")),
            ("x.0x7f:80", Err("the host is neither a name nor an address")),
            ("*:443", Err("the host is neither a name nor an address")),
            ("*.127.0.0.1:443", Err("the host is neither a name nor an address")),
            ("a b:443", Err("the host is neither a name nor an address")),
            ("münchen.de:443", Err("the host is neither a name nor an address")),
        ] {
            let found = text.parse::<HostPort>();
            match expected {
                Ok(expected) => assert_eq!(found.expect(text).to_string(), expected),
                Err(reason) => {
                    let message = found.expect_err(text).message;
                    assert!(message.ends_with(&format!(": {reason}")), "{text}: {message}");
                }
            }
        }
    }

    #[test]
    fn round_trips_valid_values_and_rejects_others() {
        for value in [json!(true), json!(false), json!(["example.org:443", "[::1]:1"])] {
            assert_eq!(json!(access(value.clone())), value);
        }
        for value in [json!([]), json!("example.org:443"), json!([1]), json!(vec!["a:1"; 65])] {
            assert!(serde_json::from_value::<NetworkAccess>(value.clone()).is_err(), "{value}");
        }
    }

    #[test]
    fn detects_wider_access() {
        let one = json!(["a.example.org:443"]);
        for (wide, narrow, expected) in [
            (json!(true), one.clone(), true),
            (one.clone(), json!(true), false),
            (one.clone(), json!(false), true),
            (json!(false), one.clone(), false),
            (json!(["*.example.org:443"]), one.clone(), true),
            (json!(["*.example.org:80"]), one.clone(), false),
            (json!(["*.example.org:443"]), json!(["example.org:443"]), false),
            (json!(["*.example.org:443"]), json!(["badexample.org:443"]), false),
            (json!(["*.org:443"]), json!(["*.example.org:443"]), true),
            (one.clone(), json!(["*.example.org:443"]), false),
        ] {
            assert_eq!(
                access(wide.clone()).covers(&access(narrow.clone())),
                expected,
                "{wide} {narrow}"
            );
        }
    }
}
