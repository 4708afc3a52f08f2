//! The parser: recursive descent over bytes, with bounded depth.

use std::{collections::HashSet, mem};

use catalog::Severity;

use super::{Member, Node, Span, SyntaxProblem, Value, number};
use crate::rules::syntax::{
    BROKEN_JSON, BYTE_ORDER_MARK, COMMENT, DUPLICATE_KEY, EMPTY_FILE, NUL, TOO_DEEP, TRAILING_COMMA,
};

/// Maximum nesting of arrays and objects. The parser recurses once per level, so this also bounds
/// its use of the stack.
pub const MAX_DEPTH: usize = 128;

/// Parsing stops after this many errors: the rest is most likely not JSON at all.
const MAX_ERRORS: usize = 100;

/// Further warnings and notes are dropped.
const MAX_WARNINGS: usize = 20;

/// In objects up to this size, comparing all pairs of keys is faster than hashing them.
const MAX_COMPARED: usize = 16;

/// The result of parsing a text.
#[derive(Debug)]
pub struct Parsed<'a> {
    /// The tree; none if parsing stopped before its end.
    pub root: Option<Node<'a>>,
    /// All problems, in the order of the text.
    pub problems: Vec<SyntaxProblem>,
    /// Whether values were replaced by null, so that the tree must not be interpreted.
    pub is_lossy: bool,
}

/// Parses a text.
pub fn parse(text: &str) -> Parsed<'_> {
    let mut parser = Parser {
        text,
        bytes: text.as_bytes(),
        at: 0,
        problems: Vec::new(),
        errors: 0,
        warnings: 0,
        has_comment: false,
        multiline_string: None,
        is_lossy: false,
        is_too_deep: false,
    };
    let root = parser.parse_document().ok();
    let is_lossy = parser.is_lossy || root.is_none();
    Parsed { root, problems: parser.problems, is_lossy }
}

/// Parsing cannot continue; the reason has been reported.
pub(super) struct Stop;

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    problems: Vec<SyntaxProblem>,
    errors: usize,
    warnings: usize,
    has_comment: bool,
    /// The opening quote of the last string with a raw line break, where a closing quote is
    /// probably missing.
    pub(super) multiline_string: Option<usize>,
    is_lossy: bool,
    is_too_deep: bool,
}

