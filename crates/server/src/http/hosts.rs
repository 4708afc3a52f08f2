//! The headers `Host` and `Origin`, which tell a request of a web page apart (DNS rebinding).
//!
//! The protocol library compares them with the accepted ones, but reads `127.0.0.1:80.evil.example` as
//! `127.0.0.1` and `[::1].evil.example` as `[::1]`. So headers that are not written exactly are rejected
//! before.

use std::net::IpAddr;

use axum::http::{HeaderMap, header, uri::Authority};

/// Whether `Host` and `Origin`, as far as they are present, are a host with or without a port.
pub(super) fn are_well_formed(headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).map(|host| host.to_str().ok());
    let origin = headers.get(header::ORIGIN).map(|origin| origin.to_str().ok());
    let is_host = |text: Option<&str>| text.and_then(parse).is_some();
    let is_origin = |text: Option<&str>| {
        let authority = text.and_then(|text| text.split_once("://")).map(|(_, rest)| rest);
        text == Some("null") || is_host(authority)
    };
    host.is_none_or(is_host) && origin.is_none_or(is_origin)
}

/// Whether `Host` names one of these hosts, or is an address: a page of another site has a name.
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
