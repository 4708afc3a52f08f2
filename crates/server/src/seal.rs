//! State that travels through the client: what a call knew when it asked, for when it is made
//! again. Sealed, because the client is not trusted with it; readable, so no secrets belong in it.

use std::{collections::BTreeMap, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How long a person may take to answer.
const TTL: Duration = Duration::from_secs(60 * 60);

/// The longest state that is handed out.
const LONGEST: usize = 1 << 20;

/// What a call knew when it asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Travelling {
    /// The answers it had already.
    pub(crate) answers: BTreeMap<String, Value>,
    /// What it left for itself.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "bytes")]
    pub(crate) kept: Option<Vec<u8>>,
}

/// Seals and opens travelling state with a key that lives as long as this process.
pub(crate) struct Seal(RequestStateCodec);

/// State that was not made here, not for this request, or too long ago.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken;

impl Seal {
    /// A seal with a fresh key.
    pub(crate) fn new() -> Self {
        let mut key = [0; RequestStateCodec::MIN_KEY_LENGTH];
        getrandom::fill(&mut key).expect("the system has random numbers");
        Self(RequestStateCodec::try_new(key).expect("the key is as long as it must be"))
    }

    /// Seals state for one request; nothing if there is nothing to seal, an error if it is too long.
    pub(crate) fn close(
        &self,
        state: &Travelling,
        request: &[u8],
    ) -> Result<Option<String>, Broken> {
        if *state == Travelling::default() {
            return Ok(None);
        }
        let plain = serde_json::to_vec(state).expect("state is plain data");
        if plain.len() > LONGEST {
            return Err(Broken);
        }
        Ok(Some(self.0.seal_with(&plain, &SealOptions::new().associated_data(request).ttl(TTL))))
    }

    /// Opens state that was sealed for the same request.
    pub(crate) fn open(&self, sealed: &str, request: &[u8]) -> Result<Travelling, Broken> {
        let plain = self.0.open_with(sealed, request).map_err(|_| Broken)?;
        serde_json::from_slice(&plain).map_err(|_| Broken)
    }
}

/// What a request is, for binding state to it: the same whatever the order of its members.
pub(crate) fn request(
    method: &str,
    subject: &str,
    arguments: Option<&serde_json::Map<String, Value>>,
) -> Vec<u8> {
    let sorted: BTreeMap<_, _> =
        arguments.into_iter().flatten().map(|(key, value)| (key, sorted(value))).collect();
    serde_json::to_vec(&(method, subject, sorted)).expect("arguments are plain data")
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let sorted: BTreeMap<_, _> =
                members.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

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

    use super::{Broken, Seal, Travelling, request};

    #[test]
    fn opens_only_what_it_sealed_and_only_for_the_same_request() {
        let seal = Seal::new();
        let state = Travelling {
            answers: [("a".to_owned(), json!({"x": 1}))].into(),
            kept: Some(vec![0, 255]),
        };
        let first = json!({"b": {"d": 1, "c": 2}, "a": 1});
        let again = json!({"a": 1, "b": {"c": 2, "d": 1}});
        let sealed = seal
            .close(&state, &request("m", "t", first.as_object()))
            .expect("short")
            .expect("something");
        assert_eq!(
            seal.open(&sealed, &request("m", "t", again.as_object())),
            Ok(state),
            "whatever the order"
        );
        assert_eq!(seal.open(&sealed, &request("m", "t", None)), Err(Broken), "other arguments");
        assert_eq!(
            seal.open(&sealed, &request("m", "u", first.as_object())),
            Err(Broken),
            "another tool"
        );
        assert_eq!(
            Seal::new().open(&sealed, &request("m", "t", first.as_object())),
            Err(Broken),
            "another process"
        );
        assert_eq!(
            seal.open(&format!("{sealed}x"), &request("m", "t", first.as_object())),
            Err(Broken),
            "tampered with"
        );
    }

    #[test]
    fn seals_nothing_for_nothing_and_refuses_too_much() {
        let seal = Seal::new();
        assert_eq!(seal.close(&Travelling::default(), b""), Ok(None));
        let much = Travelling { kept: Some(vec![0; 1 << 20]), ..Travelling::default() };
        assert_eq!(seal.close(&much, b""), Err(Broken));
    }
}
