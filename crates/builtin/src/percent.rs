//! Percent-encoding of paths in URIs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Everything but RFC 3986's unreserved characters and the separator `/`.
const PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Encodes a path for use in a URI; `/` stays.
pub(crate) fn encode_path(path: &str) -> String {
    utf8_percent_encode(path, PATH).to_string()
}

/// Decodes a part of a URI. Returns `None` for a malformed escape, which the library would pass
/// through, and for bytes that are not UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    let is_escape = |rest: &str| {
        rest.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if !text.split('%').skip(1).all(is_escape) {
        return None;
    }
    percent_decode_str(text).decode_utf8().ok().map(|text| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn rejects_malformed_escapes_and_invalid_utf8() {
        assert_eq!(decode("a%20b%C3%A4").as_deref(), Some("a bä"));
        for malformed in ["%", "%2", "%%20", "%zz", "%+1", "%ff"] {
            assert_eq!(decode(malformed), None, "{malformed}");
        }
    }
}
