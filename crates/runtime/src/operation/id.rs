//! Random ids, which cannot be guessed.

use std::{fmt, fs::File, io::Read, str::FromStr};

use serde::{Deserialize, Serialize};

/// Lower-case base32, without the digits that look like letters.
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// Letters of an id: 128 bits, five per letter.
const LETTERS: usize = 26;

/// The error of parsing an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the id of {of}; one looks like `{prefix}` and 26 letters and digits")]
pub struct NotAnId {
    text: String,
    of: &'static str,
    prefix: &'static str,
}

macro_rules! id {
    ($name:ident, $prefix:literal, $of:literal) => {
        #[doc = concat!("The id of ", $of, ": `", $prefix, "` and 128 random bits.")]
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// A new id.
            pub fn random() -> Self {
                Self(random_id($prefix))
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                let problem =
                    // Truncated, because the text comes from a client and goes into messages.
                    || NotAnId { text: text.chars().take(64).collect(), of: $of, prefix: $prefix };
                is_id($prefix, text).then(|| Self(text.to_owned())).ok_or_else(problem)
            }
        }

        impl TryFrom<String> for $name {
            type Error = NotAnId;

            fn try_from(text: String) -> Result<Self, NotAnId> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(OperationId, "op_", "an operation");
id!(ApprovalId, "ap_", "an approval");

/// Letters of a code: one in a billion, enough to tell the requests apart that wait at the same time.
const CODE_LETTERS: usize = 6;

impl ApprovalId {
    /// The start of the id, by which a person and a model refer to a request. Knowing it approves
    /// nothing.
    pub fn code(&self) -> &str {
        let letters = self.random_part();
        letters.get(..CODE_LETTERS).unwrap_or(letters)
    }

    /// The id without its prefix: 128 random bits.
    pub fn random_part(&self) -> &str {
        self.0.split_once('_').map_or(self.as_str(), |(_, letters)| letters)
    }
}

fn is_id(prefix: &str, text: &str) -> bool {
    let letters = text.strip_prefix(prefix).unwrap_or_default();
    letters.len() == LETTERS && letters.bytes().all(|letter| ALPHABET.contains(&letter))
}

/// `prefix` followed by 128 random bits.
fn random_id(prefix: &str) -> String {
    let mut bits = [0; 16];
    // An id is a capability: with it an owner fetches the result. So it must not be predictable.
    File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bits))
        .expect("the kernel provides random bytes");
    let bits = u128::from_ne_bytes(bits);
    let letter = |index: usize| char::from(ALPHABET[(bits >> (5 * index)) as usize & 31]);
    prefix.chars().chain((0..LETTERS).map(letter)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::OperationId;

    #[test]
    fn ids_are_long_and_unique() {
        let ids: HashSet<_> = (0..1000).map(|_| OperationId::random()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(
            ids.iter().all(|id| id.as_str().len() == 29 && id.as_str().parse() == Ok(id.clone()))
        );
    }

    #[test]
    fn rejects_malformed_ids() {
        for text in [
            "",
            "op_",
            "op_1",
            "op_../../../../../../etc/shadow",
            "xx_aaaaaaaaaaaaaaaaaaaaaaaaaa",
            "op_AAAAAAAAAAAAAAAAAAAAAAAAAA",
        ] {
            assert!(text.parse::<OperationId>().is_err(), "{text}");
        }
    }
}
