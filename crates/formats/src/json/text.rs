//! Strings.

use std::borrow::Cow;

use super::{
    SyntaxProblem,
    parser::{Parser, Stop},
};
use crate::rules::syntax::{BROKEN_JSON, NUL, RAW_CONTROL};

impl<'a> Parser<'a> {
    /// Parses a string, of which the opening quote is next. A string without escapes is borrowed.
    pub(super) fn parse_string(&mut self) -> Result<Cow<'a, str>, Stop> {
        let open = self.at;
        self.at += 1;
        let start = self.at;
        self.skip_plain();
        if self.peek() == Some(b'"') {
            let text = &self.text[start..self.at];
            self.at += 1;
            return Ok(Cow::Borrowed(text));
        }
        self.parse_unusual_string(open, start).map(Cow::Owned)
    }

    fn skip_plain(&mut self) {
        let is_plain = |byte: &u8| *byte != b'"' && *byte != b'\\' && *byte >= 0x20;
        let length = self.bytes[self.at..].iter().position(|byte| !is_plain(byte));
        self.at = length.map_or(self.bytes.len(), |length| self.at + length);
    }

    /// Continues at the first byte that is an escape, a control character or the end of the file.
    fn parse_unusual_string(&mut self, open: usize, start: usize) -> Result<String, Stop> {
        let mut text = String::from(&self.text[start..self.at]);
        let mut is_warned = false;
        loop {
            match self.peek() {
                None => {
                    let problem =
                        SyntaxProblem::new(&BROKEN_JSON, open, "this string is never closed")
                            .hint("add the missing `\"`");
                    return Err(self.stop(problem));
                }
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => self.parse_escape(&mut text)?,
                Some(byte) => {
                    self.report_control(byte, open, &mut is_warned)?;
                    self.at += 1;
                    if byte != 0 {
                        text.push(char::from(byte));
                    }
                }
            }
            let plain = self.at;
            self.skip_plain();
            text.push_str(&self.text[plain..self.at]);
        }
    }

    /// Reports a raw control character, once per string. Hand-written definitions often break long
    /// descriptions over lines, so that is a warning and the line break is kept.
    fn report_control(&mut self, byte: u8, open: usize, is_warned: &mut bool) -> Result<(), Stop> {
        if byte == 0 {
            return self.report(
                SyntaxProblem::new(&NUL, self.at, "there is a NUL byte in a string")
                    .hint("remove it"),
            );
        }
        if std::mem::replace(is_warned, true) {
            return Ok(());
        }
        self.multiline_string = Some(open);
        let (what, escape) = match byte {
            b'\n' | b'\r' => ("line break", r"\n".to_owned()),
            b'\t' => ("tab", r"\t".to_owned()),
            _ => ("control character", format!(r"\u{byte:04x}")),
        };
        let problem =
            SyntaxProblem::new(&RAW_CONTROL, self.at, format!("there is a raw {what} in a string"));
        self.report(problem.hint(format!("write `{escape}`; other programs reject this file")))
    }

    fn parse_escape(&mut self, text: &mut String) -> Result<(), Stop> {
        let start = self.at;
        let letter = self.bytes.get(start + 1).copied();
        self.at += 2;
        let c = match letter {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => match self.parse_unicode() {
                Some(c) => c,
                None => return self.report_bad_escape(start, text),
            },
            _ => {
                // Only the backslash is skipped: the character after it may have several bytes, and
                // slices of the text must begin at a character.
                self.at = start + 1;
                return self.report_bad_escape(start, text);
            }
        };
        text.push(c);
        Ok(())
    }

    /// Parses `XXXX` after `\u`, and the low surrogate that must follow a high one.
    fn parse_unicode(&mut self) -> Option<char> {
        let first = self.parse_four_digits()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first);
        }
        if !self.bytes[self.at..].starts_with(br"\u") {
            return None;
        }
        self.at += 2;
        let second = self.parse_four_digits().filter(|unit| (0xDC00..0xE000).contains(unit))?;
        char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    }

    fn parse_four_digits(&mut self) -> Option<u32> {
        let digits = self
            .bytes
            .get(self.at..self.at + 4)
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
        let unit = digits
            .iter()
            .fold(0, |unit, digit| unit * 16 + char::from(*digit).to_digit(16).unwrap_or_default());
        self.at += 4;
        Some(unit)
    }

    fn report_bad_escape(&mut self, start: usize, text: &mut String) -> Result<(), Stop> {
        // A placeholder, so that a string of only this escape is not reported as blank too.
        text.push(char::REPLACEMENT_CHARACTER);
        let shown: String = self.text[start..].chars().take(2).collect();
        let problem =
            SyntaxProblem::new(&BROKEN_JSON, start, format!("`{shown}` is not a valid escape"));
        self.report(
            problem.hint(
                r"write `\\` for a backslash and `\uXXXX` (a surrogate pair above U+FFFF) for a character",
            ),
        )
    }
}