impl<'a> Parser<'a> {
    fn parse_document(&mut self) -> Result<Node<'a>, Stop> {
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
            self.report(
                SyntaxProblem::new(&BYTE_ORDER_MARK, 0, "the file begins with a byte order mark")
                    .hint("save it without one"),
            )?;
        }
        self.skip_blank()?;
        if self.at == self.bytes.len() {
            return Err(self.stop(
                SyntaxProblem::new(&EMPTY_FILE, 0, "the file is empty")
                    .hint("write a definition or remove the file"),
            ));
        }
        let root = self.parse_value(0)?;
        self.skip_blank()?;
        if self.at < self.bytes.len() {
            let problem = SyntaxProblem::new(
                &BROKEN_JSON,
                self.at,
                "unexpected text after the end of the document",
            );
            self.report(
                problem
                    .hint("keep one definition per file, and check the brackets before this point"),
            )?;
        }
        Ok(root)
    }

    fn parse_value(&mut self, depth: usize) -> Result<Node<'a>, Stop> {
        let start = self.at;
        let value = match self.peek() {
            Some(b'{' | b'[') if depth == MAX_DEPTH => self.skip_too_deep()?,
            Some(b'{') => Value::Object(self.parse_object(depth + 1)?),
            Some(b'[') => Value::Array(self.parse_array(depth + 1)?),
            Some(b'"') => Value::String(self.parse_string()?),
            Some(b'-' | b'+' | b'.' | b'0'..=b'9') => self.parse_number()?,
            Some(byte) if byte.is_ascii_alphabetic() => self.parse_literal()?,
            _ => return Err(self.stop_unexpected("a value")),
        };
        Ok(Node { value, span: Span::new(start, self.at) })
    }

    fn parse_object(&mut self, depth: usize) -> Result<Vec<Member<'a>>, Stop> {
        let open = self.at;
        self.at += 1;
        let mut members = Vec::new();
        while !self.skip_to_next_or_close(b'}', open, members.is_empty())? {
            if self.peek() != Some(b'"') {
                return Err(self.stop_unexpected("a key in double quotes"));
            }
            let start = self.at;
            let key = self.parse_string()?;
            let key_span = Span::new(start, self.at);
            self.skip_blank()?;
            if self.peek() != Some(b':') {
                return Err(self.stop_unexpected("`:`"));
            }
            self.at += 1;
            self.skip_blank()?;
            let value = self.parse_value(depth)?;
            members.push(Member { key, key_span, value });
        }
        self.check_duplicates(&members)?;
        Ok(members)
    }

    fn parse_array(&mut self, depth: usize) -> Result<Vec<Node<'a>>, Stop> {
        let open = self.at;
        self.at += 1;
        let mut items = Vec::new();
        while !self.skip_to_next_or_close(b']', open, items.is_empty())? {
            items.push(self.parse_value(depth)?);
        }
        Ok(items)
    }

    /// Skips to the next member or item and returns false, or past the closing bracket and returns
    /// true. Extra and missing commas are reported and repaired.
    fn skip_to_next_or_close(
        &mut self,
        close: u8,
        open: usize,
        is_first: bool,
    ) -> Result<bool, Stop> {
        self.skip_blank()?;
        let mut has_comma = is_first;
        // Commas are what editors and models get wrong most often. Repairing them here lets the
        // rest of the file be checked in the same run; the error still keeps the tools from being
        // served.
        while self.peek() == Some(b',') {
            if has_comma {
                self.report(
                    SyntaxProblem::new(
                        &BROKEN_JSON,
                        self.at,
                        "there is no value before this comma",
                    )
                    .hint("remove it"),
                )?;
            }
            let comma = self.at;
            has_comma = true;
            self.at += 1;
            self.skip_blank()?;
            if self.peek() == Some(close) {
                self.report(
                    SyntaxProblem::new(
                        &TRAILING_COMMA,
                        comma,
                        "there is no value after this comma",
                    )
                    .hint("remove it"),
                )?;
            }
        }
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            None => Err(self.stop_unclosed(open)),
            // The wrong kind of bracket: which one is missing cannot be guessed.
            Some(b'}' | b']') => Err(self.stop_unexpected(&format!("`{}`", char::from(close)))),
            Some(_) if !has_comma => {
                let problem =
                    SyntaxProblem::new(&BROKEN_JSON, self.at, "a comma is missing before this");
                self.report(problem.hint("add `,`")).map(|()| false)
            }
            Some(_) => Ok(false),
        }
    }

    /// Reports duplicate keys. Parsers disagree about which of them applies, so a reviewer and the
    /// server could see different commands in the same file.
    fn check_duplicates(&mut self, members: &[Member<'a>]) -> Result<(), Stop> {
        let mut seen = HashSet::new();
        for (index, member) in members.iter().enumerate() {
            let is_new = if members.len() <= MAX_COMPARED {
                !members[..index].iter().any(|earlier| earlier.key == member.key)
            } else {
                seen.insert(&*member.key)
            };
            if !is_new {
                let message = format!("the key `{}` is repeated", member.key);
                self.report(
                    SyntaxProblem::new(&DUPLICATE_KEY, member.key_span.start(), message)
                        .hint("keep one of them"),
                )?;
            }
        }
        Ok(())
    }

    fn parse_number(&mut self) -> Result<Value<'a>, Stop> {
        let start = self.at;
        let token = self.take_token();
        let problem = match number::parse(token) {
            Ok(number) => return Ok(Value::Number(number)),
            Err(number::NumberError::Spelling) => {
                SyntaxProblem::new(&BROKEN_JSON, start, format!("`{token}` is not a number"))
                    .hint("write it like `12`, `-0.5` or `1e6`")
            }
            Err(number::NumberError::Range) => {
                SyntaxProblem::new(&BROKEN_JSON, start, format!("`{token}` is out of range"))
            }
        };
        self.replace_by_null(problem)
    }

    fn parse_literal(&mut self) -> Result<Value<'a>, Stop> {
        let start = self.at;
        let token = self.take_token();
        let hint = match token {
            "null" => return Ok(Value::Null),
            "true" => return Ok(Value::Bool(true)),
            "false" => return Ok(Value::Bool(false)),
            // Literals of Python, JavaScript, R and Ruby, from which definitions are often copied.
            _ if token.eq_ignore_ascii_case("true") => "write `true`",
            _ if token.eq_ignore_ascii_case("false") => "write `false`",
            "None" | "nil" | "undefined" | "NULL" | "Null" => "write `null`",
            _ => "put strings in double quotes",
        };
        self.replace_by_null(
            SyntaxProblem::new(&BROKEN_JSON, start, format!("`{token}` is not JSON")).hint(hint),
        )
    }

    fn take_token(&mut self) -> &'a str {
        let rest = &self.bytes[self.at..];
        let is_part =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_');
        let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let token = &self.text[self.at..self.at + length];
        self.at += length;
        token
    }

    /// Skips an array or object below the maximum depth without recursion, so that hostile nesting
    /// cannot overflow the stack.
    fn skip_too_deep(&mut self) -> Result<Value<'a>, Stop> {
        if !mem::replace(&mut self.is_too_deep, true) {
            let message =
                format!("arrays and objects are nested more than {MAX_DEPTH} levels deep");
            self.report(
                SyntaxProblem::new(&TOO_DEEP, self.at, message).hint("flatten the definition"),
            )?;
        }
        self.is_lossy = true;
        let open = self.at;
        let mut depth = 0_usize;
        loop {
            self.skip_blank()?;
            match self.peek() {
                None => return Err(self.stop_unclosed(open)),
                Some(b'{' | b'[') => depth += 1,
                Some(b'}' | b']') => depth -= 1,
                Some(b'"') => {
                    self.parse_string()?;
                    continue;
                }
                Some(_) => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(Value::Null);
            }
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_blank(&mut self) -> Result<(), Stop> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') => self.skip_comment()?,
                Some(0) => {
                    self.report(
                        SyntaxProblem::new(&NUL, self.at, "there is a NUL byte here")
                            .hint("remove it"),
                    )?;
                    self.at += 1;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Skips a comment. Many published definitions have comments, so they get one note per file.
    fn skip_comment(&mut self) -> Result<(), Stop> {
        let rest = &self.text[self.at..];
        let length = match self.bytes.get(self.at + 1) {
            Some(b'/') => rest.find('\n').unwrap_or(rest.len()),
            Some(b'*') => match rest[2..].find("*/") {
                Some(end) => end + 4,
                None => {
                    return Err(self.stop(
                        SyntaxProblem::new(&BROKEN_JSON, self.at, "this comment is never closed")
                            .hint("add `*/`"),
                    ));
                }
            },
            _ => return Err(self.stop_unexpected("a value")),
        };
        let start = self.at;
        self.at += length;
        if !mem::replace(&mut self.has_comment, true) {
            let problem = SyntaxProblem::new(&COMMENT, start, "the file has comments");
            self.report(
                problem.hint("they are skipped here, but other programs may reject the file"),
            )?;
        }
        Ok(())
    }

    /// Records a problem; fails if there are too many errors.
    pub(super) fn report(&mut self, problem: SyntaxProblem) -> Result<(), Stop> {
        let (count, most) = match problem.rule.severity {
            Severity::Error => (&mut self.errors, MAX_ERRORS),
            Severity::Warning | Severity::Note => (&mut self.warnings, MAX_WARNINGS),
        };
        *count += 1;
        if *count <= most {
            self.problems.push(problem);
        }
        if self.errors < MAX_ERRORS { Ok(()) } else { Err(Stop) }
    }

    /// Records the problem that parsing stops at. A missing quote is usually noticed only lines
    /// later, so the hint names the string that it most likely belongs to.
    pub(super) fn stop(&mut self, mut problem: SyntaxProblem) -> Stop {
        if let Some(open) = self.multiline_string.filter(|open| *open != problem.offset) {
            let line = self.line_of(open);
            problem.hint = Some(format!(
                "the string that begins on line {line} spans several lines: is its closing quote missing?"
            ));
        }
        self.problems.push(problem);
        Stop
    }

    fn replace_by_null(&mut self, problem: SyntaxProblem) -> Result<Value<'a>, Stop> {
        // Null could be a valid value of the field, so the tree must not be interpreted.
        self.is_lossy = true;
        self.report(problem).map(|()| Value::Null)
    }

    fn stop_unexpected(&mut self, expected: &str) -> Stop {
        let problem = match self.text[self.at..].chars().next() {
            None => SyntaxProblem::new(
                &BROKEN_JSON,
                self.at,
                format!("expected {expected}, found the end of the file"),
            ),
            Some(c) => {
                let problem = SyntaxProblem::new(
                    &BROKEN_JSON,
                    self.at,
                    format!("expected {expected}, found `{}`", quoted(c)),
                );
                match c {
                    '\'' => problem.hint("JSON uses double quotes"),
                    _ => problem,
                }
            }
        };
        self.stop(problem)
    }

    fn stop_unclosed(&mut self, open: usize) -> Stop {
        let bracket = char::from(self.bytes[open]);
        let line = self.line_of(open);
        let problem = SyntaxProblem::new(
            &BROKEN_JSON,
            self.bytes.len(),
            format!("the file ends before the `{bracket}` of line {line} is closed"),
        );
        self.stop(problem.hint("add the missing bracket; is the file truncated?"))
    }

    fn line_of(&self, offset: usize) -> usize {
        self.bytes[..offset].iter().filter(|byte| **byte == b'\n').count() + 1
    }
}

/// Formats a character for a message. Control characters are escaped; a single quote is not.
fn quoted(c: char) -> String {
    if c == '\'' { c.to_string() } else { c.escape_debug().to_string() }
}
