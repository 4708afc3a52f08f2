//! Rd markup, parsed: text, code, and commands with their arguments, however deep.

/// A piece of marked-up text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    /// Text, Markdown perhaps.
    Text(String),
    /// Code, from `\code{…}` or between backticks.
    Code(String),
    /// Code that leads to another page: `\code{\link{…}}`.
    Link(String),
    /// A command and its arguments.
    Command(String, Vec<Vec<Piece>>),
}

/// Marked-up text, as far as its braces could be matched.
#[derive(Debug)]
pub(crate) struct Markup {
    pub(crate) pieces: Vec<Piece>,
    /// Whether a brace is never closed.
    pub(crate) is_unbalanced: bool,
}

/// Commands whose argument is code.
const CODE: [&str; 5] = ["code", "verb", "samp", "kbd", "preformatted"];
/// Commands that take two arguments.
const PAIRS: [&str; 9] =
    ["item", "href", "eqn", "deqn", "section", "subsection", "if", "tabular", "figure"];

/// Reads marked-up text.
pub(crate) fn parse(text: &str) -> Markup {
    // roxygen2 writes an at sign twice, so that it begins no tag.
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
    /// How the quotation ends that is open.
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
                '\\' => self.backslash(&mut text, &mut pieces),
                '`' | '\'' if let Some((mark, length)) = self.quote() => {
                    text.push(mark);
                    self.skip(length);
                }
                '`' if let Some(shown) = self.inline() => text.push_str(&shown),
                '`' if let Some(code) = self.ticked() => {
                    flush(&mut text, &mut pieces);
                    pieces.push(Piece::Code(code));
                }
                _ => {
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
    fn backslash(&mut self, text: &mut String, pieces: &mut Vec<Piece>) {
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
        let is_bare = ["dots", "ldots", "R", "cr", "item", "tab", "l"].contains(&name);
        let behind = &self.rest[length..];
        if name.is_empty() || !is_bare && !behind.starts_with(['{', '[']) {
            // A path of Windows, or TeX: it stands for itself.
            text.push('\\');
            return;
        }
        self.skip(length);
        flush(text, pieces);
        pieces.push(self.command(name));
    }

    fn command(&mut self, name: &str) -> Piece {
        if self.rest.starts_with('[')
            && let Some(end) = self.rest.find(']')
            && self.rest[end + 1..].starts_with('{')
        {
            self.skip(end + 1);
        }
        if CODE.contains(&name) {
            let rest = self.rest;
            let code = self.code();
            let is_link = rest[..rest.len() - self.rest.len()].contains("\\link");
            return if is_link { Piece::Link(code) } else { Piece::Code(code) };
        }
        let most = match name {
            "ifelse" => 3,
            name => 1 + usize::from(PAIRS.contains(&name)),
        };
        let mut arguments = Vec::new();
        while arguments.len() < most && self.opens(arguments.len()) {
            arguments.push(self.pieces(End::Brace));
        }
        Piece::Command(name.to_owned(), arguments)
    }

    /// Whether an argument begins here; behind the first one, blanks may stand before the next.
    fn opens(&mut self, before: usize) -> bool {
        let rest = if before > 0 { self.rest.trim_start() } else { self.rest };
        let Some(inner) = rest.strip_prefix('{') else {
            return false;
        };
        self.rest = inner;
        true
    }

    /// The argument of a command for code. Braces count outside of quotes only; commands inside are read.
    fn code(&mut self) -> String {
        let Some(inner) = self.rest.strip_prefix('{') else {
            return String::new();
        };
        let (mut depth, mut quote, mut escaped) = (0, None, false);
        for (at, c) in inner.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' | '\'' if quote == Some(c) => quote = None,
                '"' | '\'' if quote.is_none() && has_end(&inner[at + 1..], c) => quote = Some(c),
                _ if quote.is_some() => {}
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                '}' => {
                    self.rest = &inner[at + 1..];
                    return within(&inner[..at]);
                }
                _ => {}
            }
        }
        // Nothing closes it: what is there up to the end of the line is meant.
        self.is_unbalanced = true;
        let end = inner.find('\n').unwrap_or(inner.len());
        self.rest = &inner[end..];
        String::new()
    }

    /// A mark of a quotation as TeX has them, ``so'' or `so', as people write it, and its length here.
    fn quote(&mut self) -> Option<(char, usize)> {
        if let Some(end) = self.closing.filter(|end| self.rest.starts_with(end)) {
            self.closing = None;
            return Some((if end.len() > 1 { '"' } else { '\'' }, end.len()));
        }
        let (mark, end) = if self.rest.starts_with("``") { ('"', "''") } else { ('\'', "'") };
        let body = self.rest.strip_prefix('`')?;
        let body = &body[end.len() - 1..];
        let length = body.find(end).filter(|length| *length > 0)?;
        let behind = body[length + end.len()..].chars().next();
        // Code has quotes, too: `c('a', 'b')`, `it's`.
        let is_code = body[..length].contains(['`', '(', '=', '[', '$', '"'])
            || body[..length].contains("\n\n");
        if is_code || behind.is_some_and(|c| c.is_alphanumeric() || c == '`') {
            return None;
        }
        self.closing = Some(end);
        Some((mark, end.len()))
    }

    /// R code that roxygen2 would run, between single backticks behind an `r`: the stage that a badge of lifecycle
    /// shows, else the code as text.
    fn inline(&mut self) -> Option<String> {
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

    /// What stands between backticks, as many on either side.
    fn ticked(&mut self) -> Option<String> {
        let ticks = self.rest.bytes().take_while(|byte| *byte == b'`').count();
        let fence = &self.rest[..ticks];
        let body = &self.rest[ticks..];
        let end = body.find(fence)?;
        let code = body[..end].trim();
        // The language behind a fence is none of the code.
        let code =
            if ticks > 2 { code.split_once('\n').map_or(code, |(_, code)| code) } else { code };
        let whole = code.to_owned();
        self.skip(ticks + end + ticks);
        Some(whole)
    }
}

/// Whether a quote that opens here is closed, before the code can be.
fn has_end(rest: &str, quote: char) -> bool {
    rest.find(quote).is_some_and(|end| !rest[..end].contains('\n'))
}

/// Code without the commands inside it: links, mostly.
fn within(code: &str) -> String {
    if !code.contains('\\') {
        return code.trim().to_owned();
    }
    let mut out = String::new();
    spell(&parse(code).pieces, &mut out);
    out.trim().to_owned()
}

fn spell(pieces: &[Piece], out: &mut String) {
    for piece in pieces {
        match piece {
            Piece::Text(text) | Piece::Code(text) | Piece::Link(text) => out.push_str(text),
            Piece::Command(name, _) if matches!(name.as_str(), "dots" | "ldots") => {
                out.push_str("...")
            }
            Piece::Command(_, arguments) => {
                arguments.iter().for_each(|argument| spell(argument, out))
            }
        }
    }
}

fn flush(text: &mut String, pieces: &mut Vec<Piece>) {
    if !text.is_empty() {
        pieces.push(Piece::Text(std::mem::take(text)));
    }
}
