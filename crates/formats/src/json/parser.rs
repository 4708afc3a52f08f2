//! The parser: recursive descent over bytes, with a bound on depth.

use std::{collections::HashSet, mem};

use catalog::Severity;

use super::{Member, Node, Problem, Span, Value, number};
use crate::rules::syntax::{
    BROKEN_JSON, BYTE_ORDER_MARK, COMMENT, DUPLICATE_KEY, EMPTY_FILE, NUL, TOO_DEEP, TRAILING_COMMA,
};

/// How deep arrays and objects may nest.
pub const MAX_DEPTH: usize = 128;

/// A text with more errors than this is not read further.
const MAX_ERRORS: usize = 100;

/// No more warnings and notes than this are kept.
const MAX_WARNINGS: usize = 20;

/// Objects up to this size are searched for duplicate keys by comparing.
const SMALL: usize = 16;

/// What a text holds, as far as it could be read.
#[derive(Debug)]
pub struct Parsed<'a> {
    /// The tree, unless the text ends or goes astray before the tree does.
    pub root: Option<Node<'a>>,
    /// Everything that is wrong, in the order of the text.
    pub problems: Vec<Problem>,
    /// Whether values are missing from the tree, so that nothing should be concluded from it.
    pub is_lossy: bool,
}

/// Reads a text.
pub fn parse(text: &str) -> Parsed<'_> {
    let mut parser = Parser {
        text,
        bytes: text.as_bytes(),
        at: 0,
        problems: Vec::new(),
        errors: 0,
        warnings: 0,
        has_comment: false,
        broken_text: None,
        is_lossy: false,
        is_too_deep: false,
    };
    let root = parser.document().ok();
    let is_lossy = parser.is_lossy || root.is_none();
    Parsed { root, problems: parser.problems, is_lossy }
}

/// Reading cannot go on; why has been reported.
pub(super) struct Stop;

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    problems: Vec<Problem>,
    errors: usize,
    warnings: usize,
    has_comment: bool,
    /// The opening quote of the last text with a line break in it: probably where a quote is missing.
    pub(super) broken_text: Option<usize>,
    is_lossy: bool,
    is_too_deep: bool,
}

