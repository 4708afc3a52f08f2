//! HTTP/1.1 as text.

use serde_json::Value;

/// The head of a request to `/mcp` or another path. `headers` replace the default ones.
pub fn request_head(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> String {
    let length = body.len().to_string();
    let mut all = vec![
        ("Host", address),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("Content-Length", &length),
        ("Connection", "close"),
    ];
    all.retain(|(name, _)| !headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
    all.extend(headers);
    let head: String = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{method} {path} HTTP/1.1\r\n{head}\r\n")
}

/// A whole response.
#[derive(Debug)]
pub struct HttpResponse {
    /// The status code, or 0 if the server closed the connection without a response.
    pub status: u16,
    /// The names, in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// Everything after the head; chunks are not joined.
    pub body: String,
}

impl HttpResponse {
    /// Parses everything that came before the end of the connection.
    pub fn parse(raw: &[u8]) -> Self {
        let raw = String::from_utf8_lossy(raw);
        let (head, body) = raw.split_once("\r\n\r\n").unwrap_or((&raw, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let headers = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        Self { status: status.unwrap_or(0), headers: headers.collect(), body: body.to_owned() }
    }

    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The message in the body: plain JSON, or the last one of an event stream.
    pub fn message(&self) -> Value {
        let mut events =
            self.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        let text = events.rfind(|event| event.starts_with('{')).unwrap_or(self.body.trim());
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
