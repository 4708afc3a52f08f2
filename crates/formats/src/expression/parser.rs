//! Reads expressions, by hand, so that every mistake has its place and its advice.

use std::ops::Range;

use super::{Expression, ExpressionError, Pattern, Sense, Term, check_name, is_special};

const HOW: &str = "write `category/pattern`, with `+` between patterns and `,` between categories";
const RELATIVE: &str = "write the path as it is below the category's folder";

pub(super) fn expression(text: &str) -> Result<Expression, ExpressionError> {
    let mut parser = Parser { text, at: 0 };
    let mut terms = Vec::new();
    loop {
        parser.skip(|c| c == ',' || c.is_whitespace());
        if parser.peek().is_none() {
            break;
        }
        terms.push(parser.term()?);
    }
    match terms.iter().any(|term| term.sense == Sense::Wanted) {
        true => Ok(Expression { terms }),
        false if terms.is_empty() => {
            Err(problem(0..text.len(), "the expression names nothing", HOW))
        }
        false => Err(problem(
            0..text.len(),
            "the expression only says what to leave out",
            "name what is wanted first: `lang,!lang/draft*`",
        )),
    }
}

/// Patterns as they stand after a `/`.
pub(super) fn patterns(text: &str) -> Result<Vec<Pattern>, ExpressionError> {
    let mut parser = Parser { text, at: 0 };
    let patterns = parser.patterns()?;
    match parser.peek() {
        None => Ok(patterns),
        Some(_) => Err(problem(
            parser.at..parser.at + 1,
            "`,` cannot stand in a pattern",
            "put `+` between patterns, or write `\\,`",
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

    fn skip(&mut self, unwanted: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&unwanted) {
            self.next();
        }
    }

    fn sense(&mut self) -> Sense {
        if self.peek() != Some('!') {
            return Sense::Wanted;
        }
        self.next();
        self.skip(char::is_whitespace);
        Sense::Unwanted
    }

    fn term(&mut self) -> Result<Term, ExpressionError> {
        let sense = self.sense();
        let name = self.name()?;
        let patterns = match self.peek() {
            Some('/') => {
                self.next();
                self.patterns()?
            }
            _ => Vec::new(),
        };
        Ok(Term { sense, name, patterns })
    }

    fn name(&mut self) -> Result<String, ExpressionError> {
        let start = self.at;
        self.skip(|c| c != '/' && c != ',');
        let name = self.text[start..self.at].trim_end();
        let span = start..start + name.len();
        if name.is_empty() {
            return Err(problem(start..self.at, "a category is missing here", HOW));
        }
        match check_name(name) {
            Ok(()) => Ok(name.to_owned()),
            Err(_) if name.contains('+') => Err(problem(
                span,
                format!("`{name}` has `+` and no `/`"),
                "`+` joins patterns; put `,` between categories",
            )),
            Err(_) if name.contains(['*', '?', '{', '[']) => Err(problem(
                span,
                format!("`{name}` is a pattern and no category"),
                "patterns follow a category: `lang/*`",
            )),
            Err(why) => Err(problem(
                span,
                format!("`{}` cannot be a category: {why}", name.escape_debug()),
                HOW,
            )),
        }
    }

    fn patterns(&mut self) -> Result<Vec<Pattern>, ExpressionError> {
        let mut patterns = Vec::new();
        loop {
            self.skip(|c| c == '+' || c.is_whitespace());
            if matches!(self.peek(), None | Some(',')) {
                return Ok(patterns);
            }
            let sense = self.sense();
            let start = self.at;
            let glob = self.glob()?;
            check_path(&glob, start..self.at)?;
            patterns.push(Pattern { sense, glob });
        }
    }

    /// One pattern: up to a `,` or `+` that is not escaped, quoted or in brackets.
    fn glob(&mut self) -> Result<String, ExpressionError> {
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
                '\\' => self.escaped(start, &mut glob)?,
                '"' => self.quoted(start, &mut glob)?,
                '[' => self.class(start, &mut glob)?,
                '{' => braces.push(start),
                '}' if braces.pop().is_none() => {
                    return Err(problem(
                        start..self.at,
                        "this `}` closes nothing",
                        "write `\\}` for the character itself",
                    ));
                }
                _ => {}
            }
            if !matches!(c, '\\' | '"' | '[') {
                glob.push(c);
            }
            if !c.is_whitespace() {
                length = glob.len();
            }
        }
        if let Some(start) = braces.pop() {
            return Err(problem(
                start..start + 1,
                "this `{` is not closed",
                "write `{a,b}`, or `\\{` for the character itself",
            ));
        }
        glob.truncate(length);
        Ok(glob)
    }

    fn escaped(&mut self, start: usize, glob: &mut String) -> Result<(), ExpressionError> {
        let c = self.next();
        let c = c.ok_or_else(|| {
            problem(
                start..self.at,
                "nothing follows this backslash",
                "write `\\\\` for the character itself",
            )
        })?;
        push_literal(c, glob);
        Ok(())
    }

    fn quoted(&mut self, start: usize, glob: &mut String) -> Result<(), ExpressionError> {
        loop {
            let at = self.at;
            match self.next() {
                Some('"') => return Ok(()),
                Some('\\') => self.escaped(at, glob)?,
                Some(c) => push_literal(c, glob),
                None => {
                    return Err(problem(
                        start..start + 1,
                        "this quotation mark is not closed",
                        "write another one, or `\\\"`",
                    ));
                }
            }
        }
    }

    /// A set of characters, taken as it is; a `]` that comes first is one of them.
    fn class(&mut self, start: usize, glob: &mut String) -> Result<(), ExpressionError> {
        self.skip_one(['!', '^']);
        self.skip_one([']', ']']);
        self.skip(|c| c != ']');
        if self.next().is_none() {
            return Err(problem(
                start..start + 1,
                "this `[` is not closed",
                "write `[abc]`, or `\\[` for the character itself",
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
        return Err(problem(span, "a pattern is missing here", HOW));
    }
    if glob.starts_with('/') {
        return Err(problem(span, format!("`{glob}` begins with `/`"), RELATIVE));
    }
    match glob.split('/').any(|part| part == "..") {
        true => Err(problem(span, format!("`{glob}` leads out of the category"), RELATIVE)),
        false => Ok(()),
    }
}

fn problem(span: Range<usize>, message: impl Into<String>, hint: &'static str) -> ExpressionError {
    ExpressionError { span, message: message.into(), hint }
}
