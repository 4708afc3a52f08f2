//! Which addresses a list allows, and the connections to them.

use std::{
    fmt, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    time::Duration,
};

use catalog::{Host, HostPort};
use parking_lot::Mutex;
use tokio::{
    net::{TcpStream, lookup_host},
    time::timeout,
};

use crate::listeners::{LOCAL_ADDRESSES, LOCALHOST};

/// Timeout for a name lookup, and for connecting to each address.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The ports at which this process serves clients.
static OWN_PORTS: Mutex<Vec<u16>> = Mutex::new(Vec::new());

/// Refuses connections to this port of the machine from now on, even if a list contains it: a tool
/// is not a client of its own server.
pub fn refuse_own_port(port: u16) {
    OWN_PORTS.lock().push(port);
}

/// The destinations that a program may connect to.
pub(crate) struct Destinations(Vec<HostPort>);

/// Why there is no connection to a destination.
#[derive(Debug)]
pub(crate) enum ConnectError {
    NotListed {
        wanted: HostPort,
        list: String,
    },
    /// A listed name leads to an address that only the list itself may name. The owner of the name
    /// could otherwise point it at services of this machine or network (DNS rebinding).
    NotPublic {
        wanted: HostPort,
        address: IpAddr,
    },
    OwnPort {
        wanted: HostPort,
    },
    Unreachable {
        wanted: HostPort,
        source: io::Error,
    },
}

impl Destinations {
    pub(crate) fn new(list: &[HostPort]) -> Self {
        Self(list.to_vec())
    }

    /// Connects to a destination if the list allows it.
    pub(crate) async fn connect(&self, wanted: HostPort) -> Result<TcpStream, ConnectError> {
        let port = wanted.port;
        let found = match &wanted.host {
            Host::Address(address) => vec![*address],
            Host::Name(name) if name == LOCALHOST => LOCAL_ADDRESSES.to_vec(),
            // Only listed names are looked up: the question alone could carry data out.
            Host::Name(name) if self.lists_name(name, port) => match look_up(name, port).await {
                Ok(found) => found,
                Err(source) => return Err(ConnectError::Unreachable { wanted, source }),
            },
            Host::Name(_) | Host::Subdomains(_) => Vec::new(),
        };
        let addresses = self.allow(wanted.clone(), &found)?;
        // The checked addresses are used, so a second answer of the name server changes nothing.
        connect_to_any(&addresses)
            .await
            .map_err(|source| ConnectError::Unreachable { wanted, source })
    }

    /// The permitted addresses of a destination; never empty.
    fn allow(&self, wanted: HostPort, found: &[IpAddr]) -> Result<Vec<SocketAddr>, ConnectError> {
        let by_name =
            matches!(&wanted.host, Host::Name(name) if self.lists_name(name, wanted.port));
        let is_allowed = |address: &IpAddr| {
            self.lists_address(*address, wanted.port) || (by_name && is_public(*address))
        };
        let allowed = found.iter().copied().filter(is_allowed);
        let allowed: Vec<_> =
            allowed.map(|address| SocketAddr::new(address, wanted.port)).collect();
        match (allowed.is_empty(), found.first()) {
            (false, _) if allowed.iter().any(is_own) => Err(ConnectError::OwnPort { wanted }),
            (false, _) => Ok(allowed),
            (true, Some(address)) if by_name => {
                Err(ConnectError::NotPublic { wanted, address: *address })
            }
            (true, _) => {
                let list: Vec<_> = self.0.iter().map(ToString::to_string).collect();
                Err(ConnectError::NotListed { wanted, list: list.join(", ") })
            }
        }
    }

    fn lists_name(&self, name: &str, port: u16) -> bool {
        self.0.iter().any(|entry| entry.port == port && entry.host.matches_name(name))
    }

    fn lists_address(&self, address: IpAddr, port: u16) -> bool {
        let address = address.to_canonical();
        let is_local = LOCAL_ADDRESSES.contains(&address);
        self.0.iter().filter(|entry| entry.port == port).any(|entry| match &entry.host {
            Host::Address(own) => *own == address,
            Host::Name(name) => is_local && name == LOCALHOST,
            Host::Subdomains(_) => false,
        })
    }
}

async fn look_up(name: &str, port: u16) -> io::Result<Vec<IpAddr>> {
    let found = timeout(CONNECT_TIMEOUT, lookup_host((name, port))).await??;
    let found: Vec<_> = found.map(|address| address.ip().to_canonical()).collect();
    if found.is_empty() { Err(io::Error::other("the name has no address")) } else { Ok(found) }
}

