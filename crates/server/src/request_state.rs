//! Request state (2026-07-28, multi round-trip requests): what a call knew when it asked, carried
//! by the client until it repeats the request.
//!
//! The client is not trusted: the state is authenticated, bound to the request and expires. It is
//! not encrypted, so tools must not put secrets into it.

use std::{collections::BTreeMap, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Lifetime of the state: the time that a person has to answer.
const TTL: Duration = Duration::from_secs(60 * 60);

const MAX_BYTES: usize = 1 << 20;

/// The state of a call when it asked its question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RequestState {
    /// Answers accepted in earlier round trips, by question key.
    pub(crate) answers: BTreeMap<String, Value>,
    /// Digests of the tool states that the questions came with, by question key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) asked_with: BTreeMap<String, String>,
    /// Opaque state of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "bytes")]
    pub(crate) kept: Option<Vec<u8>>,
}

/// Seals and opens request state with a key that lives as long as the process.
pub(crate) struct StateSealer(RequestStateCodec);

/// State that is too large to seal, was not sealed by this process, belongs to another request, or
/// has expired.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InvalidState;

impl StateSealer {
    /// Creates a sealer with a random key.
    pub(crate) fn new() -> Self {
        let mut key = [0; RequestStateCodec::MIN_KEY_LENGTH];
        // A new key for each process: state of an earlier process is invalid, and the client asks
        // again.
        getrandom::fill(&mut key).expect("the system has a source of randomness");
        Self(RequestStateCodec::try_new(key).expect("the key has the required length"))
    }

    /// Seals state for one request. Returns `None` for empty state.
    pub(crate) fn seal(
        &self,
        state: &RequestState,
        request: &[u8],
    ) -> Result<Option<String>, InvalidState> {
        // Nothing to carry: the protocol allows questions without state.
        if *state == RequestState::default() {
            return Ok(None);
        }
        let plain = serde_json::to_vec(state).expect("state is plain data");
        if plain.len() > MAX_BYTES {
            return Err(InvalidState);
        }
        Ok(Some(self.0.seal_with(&plain, &SealOptions::new().associated_data(request).ttl(TTL))))
    }

    /// Opens state that was sealed for the same request.
    pub(crate) fn open(&self, sealed: &str, request: &[u8]) -> Result<RequestState, InvalidState> {
        let plain = self.0.open_with(sealed, request).map_err(|_| InvalidState)?;
        serde_json::from_slice(&plain).map_err(|_| InvalidState)
    }
}

/// Serializes a request so that state can be bound to it. Object members are sorted: a client may
/// reorder them when it repeats the request.
pub(crate) fn request_binding(
    method: &str,
    subject: &str,
    arguments: Option<&serde_json::Map<String, Value>>,
) -> Vec<u8> {
    let sorted: BTreeMap<_, _> =
        arguments.into_iter().flatten().map(|(key, value)| (key, sort_members(value))).collect();
    serde_json::to_vec(&(method, subject, sorted)).expect("arguments are plain data")
}

fn sort_members(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let sorted: BTreeMap<_, _> =
                members.iter().map(|(key, value)| (key.clone(), sort_members(value))).collect();
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sort_members).collect()),
        other => other.clone(),
    }
}

/// Bytes as Base64 text.
mod bytes {
    use super::{Deserialize, Engine, STANDARD};

    pub(super) fn serialize<S: serde::Serializer>(
        bytes: &Option<Vec<u8>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match bytes {
            Some(bytes) => to.serialize_some(&STANDARD.encode(bytes)),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Vec<u8>>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| STANDARD.decode(text)).transpose().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{InvalidState, RequestState, StateSealer, request_binding};

    #[test]
    fn opens_only_its_own_state_for_the_same_request() {
        let sealer = StateSealer::new();
        let state = RequestState {
            answers: [("a".to_owned(), json!({"x": 1}))].into(),
            asked_with: [("a".to_owned(), "digest".to_owned())].into(),
            kept: Some(vec![0, 255]),
        };
        let first = json!({"b": {"d": 1, "c": 2}, "a": 1});
        let again = json!({"a": 1, "b": {"c": 2, "d": 1}});
        let sealed = sealer
            .seal(&state, &request_binding("m", "t", first.as_object()))
            .expect("short")
            .expect("something");
        assert_eq!(
            sealer.open(&sealed, &request_binding("m", "t", again.as_object())),
            Ok(state),
            "whatever the order"
        );
        assert_eq!(
            sealer.open(&sealed, &request_binding("m", "t", None)),
            Err(InvalidState),
            "other arguments"
        );
        assert_eq!(
            sealer.open(&sealed, &request_binding("m", "u", first.as_object())),
            Err(InvalidState),
            "another tool"
        );
        assert_eq!(
            StateSealer::new().open(&sealed, &request_binding("m", "t", first.as_object())),
            Err(InvalidState),
            "another process"
        );
        assert_eq!(
            sealer.open(&format!("{sealed}x"), &request_binding("m", "t", first.as_object())),
            Err(InvalidState),
            "tampered with"
        );
    }

    #[test]
    fn skips_empty_state_and_rejects_large_state() {
        let sealer = StateSealer::new();
        assert_eq!(sealer.seal(&RequestState::default(), b""), Ok(None));
        let much = RequestState { kept: Some(vec![0; 1 << 20]), ..RequestState::default() };
        assert_eq!(sealer.seal(&much, b""), Err(InvalidState));
    }
}
