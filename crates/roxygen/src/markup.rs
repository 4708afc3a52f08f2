//! A parser for Rd markup, the LaTeX-like syntax of R documentation.
//!
//! Blocks may mix Rd with Markdown. Commands and code are parsed here, because both decide where
//! braces match; the rest of Markdown stays in the text pieces for `markdown`.

use super::tex;

/// A piece of marked-up text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    /// Text, possibly with Markdown.
    Text(String),
    /// Code: `\code{…}` or between backticks.
    Code(String),
    /// Code that links to another page: `\code{\link{…}}`.
    Link(String),
    /// A command and its arguments.
    Command(String, Vec<Vec<Piece>>),
}

/// Parsed markup. Text after a brace that is never closed is lost.
#[derive(Debug)]
pub(crate) struct Markup {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) is_unbalanced: bool,
}

/// Commands whose argument is code.
const CODE: [&str; 5] = ["code", "verb", "samp", "kbd", "preformatted"];
/// Commands whose first argument is TeX.
const FORMULAS: [&str; 2] = ["eqn", "deqn"];
/// Commands that take two arguments.
const PAIRS: [&str; 7] = ["item", "href", "section", "subsection", "if", "tabular", "figure"];

pub(crate) fn parse(text: &str) -> Markup {
    // `@@` is the escape of roxygen2 for an at sign that does not begin a tag.
    let text = text.replace("@@", "@");
    let mut parser = Parser { rest: &text, closing: None, is_unbalanced: false };
    let pieces = parser.pieces(End::Never);
    Markup { pieces, is_unbalanced: parser.is_unbalanced }
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Never,
    Brace,
}

struct Parser<'a> {
    rest: &'a str,
    /// The closing mark of the quotation that is open.
    closing: Option<&'static str>,
    is_unbalanced: bool,
}

impl<'a> Parser<'a> {
    fn pieces(&mut self, end: End) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut depth = 0;
        while let Some(c) = self.rest.chars().next() {
            match c {
                '}' if end == End::Brace && depth == 0 => {
                    self.skip(1);
                    flush(&mut text, &mut pieces);
                    return pieces;
                }
                '\\' => self.parse_backslash(&mut text, &mut pieces),
                // Checked before code, because TeX quotations also begin with a backtick.
                '`' | '\'' if let Some((mark, length)) = self.parse_quote() => {
                    text.push(mark);
                    self.skip(length);
                }
                '`' if let Some(shown) = self.parse_inline_r() => text.push_str(&shown),
                '`' if let Some(code) = self.parse_backticks() => {
                    flush(&mut text, &mut pieces);
                    pieces.push(Piece::Code(code));
                }
                _ => {
                    // Braces of plain text are counted, so that one inside an argument does not end
                    // it.
                    depth += i32::from(c == '{') - i32::from(c == '}' && depth > 0);
                    text.push(c);
                    self.skip(c.len_utf8());
                }
            }
        }
        self.is_unbalanced |= end == End::Brace;
        flush(&mut text, &mut pieces);
        pieces
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    /// An escaped character or a command.
    fn parse_backslash(&mut self, text: &mut String, pieces: &mut Vec<Piece>) {
        self.skip(1);
        if let Some(c) = self
            .rest
            .chars()
            .next()
            .filter(|c| matches!(c, '\\' | '%' | '{' | '}' | '[' | ']' | '@' | '`'))
        {
            self.skip(1);
            text.push(c);
            return;
        }
        let length = self.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let name = &self.rest[..length];
        // Commands that take no argument, or whose argument may be absent.
        let is_bare = ["dots", "ldots", "R", "cr", "item", "tab", "l"].contains(&name);
        let after = &self.rest[length..];
        if name.is_empty() || !is_bare && !after.starts_with(['{', '[']) {
            // A Windows path or TeX, not an Rd command.
            text.push('\\');
            return;
        }
        self.skip(length);
        flush(text, pieces);
        pieces.push(self.parse_command(name));
    }

    fn parse_command(&mut self, name: &str) -> Piece {
        // `\link[pkg]{topic}`: the option is not shown.
        if self.rest.starts_with('[')
            && let Some(end) = self.rest.find(']')
            && self.rest[end + 1..].starts_with('{')
        {
            self.skip(end + 1);
        }
        if CODE.contains(&name) {
            let rest = self.rest;
            let code = self.parse_code();
            // Links are not example values, so they are distinguished from code.
            let is_link = rest[..rest.len() - self.rest.len()].contains("\\link");
            return if is_link { Piece::Link(code) } else { Piece::Code(code) };
        }
        if FORMULAS.contains(&name) {
            return self.parse_formula(name);
        }
        let most = match name {
            "ifelse" => 3,
            name => 1 + usize::from(PAIRS.contains(&name)),
        };
        let mut arguments = Vec::new();
        while arguments.len() < most && self.take_brace(arguments.len()) {
            arguments.push(self.pieces(End::Brace));
        }
        Piece::Command(name.to_owned(), arguments)
    }

    /// A formula, whose first argument is TeX, and its plain form if the author gives one.
    fn parse_formula(&mut self, name: &str) -> Piece {
        let mut arguments = Vec::new();
        if let Some(inner) = self.rest.strip_prefix('{') {
            let length = closing_brace(inner).unwrap_or_else(|| {
                self.is_unbalanced = true;
                inner.find('\n').unwrap_or(inner.len())
            });
            arguments.push(vec![Piece::Text(tex::to_text(&inner[..length]))]);
            self.rest = inner[length..].strip_prefix('}').unwrap_or(&inner[length..]);
            if self.take_brace(arguments.len()) {
                arguments.push(self.pieces(End::Brace));
            }
        }
        Piece::Command(name.to_owned(), arguments)
    }

