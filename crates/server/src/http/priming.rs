//! Priming events: events with an id, a retry interval and no data at the beginning of a stream.
//!
//! Revision 2025-11-25 asks for them, so that a client can resume a stream that breaks before its
//! first message (SEP-1699). The protocol library sends them to everyone, but clients of earlier
//! revisions expect JSON in every event: Gemini CLI disconnects with "Unexpected end of JSON
//! input". They are therefore removed from streams to such clients.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};
use futures_util::{StreamExt, future::ready};
use http_body_util::{BodyStream, StreamBody};
use hyper::body::Frame;
use rmcp::model::ProtocolVersion;

/// Whether a client that speaks this revision expects priming events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Priming {
    Expected,
    Unknown,
}

impl Priming {
    /// Decides by the revision that an `initialize` request asks for. The answer names the same
    /// one, or one that the client may not know either: then it is safer to send none.
    pub(super) fn of_revision(revision: &str) -> Self {
        // Revisions are dates, which sort as text.
        if revision >= ProtocolVersion::V_2025_11_25.as_str() {
            Self::Expected
        } else {
            Self::Unknown
        }
    }

    /// Decides by the header that every request after the handshake has since revision 2025-06-18.
    pub(super) fn of_headers(headers: &HeaderMap) -> Self {
        let revision = headers.get("mcp-protocol-version").map(HeaderValue::to_str);
        revision.and_then(Result::ok).map_or(Self::Unknown, Self::of_revision)
    }

    /// Removes priming events from a stream to a client that does not expect them.
    pub(super) fn filter(self, response: Response) -> Response {
        let is_stream = response
            .headers()
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        if self == Self::Expected || !is_stream {
            return response;
        }
        response.map(|body| {
            let frames = BodyStream::new(body).filter(|frame| {
                // The library writes each event as one frame.
                let event = frame.as_ref().ok().and_then(Frame::data_ref);
                ready(!event.is_some_and(|event| is_priming(event)))
            });
            Body::new(StreamBody::new(frames))
        })
    }
}

/// Whether an event has data, but nothing in it. Comments, which keep connections alive, have none.
fn is_priming(event: &[u8]) -> bool {
    let mut data =
        event.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"data:"));
    let first = data.next();
    first.is_some_and(|first| first.trim_ascii().is_empty()) && data.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::{Priming, is_priming};

    #[test]
    fn distinguishes_priming_events_from_messages_and_comments() {
        for priming in ["data:\nid:0\nretry:3000\n\n", "id: 0/1\r\nretry: 3000\r\ndata: \r\n\r\n"] {
            assert!(is_priming(priming.as_bytes()), "{priming:?}");
        }
        for other in [
            "data:{\"jsonrpc\":\"2.0\"}\nid:1\n\n",
            "data:\ndata:{}\n\n",
            ":\n\n",
            ": data:\n\n",
            "retry:3000\n\n",
        ] {
            assert!(!is_priming(other.as_bytes()), "{other:?}");
        }
    }

    #[test]
    fn expects_priming_since_the_revision_that_requires_it() {
        for (revision, expected) in [
            ("2024-11-05", Priming::Unknown),
            ("2025-06-18", Priming::Unknown),
            ("2025-11-25", Priming::Expected),
            ("2026-07-28", Priming::Expected),
            ("", Priming::Unknown),
            ("1.0.0", Priming::Unknown),
        ] {
            assert_eq!(Priming::of_revision(revision), expected, "{revision}");
        }
    }
}
