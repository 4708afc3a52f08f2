//! Requests to an HTTP proxy (RFC 9112, section 3.2): `CONNECT host:port`, and requests for an
//! address that begins with `http://`.

use catalog::{Host, HostPort};

/// A request to the proxy.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) destination: HostPort,
    /// The head for the server; `None` for a tunnel.
    pub(crate) forward: Option<String>,
}

/// Headers that concern only the connection to the proxy; `Host` is replaced.
const DROPPED: [&str; 5] =
    ["host", "connection", "keep-alive", "proxy-connection", "proxy-authorization"];

impl Request {
    /// Parses the head of a request, up to the empty line.
    pub(crate) fn parse(head: &[u8]) -> Result<Self, &'static str> {
        let head = std::str::from_utf8(head).map_err(|_| "the request is not UTF-8")?;
        let mut lines = head.trim_end_matches("\r\n").split("\r\n");
        let first = lines.next().unwrap_or_default();
        let [method, target, version] = first.split(' ').collect::<Vec<_>>()[..] else {
            return Err("the first line is not a request");
        };
        if !matches!(version, "HTTP/1.0" | "HTTP/1.1") {
            return Err("the proxy supports HTTP/1.1 only");
        }
        if method == "CONNECT" {
            let destination = parse_authority(target, None)?;
            return Ok(Self { destination, forward: None });
        }
        let scheme = "http://";
        let rest = target.get(..scheme.len()).filter(|start| start.eq_ignore_ascii_case(scheme));
        let rest = rest.map(|_| &target[scheme.len()..]);
        let rest =
            rest.ok_or("the proxy accepts `CONNECT` and addresses that begin with `http://`")?;
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let destination = parse_authority(authority, Some(80))?;
        let slash = if path.starts_with('/') { "" } else { "/" };
        // One request for each connection: the next one may be for another destination.
        let mut forward = format!(
            "{method} {slash}{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n"
        );
        for line in lines {
            let name = line.split(':').next().unwrap_or_default();
            // A folded or broken line could continue a header that is dropped.
            if name.len() == line.len() || name.contains([' ', '\t', '\r', '\n']) {
                return Err("the request has an invalid header");
            }
            if !DROPPED.contains(&name.to_ascii_lowercase().as_str()) {
                forward.push_str(line);
                forward.push_str("\r\n");
            }
        }
        forward.push_str("\r\n");
        Ok(Self { destination, forward: Some(forward) })
    }
}

fn parse_authority(text: &str, default_port: Option<u16>) -> Result<HostPort, &'static str> {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if is_port(port) => (host, port.parse().ok()),
        _ => (text, default_port),
    };
    let port = port.filter(|port| *port != 0).ok_or("the destination has no port")?;
    let host = Host::parse(host).ok_or("the destination is neither a name nor an address")?;
    Ok(HostPort { host, port })
}

#[cfg(test)]
mod tests {
    use super::Request;

    fn parse(head: &str) -> Result<(String, Option<String>), &'static str> {
        let request = Request::parse(head.as_bytes())?;
        Ok((request.destination.to_string(), request.forward))
    }

    #[test]
    fn reads_tunnels_and_forwarded_requests() {
        let tunnel = |text: &str| Ok((text.to_owned(), None));
        assert_eq!(
            parse("CONNECT Example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
            tunnel("example.org:443")
        );
        assert_eq!(parse("CONNECT [::1]:80 HTTP/1.1\r\n\r\n"), tunnel("[::1]:80"));
        let head = "GET http://example.org?q=1 HTTP/1.1\r\nHost: other\r\nAccept: */*\r\nProxy-Authorization: x\r\n\r\n";
        let forward =
            "GET /?q=1 HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\nAccept: */*\r\n\r\n";
        assert_eq!(parse(head), Ok(("example.org:80".to_owned(), Some(forward.to_owned()))));
    }

    #[test]
    fn rejects_requests_it_cannot_forward() {
        for head in [
            "GET / HTTP/1.1\r\n\r\n",
            "GET https://example.org/ HTTP/1.1\r\n\r\n",
            "GET http://user@example.org/ HTTP/1.1\r\n\r\n",
            "GET http://example.org/ HTTP/2\r\n\r\n",
            "GET http://example.org/ HTTP/1.1\r\nConnection: x\r\n folded: y\r\n\r\n",
            "GET http://example.org/ HTTP/1.1\r\nA: b\r\nbroken\r\n\r\n",
            "CONNECT example.org HTTP/1.1\r\n\r\n",
            "CONNECT 127.1:80 HTTP/1.1\r\n\r\n",
            "\u{5}\u{1}\u{0}",
            "",
        ] {
            assert!(parse(head).is_err(), "{head:?}");
        }
    }
}