impl<'a> Parser<'a> {
    fn document(&mut self) -> Result<Node<'a>, Stop> {
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
            self.report(
                Problem::new(&BYTE_ORDER_MARK, 0, "the file begins with a byte order mark")
                    .hint("save it without"),
            )?;
        }
        self.skip_blank()?;
        if self.at == self.bytes.len() {
            return Err(self.stop(
                Problem::new(&EMPTY_FILE, 0, "the file is empty")
                    .hint("write a definition or remove the file"),
            ));
        }
        let root = self.value(0)?;
        self.skip_blank()?;
        if self.at < self.bytes.len() {
            let problem = Problem::new(&BROKEN_JSON, self.at, "the file goes on after its end");
            self.report(
                problem.hint("one file holds one definition; check the brackets before this place"),
            )?;
        }
        Ok(root)
    }

    fn value(&mut self, depth: usize) -> Result<Node<'a>, Stop> {
        let start = self.at;
        let value = match self.peek() {
            Some(b'{' | b'[') if depth == MAX_DEPTH => self.too_deep()?,
            Some(b'{') => Value::Object(self.object(depth + 1)?),
            Some(b'[') => Value::Array(self.array(depth + 1)?),
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'+' | b'.' | b'0'..=b'9') => self.number()?,
            Some(byte) if byte.is_ascii_alphabetic() => self.word()?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Node { value, span: Span::new(start, self.at) })
    }

    fn object(&mut self, depth: usize) -> Result<Vec<Member<'a>>, Stop> {
        let open = self.at;
        self.at += 1;
        let mut members = Vec::new();
        while !self.is_closed(b'}', open, members.is_empty())? {
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let start = self.at;
            let key = self.string()?;
            let key_span = Span::new(start, self.at);
            self.skip_blank()?;
            if self.peek() != Some(b':') {
                return Err(self.unexpected("`:`"));
            }
            self.at += 1;
            self.skip_blank()?;
            let value = self.value(depth)?;
            members.push(Member { key, key_span, value });
        }
        self.check_duplicates(&members)?;
        Ok(members)
    }

    fn array(&mut self, depth: usize) -> Result<Vec<Node<'a>>, Stop> {
        let open = self.at;
        self.at += 1;
        let mut items = Vec::new();
        while !self.is_closed(b']', open, items.is_empty())? {
            items.push(self.value(depth)?);
        }
        Ok(items)
    }

    /// Moves to the next member or item, or past the closing bracket, which it says by true.
    fn is_closed(&mut self, close: u8, open: usize, is_first: bool) -> Result<bool, Stop> {
        self.skip_blank()?;
        let mut has_comma = is_first;
        while self.peek() == Some(b',') {
            if has_comma {
                self.report(
                    Problem::new(&BROKEN_JSON, self.at, "nothing stands before this comma")
                        .hint("remove it"),
                )?;
            }
            let comma = self.at;
            has_comma = true;
            self.at += 1;
            self.skip_blank()?;
            if self.peek() == Some(close) {
                self.report(
                    Problem::new(&TRAILING_COMMA, comma, "nothing follows this comma")
                        .hint("remove it"),
                )?;
            }
        }
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            None => Err(self.unclosed(open)),
            Some(b'}' | b']') => Err(self.unexpected(&format!("`{}`", char::from(close)))),
            Some(_) if !has_comma => {
                let problem = Problem::new(&BROKEN_JSON, self.at, "a comma is missing before this");
                self.report(problem.hint("add `,`")).map(|()| false)
            }
            Some(_) => Ok(false),
        }
    }

    fn check_duplicates(&mut self, members: &[Member<'a>]) -> Result<(), Stop> {
        let mut seen = HashSet::new();
        for (index, member) in members.iter().enumerate() {
            let is_new = match members.len() <= SMALL {
                true => !members[..index].iter().any(|earlier| earlier.key == member.key),
                false => seen.insert(&*member.key),
            };
            if !is_new {
                let message = format!("the key `{}` stands here for the second time", member.key);
                self.report(
                    Problem::new(&DUPLICATE_KEY, member.key_span.start(), message)
                        .hint("keep one of the two"),
                )?;
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Value<'a>, Stop> {
        let start = self.at;
        let token = self.token();
        let problem = match number::read(token) {
            Ok(number) => return Ok(Value::Number(number)),
            Err(number::NumberError::Spelling) => {
                Problem::new(&BROKEN_JSON, start, format!("`{token}` is not a number"))
                    .hint("write it like `12`, `-0.5` or `1e6`")
            }
            Err(number::NumberError::Range) => {
                Problem::new(&BROKEN_JSON, start, format!("`{token}` is out of range"))
            }
        };
        self.lose(problem)
    }

    fn word(&mut self) -> Result<Value<'a>, Stop> {
        let start = self.at;
        let token = self.token();
        let meant = match token {
            "null" => return Ok(Value::Null),
            "true" => return Ok(Value::Bool(true)),
            "false" => return Ok(Value::Bool(false)),
            _ if token.eq_ignore_ascii_case("true") => "write `true`",
            _ if token.eq_ignore_ascii_case("false") => "write `false`",
            "None" | "nil" | "undefined" | "NULL" | "Null" => "write `null`",
            _ => "text needs double quotes",
        };
        self.lose(Problem::new(&BROKEN_JSON, start, format!("`{token}` is not JSON")).hint(meant))
    }

    fn token(&mut self) -> &'a str {
        let rest = &self.bytes[self.at..];
        let is_part =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_');
        let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let token = &self.text[self.at..self.at + length];
        self.at += length;
        token
    }

    /// Skips an array or object that lies too deep, without recursion.
    fn too_deep(&mut self) -> Result<Value<'a>, Stop> {
        if !mem::replace(&mut self.is_too_deep, true) {
            let message = format!("arrays and objects nest more than {MAX_DEPTH} deep here");
            self.report(Problem::new(&TOO_DEEP, self.at, message).hint("flatten the definition"))?;
        }
        self.is_lossy = true;
        let open = self.at;
        let mut depth = 0_usize;
        loop {
            self.skip_blank()?;
            match self.peek() {
                None => return Err(self.unclosed(open)),
                Some(b'{' | b'[') => depth += 1,
                Some(b'}' | b']') => depth -= 1,
                Some(b'"') => {
                    self.string()?;
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
                Some(b'/') => self.comment()?,
                Some(0) => {
                    self.report(
                        Problem::new(&NUL, self.at, "a NUL byte stands here").hint("remove it"),
                    )?;
                    self.at += 1;
                }
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), Stop> {
        let rest = &self.text[self.at..];
        let length = match self.bytes.get(self.at + 1) {
            Some(b'/') => rest.find('\n').unwrap_or(rest.len()),
            Some(b'*') => match rest[2..].find("*/") {
                Some(end) => end + 4,
                None => {
                    return Err(self.stop(
                        Problem::new(&BROKEN_JSON, self.at, "this comment is never closed")
                            .hint("add `*/`"),
                    ));
                }
            },
            _ => return Err(self.unexpected("a value")),
        };
        let start = self.at;
        self.at += length;
        if !mem::replace(&mut self.has_comment, true) {
            let problem = Problem::new(&COMMENT, start, "the file has comments");
            self.report(problem.hint("they are read over here; other programs may refuse them"))?;
        }
        Ok(())
    }

    /// Notes a problem; too many errors end the reading.
    pub(super) fn report(&mut self, problem: Problem) -> Result<(), Stop> {
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

    /// Notes a problem with which reading ends.
    pub(super) fn stop(&mut self, mut problem: Problem) -> Stop {
        if let Some(open) = self.broken_text.filter(|open| *open != problem.offset) {
            let line = self.line(open);
            problem.hint = Some(format!(
                "the text that opens on line {line} goes over several lines: is its closing quote missing?"
            ));
        }
        self.problems.push(problem);
        Stop
    }

    fn lose(&mut self, problem: Problem) -> Result<Value<'a>, Stop> {
        self.is_lossy = true;
        self.report(problem).map(|()| Value::Null)
    }

    fn unexpected(&mut self, expected: &str) -> Stop {
        let problem = match self.text[self.at..].chars().next() {
            None => Problem::new(
                &BROKEN_JSON,
                self.at,
                format!("the file ends where {expected} should stand"),
            ),
            Some(c) => {
                let problem = Problem::new(
                    &BROKEN_JSON,
                    self.at,
                    format!("expected {expected}, found `{}`", c.escape_debug()),
                );
                match c {
                    '\'' => problem.hint("JSON uses double quotes"),
                    _ => problem,
                }
            }
        };
        self.stop(problem)
    }

    fn unclosed(&mut self, open: usize) -> Stop {
        let bracket = char::from(self.bytes[open]);
        let line = self.line(open);
        let problem = Problem::new(
            &BROKEN_JSON,
            self.bytes.len(),
            format!("the file ends before the `{bracket}` of line {line} is closed"),
        );
        self.stop(problem.hint("add the missing bracket; is the file cut off?"))
    }

    fn line(&self, offset: usize) -> usize {
        self.bytes[..offset].iter().filter(|byte| **byte == b'\n').count() + 1
    }
}