    /// Consumes an opening brace. Blanks may precede all arguments but the first.
    fn take_brace(&mut self, before: usize) -> bool {
        let rest = if before > 0 { self.rest.trim_start() } else { self.rest };
        let Some(inner) = rest.strip_prefix('{') else {
            return false;
        };
        self.rest = inner;
        true
    }

    /// The argument of a command for code. Braces inside quotes do not count, as in R-like text of
    /// Rd; commands inside are resolved.
    fn parse_code(&mut self) -> String {
        let Some(inner) = self.rest.strip_prefix('{') else {
            return String::new();
        };
        let (mut depth, mut quote, mut escaped) = (0, None, false);
        for (at, c) in inner.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' | '\'' if quote == Some(c) => quote = None,
                '"' | '\'' if quote.is_none() && is_closed(&inner[at + 1..], c) => quote = Some(c),
                _ if quote.is_some() => {}
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                '}' => {
                    self.rest = &inner[at + 1..];
                    return resolve_commands(&inner[..at]);
                }
                _ => {}
            }
        }
        // The closing brace is missing: skip the line, so that the text after it is not lost too.
        self.is_unbalanced = true;
        let end = inner.find('\n').unwrap_or(inner.len());
        self.rest = &inner[end..];
        String::new()
    }

    /// An opening or closing mark of a TeX quotation, ``so'' or
    /// `so', as a plain quotation mark, and its length in the text.
    fn parse_quote(&mut self) -> Option<(char, usize)> {
        if let Some(end) = self.closing.filter(|end| self.rest.starts_with(end)) {
            self.closing = None;
            return Some((if end.len() > 1 { '"' } else { '\'' }, end.len()));
        }
        let (mark, end) = if self.rest.starts_with("``") { ('"', "''") } else { ('\'', "'") };
        let body = self.rest.strip_prefix('`')?;
        let body = &body[end.len() - 1..];
        let length = body.find(end).filter(|length| *length > 0)?;
        let after = body[length + end.len()..].chars().next();
        // Code between backticks may contain quotes, too: `c('a', 'b')`, `it's`.
        let is_code = body[..length].contains(['`', '(', '=', '[', '$', '"'])
            || body[..length].contains("\n\n");
        // A letter after the closing mark means an apostrophe: `don't`.
        if is_code || after.is_some_and(|c| c.is_alphanumeric() || c == '`') {
            return None;
        }
        self.closing = Some(end);
        Some((mark, end.len()))
    }

    /// Inline R code, `` `r expr` ``, which roxygen2 would run. A lifecycle badge becomes its stage
    /// in parentheses; any other code is shown as text.
    fn parse_inline_r(&mut self) -> Option<String> {
        let body = self.rest.strip_prefix("`r")?.strip_prefix(char::is_whitespace)?;
        let end = body.find('`')?;
        let code = body[..end].trim();
        let stage = code.strip_prefix("lifecycle::").unwrap_or(code).strip_prefix("badge(");
        let stage = stage
            .and_then(|stage| stage.strip_suffix(')'))
            .map(|stage| stage.trim().trim_matches(['"', '\'']));
        let shown = stage.map_or_else(|| code.to_owned(), |stage| format!("({stage})"));
        self.rest = &body[end + 1..];
        Some(shown)
    }

    /// Markdown code between backticks, the same number on either side.
    fn parse_backticks(&mut self) -> Option<String> {
        let ticks = self.rest.bytes().take_while(|byte| *byte == b'`').count();
        let fence = &self.rest[..ticks];
        let body = &self.rest[ticks..];
        let end = body.find(fence)?;
        let code = body[..end].trim();
        // The first line of a fenced block is its language.
        let code =
            if ticks > 2 { code.split_once('\n').map_or(code, |(_, code)| code) } else { code };
        let whole = code.to_owned();
        self.skip(ticks + end + ticks);
        Some(whole)
    }
}

/// The offset of the brace that closes the current group. `text` starts after its opening brace.
fn closing_brace(text: &str) -> Option<usize> {
    let (mut depth, mut is_escaped) = (0, false);
    text.char_indices().find_map(|(at, c)| {
        let was_escaped = is_escaped;
        is_escaped = c == '\\' && !was_escaped;
        match c {
            '{' if !was_escaped => depth += 1,
            '}' if !was_escaped && depth == 0 => return Some(at),
            '}' if !was_escaped => depth -= 1,
            _ => {}
        }
        None
    })
}

/// Whether a quote is closed on the same line; otherwise it is an apostrophe.
fn is_closed(rest: &str, quote: char) -> bool {
    rest.find(quote).is_some_and(|end| !rest[..end].contains('\n'))
}

/// Code with the commands inside it, mostly links, replaced by their text.
fn resolve_commands(code: &str) -> String {
    if !code.contains('\\') {
        return code.trim().to_owned();
    }
    let mut out = String::new();
    push_text(&parse(code).pieces, &mut out);
    out.trim().to_owned()
}

fn push_text(pieces: &[Piece], out: &mut String) {
    for piece in pieces {
        match piece {
            Piece::Text(text) | Piece::Code(text) | Piece::Link(text) => out.push_str(text),
            Piece::Command(name, _) if matches!(name.as_str(), "dots" | "ldots") => {
                out.push_str("...")
            }
            Piece::Command(_, arguments) => {
                arguments.iter().for_each(|argument| push_text(argument, out))
            }
        }
    }
}

fn flush(text: &mut String, pieces: &mut Vec<Piece>) {
    if !text.is_empty() {
        pieces.push(Piece::Text(std::mem::take(text)));
    }
}
