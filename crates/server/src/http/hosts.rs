//! Checks the headers `Host` and `Origin`, by which requests of web pages are recognized (DNS
//! rebinding).
//!
//! The protocol library compares them with the accepted values, but parses `127.0.0.1:80.evil.example`
//! as `127.0.0.1` and `[::1].evil.example` as `[::1]`. So malformed headers are rejected before they
//! reach it.

use std::net::IpAddr;

use axum::http::{HeaderMap, header, uri::Authority};

/// Whether `Host` and `Origin`, if present, are a host with an optional port, and there is one of
/// each at most: the other could be the one that a proxy in front has checked (RFC 9112, section 3.2).
pub(super) fn are_well_formed(headers: &HeaderMap) -> bool {
    let is_repeated = |name| headers.get_all(name).iter().nth(1).is_some();
    if is_repeated(header::HOST) || is_repeated(header::ORIGIN) {
        return false;
    }
    let host = headers.get(header::HOST).map(|host| host.to_str().ok());
    let origin = headers.get(header::ORIGIN).map(|origin| origin.to_str().ok());
    let is_host = |text: Option<&str>| text.and_then(parse).is_some();
    let is_origin = |text: Option<&str>| {
        let authority = text.and_then(|text| text.split_once("://")).map(|(_, rest)| rest);
        text == Some("null") || is_host(authority)
    };
    host.is_none_or(is_host) && origin.is_none_or(is_origin)
}

/// Whether `Host` is one of these hosts or an IP address. DNS rebinding needs a name, so an address is
/// safe.
pub(super) fn is_known(headers: &HeaderMap, accepted: &[String]) -> bool {
    let host = headers.get(header::HOST).and_then(|host| parse(host.to_str().ok()?));
    host.is_some_and(|authority| {
        let plain = |text: &str| text.trim_matches(['[', ']']).to_ascii_lowercase();
        let name = plain(authority.host());
        let is_accepted = |accepted: &String| {
            let accepted = accepted.to_ascii_lowercase();
            plain(&accepted) == name || accepted == authority.as_str().to_ascii_lowercase()
        };
        name.parse::<IpAddr>().is_ok() || accepted.iter().any(is_accepted)
    })
}

/// The authority, if nothing but a port follows the host.
fn parse(text: &str) -> Option<Authority> {
    let authority = Authority::try_from(text).ok()?;
    let port = authority.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    (format!("{}{port}", authority.host()) == text).then_some(authority)
}
