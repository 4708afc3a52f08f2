//! The addresses at which a program finds its proxy and its loopback destinations.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use catalog::{Host, HostPort};

/// The usual port of HTTP proxies. Ports are free in a new namespace, except for listed ones.
const PROXY_PORT: u16 = 3128;

/// The name of this machine, which is never looked up.
pub(crate) const LOCALHOST: &str = "localhost";
pub(crate) const LOCAL_ADDRESSES: [IpAddr; 2] =
    [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// Where to listen in the network namespace of a program: first the proxy, then the destinations on
/// loopback.
pub fn listen_addresses(list: &[HostPort]) -> Vec<SocketAddr> {
    let mut addresses = vec![proxy_address(list)];
    for address in list.iter().flat_map(loopback_addresses) {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    addresses
}

/// The environment that makes programs use the proxy. Some know only one of the spellings.
pub fn proxy_variables(list: &[HostPort]) -> impl Iterator<Item = (String, String)> {
    // `ALL_PROXY` names no SOCKS proxy, because Python's httpx refuses to start without an optional
    // package for it.
    let url = format!("http://{}", proxy_address(list));
    let proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].map(|name| (name, url.clone()));
    // An exception would make programs connect directly, which leads nowhere.
    let exceptions = [("NO_PROXY", String::new())];
    proxies.into_iter().chain(exceptions).flat_map(|(name, value)| {
        [(name.to_owned(), value.clone()), (name.to_ascii_lowercase(), value)]
    })
}

fn proxy_address(list: &[HostPort]) -> SocketAddr {
    let is_free = |port: &u16| list.iter().all(|entry| entry.port != *port);
    let port = (PROXY_PORT..).find(is_free).expect("a list is far shorter than the range of ports");
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

fn loopback_addresses(entry: &HostPort) -> Vec<SocketAddr> {
    let addresses = match &entry.host {
        Host::Address(address) if address.is_loopback() => vec![*address],
        Host::Name(name) if name == LOCALHOST => LOCAL_ADDRESSES.to_vec(),
        _ => Vec::new(),
    };
    addresses.into_iter().map(|address| SocketAddr::new(address, entry.port)).collect()
}

#[cfg(test)]
mod tests {
    use catalog::HostPort;

    use super::{listen_addresses, proxy_variables};

    fn list(texts: &[&str]) -> Vec<HostPort> {
        texts.iter().map(|text| text.parse().expect("a destination")).collect()
    }

    #[test]
    fn listens_for_the_proxy_and_loopback_destinations() {
        let list =
            list(&["example.org:443", "localhost:80", "127.0.0.1:80", "10.0.0.1:5", "[::1]:3128"]);
        let found: Vec<_> = listen_addresses(&list).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["127.0.0.1:3129", "127.0.0.1:80", "[::1]:80", "[::1]:3128"]);
    }

    #[test]
    fn announces_the_proxy_in_both_spellings() {
        let variables: Vec<_> = proxy_variables(&list(&["example.org:443"])).collect();
        assert_eq!(variables.len(), 8);
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert!(variables.contains(&variable("https_proxy", "http://127.0.0.1:3128")));
        assert!(variables.contains(&variable("NO_PROXY", "")));
    }
}