async fn connect_to_any(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut last = io::Error::other("no address");
    for address in addresses {
        match timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
            Ok(Ok(connected)) => return Ok(connected),
            Ok(Err(error)) => last = error,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(last)
}

/// Whether this process listens there.
fn is_own(address: &SocketAddr) -> bool {
    // A socket can be bound to the addresses of this machine only.
    OWN_PORTS.lock().contains(&address.port()) && UdpSocket::bind((address.ip(), 0)).is_ok()
}

/// Whether an address belongs to the public Internet.
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || first == 0
        // Multicast, reserved and broadcast.
        || first >= 224
        // Shared by customers of a provider (RFC 6598).
        || (first == 100 && (64..128).contains(&second))
        // Protocol assignments and benchmarks (RFC 6890, RFC 2544).
        || (first, second, third) == (192, 0, 0)
        || (first == 198 && (18..20).contains(&second));
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // NAT64 reaches the IPv4 address in the last two segments (RFC 6052).
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            is_public_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
        }
        // Teredo and 6to4 contain IPv4 addresses, too, and are obsolete; 2001:db8 is documentation.
        [0x2001, 0 | 0xdb8, ..] | [0x2002, ..] => false,
        // The only block with public addresses.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotListed { wanted, list } => {
                write!(
                    f,
                    "`{wanted}` is not in the list `network` of this tool, which allows {list}"
                )
            }
            Self::NotPublic { wanted, address } => write!(
                f,
                "`{wanted}` resolves to {address}, which is not a public address; add the address itself \
                 to the list `network` of this tool to allow it"
            ),
            Self::OwnPort { wanted } => write!(f, "`{wanted}` is the server that runs this tool"),
            Self::Unreachable { wanted, source } => {
                write!(f, "`{wanted}` cannot be reached: {source}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, TcpListener};

    use super::{ConnectError, Destinations, is_public, refuse_own_port};

    fn destinations(texts: &[&str]) -> Destinations {
        Destinations::new(&texts.iter().map(|text| text.parse().expect(text)).collect::<Vec<_>>())
    }

    /// Resolves a destination as if the name server had returned these addresses.
    fn decide(list: &[&str], wanted: &str, found: &[&str]) -> String {
        let found: Vec<IpAddr> = found.iter().map(|text| text.parse().expect(text)).collect();
        match destinations(list).allow(wanted.parse().expect(wanted), &found) {
            Ok(allowed) => allowed.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            Err(ConnectError::NotListed { .. }) => "not listed".to_owned(),
            Err(ConnectError::NotPublic { address, .. }) => format!("not public: {address}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn listed_names_give_access_only_to_public_or_listed_addresses() {
        let name = ["example.org:443"];
        for (list, found, expected) in [
            (&name[..], &["93.184.215.14"][..], "93.184.215.14:443"),
            (&name, &["127.0.0.1"], "not public: 127.0.0.1"),
            (&name, &["169.254.169.254"], "not public: 169.254.169.254"),
            (&name, &["::ffff:10.0.0.1"], "not public: ::ffff:10.0.0.1"),
            // One public address among others does not open the others.
            (&name, &["10.0.0.1", "93.184.215.14"], "93.184.215.14:443"),
            // The list itself may name a private address.
            (&["example.org:443", "10.0.0.1:443"], &["10.0.0.1"], "10.0.0.1:443"),
            (&["example.org:443", "10.0.0.1:80"], &["10.0.0.1"], "not public: 10.0.0.1"),
            (&["*.org:443"], &["127.0.0.1"], "not public: 127.0.0.1"),
            (&["other.org:443"], &["93.184.215.14"], "not listed"),
            (&["example.org:80"], &["93.184.215.14"], "not listed"),
        ] {
            assert_eq!(decide(list, "example.org:443", found), expected, "{list:?} {found:?}");
        }
    }

    #[test]
    fn addresses_are_allowed_only_if_they_are_listed() {
        for (list, wanted, expected) in [
            ("127.0.0.1:80", "127.0.0.1:80", "127.0.0.1:80"),
            ("127.0.0.1:80", "127.0.0.2:80", "not listed"),
            ("127.0.0.1:80", "127.0.0.1:81", "not listed"),
            ("localhost:80", "[::1]:80", "[::1]:80"),
            ("localhost:80", "127.0.0.2:80", "not listed"),
            ("example.org:80", "93.184.215.14:80", "not listed"),
        ] {
            let address = wanted.rsplit_once(':').expect("a port").0.trim_matches(['[', ']']);
            assert_eq!(decide(&[list], wanted, &[address]), expected, "{list} {wanted}");
        }
    }

    #[tokio::test]
    async fn the_port_of_the_server_is_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let address = listener.local_addr().expect("an address").to_string();
        let list = destinations(&[&address]);
        let wanted = || address.parse().expect("a destination");
        assert!(list.connect(wanted()).await.is_ok());
        refuse_own_port(listener.local_addr().expect("an address").port());
        let error = list.connect(wanted()).await.expect_err("a refusal").to_string();
        assert_eq!(error, format!("`{address}` is the server that runs this tool"));
    }

    #[test]
    fn recognizes_public_addresses() {
        for (address, expected) in [
            ("8.8.8.8", true),
            ("0.0.0.0", false),
            ("100.64.0.1", false),
            ("100.128.0.1", true),
            ("172.16.0.1", false),
            ("192.0.0.8", false),
            ("198.19.0.1", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("2606:2800::1", true),
            ("::1", false),
            ("::", false),
            ("fc00::1", false),
            ("fe80::1", false),
            ("ff02::1", false),
            ("2002:7f00:1::", false),
            ("64:ff9b::8.8.8.8", true),
            ("64:ff9b::10.0.0.1", false),
            ("::ffff:127.0.0.1", false),
        ] {
            assert_eq!(is_public(address.parse().expect(address)), expected, "{address}");
        }
    }
}
