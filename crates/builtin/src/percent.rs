//! Paths in addresses: what an address cannot hold is written as `%` and two digits.

/// A path as part of an address; `/` stays.
pub(crate) fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(char::from(byte))
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// The path that a part of an address stands for; nothing if it stands for none.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        (rest, _) = match (first, others) {
            (b'%', [high, low, others @ ..]) => {
                let digit = |byte: &u8| {
                    char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
                };
                (others, bytes.push(digit(high)? * 16 + digit(low)?))
            }
            (b'%', _) => return None,
            (byte, others) => (others, bytes.push(*byte)),
        };
    }
    String::from_utf8(bytes).ok()
}
