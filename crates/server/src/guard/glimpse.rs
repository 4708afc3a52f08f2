//! A glimpse of a message that is too long to be read: the id of its request, so that whoever sent it hears why it is not
//! answered. Takes the bytes as they come and keeps only a few of them.

use rmcp::model::RequestId;

/// The longest id that is kept.
const LONGEST_ID: usize = 256;

/// Looks for the member `id` of an object, at its top level.
#[derive(Debug, Default)]
pub(super) struct Glimpse {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// The key or the value that is being passed, at the top level.
    token: Vec<u8>,
    is_id: bool,
    found: Option<RequestId>,
}

impl Glimpse {
    /// Passes over more of the message.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.found.is_some() {
                return;
            }
            match self.in_string {
                true => self.inside(*byte),
                false => self.outside(*byte),
            }
        }
    }

    /// The id, if it was passed.
    pub(super) fn id(self) -> Option<RequestId> {
        self.found
    }

    fn inside(&mut self, byte: u8) {
        self.keep(byte);
        match (self.is_escaped, byte) {
            (true, _) => self.is_escaped = false,
            (false, b'\\') => self.is_escaped = true,
            (false, b'"') => self.in_string = false,
            _ => {}
        }
    }

    fn outside(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_of_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_of_value(),
            b':' if self.depth == 1 => {
                self.is_id = self.token == br#""id""#;
                self.token.clear();
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => {
                self.in_string = byte == b'"';
                self.keep(byte);
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < LONGEST_ID {
            self.token.push(byte);
        }
    }

    fn end_of_value(&mut self) {
        if self.depth != 1 {
            return;
        }
        if self.is_id {
            self.found = serde_json::from_slice(&self.token).ok();
        }
        self.is_id = false;
        self.token.clear();
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestId;

    use super::Glimpse;

    fn glimpsed(message: &str) -> Option<RequestId> {
        let mut glimpse = Glimpse::default();
        message.as_bytes().chunks(3).for_each(|bytes| glimpse.pass(bytes));
        glimpse.id()
    }

    #[test]
    fn finds_the_id_wherever_it_is() {
        assert_eq!(
            glimpsed(r#"{"jsonrpc":"2.0","id": 7 ,"method":"x"}"#),
            Some(RequestId::Number(7))
        );
        assert_eq!(
            glimpsed(r#"{"params":{"id":1,"a":["id",{"id":2}]},"id":"a,\"b"}"#),
            Some(RequestId::String("a,\"b".into()))
        );
        assert_eq!(
            glimpsed(r#"{"method":"\"id\":3,","params":"}{\\","id":4}"#),
            Some(RequestId::Number(4))
        );
    }

    #[test]
    fn what_is_no_id_is_not_taken_for_one() {
        for message in [
            r#"{"method":"x","params":{"id":1}}"#,
            r#"["id",1]"#,
            r#"{"id":{"a":1}}"#,
            r#"{"id":null}"#,
            "xxx",
            r#"{"id":1"#,
        ] {
            assert_eq!(glimpsed(message), None, "{message}");
        }
        assert_eq!(glimpsed(&format!(r#"{{"id":"{}"}}"#, "x".repeat(1_000))), None, "too long");
    }
}
