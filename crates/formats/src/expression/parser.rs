//! A hand-written parser, so that every error has a location and a hint for the model that wrote
//! the expression.

use std::ops::Range;

use super::{Expression, ExpressionError, Pattern, Selection, Term, check_name, is_special};

const SYNTAX: &str =
    "write `category/pattern`, with `+` between patterns and `,` between categories";
const RELATIVE: &str = "use a path relative to the category's folder";

pub(super) fn parse_expression(text: &str) -> Result<Expression, ExpressionError> {
    let mut parser = Parser { text, at: 0 };
    let mut terms = Vec::new();
    loop {
        parser.skip(|c| c == ',' || c.is_whitespace());
        if parser.peek().is_none() {
            break;
        }
        terms.push(parser.parse_term()?);
    }
    if terms.is_empty() {
        return Err(error(0..text.len(), "the expression is empty", SYNTAX));
    }
    if terms.iter().all(|term| term.selection == Selection::Exclude) {
        return Err(error(
            0..text.len(),
            "the expression only excludes documents",
            "name a category to include first: `lang,!lang/draft*`",
        ));
    }
    Ok(Expression { terms })
}

/// Parses patterns in the syntax after a `/`.
pub(super) fn parse_patterns(text: &str) -> Result<Vec<Pattern>, ExpressionError> {
    let mut parser = Parser { text, at: 0 };
    let patterns = parser.parse_patterns()?;
    match parser.peek() {
        None => Ok(patterns),
        Some(_) => Err(error(
            parser.at..parser.at + 1,
            "unexpected `,` in a pattern",
            "separate patterns by `+`, or escape the comma as `\\,`",
        )),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&is_skipped) {
            self.next();
        }
    }

    fn parse_selection(&mut self) -> Selection {
        if self.peek() != Some('!') {
            return Selection::Include;
        }
        self.next();
        self.skip(char::is_whitespace);
        Selection::Exclude
    }

    fn parse_term(&mut self) -> Result<Term, ExpressionError> {
        let selection = self.parse_selection();
        let name = self.parse_name()?;
        let patterns = match self.peek() {
            Some('/') => {
                self.next();
                self.parse_patterns()?
            }
            _ => Vec::new(),
        };
        Ok(Term { selection, name, patterns })
    }

    fn parse_name(&mut self) -> Result<String, ExpressionError> {
        let start = self.at;
        self.skip(|c| c != '/' && c != ',');
        let name = self.text[start..self.at].trim_end();
        let span = start..start + name.len();
        if name.is_empty() {
            return Err(error(start..self.at, "expected the name of a category", SYNTAX));
        }
        match check_name(name) {
            Ok(()) => Ok(name.to_owned()),
            // Models often forget the category, or join categories like patterns.
            Err(_) if name.contains('+') => Err(error(
                span,
                format!("`{name}` has a `+` outside of patterns"),
                "separate categories by `,`; `+` separates patterns",
            )),
            Err(_) if name.contains(['*', '?', '{', '[']) => Err(error(
                span,
                format!("`{name}` is a pattern without a category"),
                "write the category first: `lang/*`",
            )),
            Err(why) => Err(error(
                span,
                format!("`{}` is not a valid category: {why}", name.escape_debug()),
                SYNTAX,
            )),
        }
    }

    fn parse_patterns(&mut self) -> Result<Vec<Pattern>, ExpressionError> {
        let mut patterns = Vec::new();
        loop {
            self.skip(|c| c == '+' || c.is_whitespace());
            if matches!(self.peek(), None | Some(',')) {
                return Ok(patterns);
            }
            let selection = self.parse_selection();
            let start = self.at;
            let glob = self.parse_glob()?;
            check_path(&glob, start..self.at)?;
            patterns.push(Pattern { selection, glob });
        }
    }

    /// Parses one pattern, up to a `,` or `+` that is not escaped, quoted or in brackets. Quotes
    /// become escapes; trailing whitespace is removed unless it is escaped.
    fn parse_glob(&mut self) -> Result<String, ExpressionError> {
        let mut glob = String::new();
        let mut length = 0;
        let mut braces = Vec::new();
        while let Some(c) = self.peek() {
            let start = self.at;
            if matches!(c, ',' | '+') && braces.is_empty() {
                break;
            }
            self.next();
            match c {
                '\\' => self.parse_escape(start, &mut glob)?,
                '"' => self.parse_quoted(start, &mut glob)?,
                '[' => self.parse_class(start, &mut glob)?,
                '{' => braces.push(start),
                '}' if braces.pop().is_none() => {
                    return Err(error(
                        start..self.at,
                        "unmatched `}`",
                        "write `\\}` for a literal brace",
                    ));
                }
                _ => {}
            }
            // The other three are already in the glob, as escapes or as a class.
            if !matches!(c, '\\' | '"' | '[') {
                glob.push(c);
            }
            if !c.is_whitespace() {
                length = glob.len();
            }
        }
        if let Some(start) = braces.pop() {
            return Err(error(
                start..start + 1,
                "unclosed `{`",
                "write `{a,b}`, or `\\{` for a literal brace",
            ));
        }
        glob.truncate(length);
        Ok(glob)
    }

    fn parse_escape(&mut self, start: usize, glob: &mut String) -> Result<(), ExpressionError> {
        let c = self.next();
        let c = c.ok_or_else(|| {
            error(
                start..self.at,
                "expected a character after the backslash",
                "write `\\\\` for a literal backslash",
            )
        })?;
        push_literal(c, glob);
        Ok(())
    }

    fn parse_quoted(&mut self, start: usize, glob: &mut String) -> Result<(), ExpressionError> {
        loop {
            let at = self.at;
            match self.next() {
                Some('"') => return Ok(()),
                Some('\\') => self.parse_escape(at, glob)?,
                Some(c) => push_literal(c, glob),
                None => {
                    return Err(error(
                        start..start + 1,
                        "unclosed quotation mark",
                        "close it, or write `\\\"` for a literal one",
                    ));
                }
            }
        }
    }

    /// Parses a character class, which is passed on unchanged. A `]` in the first position is a
    /// member.
    fn parse_class(&mut self, start: usize, glob: &mut String) -> Result<(), ExpressionError> {
        self.skip_one(['!', '^']);
        self.skip_one([']', ']']);
        self.skip(|c| c != ']');
        if self.next().is_none() {
            return Err(error(
                start..start + 1,
                "unclosed `[`",
                "write `[abc]`, or `\\[` for a literal bracket",
            ));
        }
        glob.push_str(&self.text[start..self.at]);
        Ok(())
    }

    fn skip_one(&mut self, any: [char; 2]) {
        if self.peek().is_some_and(|c| any.contains(&c)) {
            self.next();
        }
    }
}

fn push_literal(c: char, glob: &mut String) {
    if is_special(c) {
        glob.push('\\');
    }
    glob.push(c);
}

fn check_path(glob: &str, span: Range<usize>) -> Result<(), ExpressionError> {
    if glob.is_empty() {
        return Err(error(span, "expected a pattern", SYNTAX));
    }
    if glob.starts_with('/') {
        return Err(error(span, format!("`{glob}` is an absolute path"), RELATIVE));
    }
    // The category's folder is a boundary; patterns come from models.
    if glob.split('/').any(|part| part == "..") {
        return Err(error(span, format!("`{glob}` leaves the category's folder"), RELATIVE));
    }
    Ok(())
}

fn error(span: Range<usize>, message: impl Into<String>, hint: &'static str) -> ExpressionError {
    ExpressionError { span, message: message.into(), hint }
}
