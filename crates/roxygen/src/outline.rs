//! R source without function bodies, with every remaining byte at its original offset.
//!
//! Only comments and formals matter for building, and bodies are most of the text. The parser skips
//! blanks many times faster than it parses code.

/// The text with blanks between the outermost braces. If brackets or quotes do not match, the text
/// is returned unchanged, so that the parser reports where.
pub(super) fn blank_bodies(text: &str) -> String {
    let mut scanner =
        Scanner { bytes: text.as_bytes(), at: 0, open: Vec::new(), bodies: Vec::new() };
    if scanner.scan().is_none() || !scanner.open.is_empty() {
        return text.to_owned();
    }
    let mut outline = String::with_capacity(text.len());
    let mut from = 0;
    for (start, end) in scanner.bodies {
        outline.push_str(&text[from..start]);
        // Newlines stay, because rows tell a comment after code from a comment of its own.
        outline.extend(
            text.as_bytes()[start..end].iter().map(|byte| if *byte == b'\n' { '\n' } else { ' ' }),
        );
        from = end;
    }
    outline.push_str(&text[from..]);
    outline
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Open brackets and their offsets.
    open: Vec<(u8, usize)>,
    /// Byte ranges between outermost braces.
    bodies: Vec<(usize, usize)>,
}

impl Scanner<'_> {
    /// Scans to the end; `None` if a bracket or quote does not match.
    fn scan(&mut self) -> Option<()> {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'#' => self.at = self.find(b'\n').unwrap_or(self.bytes.len()),
                b'"' | b'\'' if self.is_raw_string() => self.skip_raw_string(byte)?,
                b'"' | b'\'' | b'`' => self.skip_quoted(byte)?,
                // Operators such as `%{}%` may contain brackets.
                b'%' => self.skip_operator(),
                b'(' | b'[' | b'{' => {
                    self.open.push((byte, self.at));
                    self.at += 1;
                }
                b')' | b']' | b'}' => self.close(byte)?,
                _ => self.at += 1,
            }
        }
        Some(())
    }

    fn find(&self, byte: u8) -> Option<usize> {
        self.bytes[self.at..].iter().position(|found| *found == byte).map(|length| self.at + length)
    }

    fn close(&mut self, byte: u8) -> Option<()> {
        let (opened, start) = self.open.pop()?;
        if !matches!((opened, byte), (b'(', b')') | (b'[', b']') | (b'{', b'}')) {
            return None;
        }
        // Braces inside parentheses stay: they may belong to a default.
        if byte == b'}' && self.open.is_empty() {
            self.bodies.push((start + 1, self.at));
        }
        self.at += 1;
        Some(())
    }

    fn skip_quoted(&mut self, quote: u8) -> Option<()> {
        self.at += 1;
        loop {
            match *self.bytes.get(self.at)? {
                // The escaped byte may be the quote itself. In UTF-8 no part of a character equals
                // a quote.
                b'\\' => self.at += 2,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return Some(());
                    }
                }
            }
        }
    }

    /// Whether the quote here belongs to a raw string, `r"(…)"`.
    fn is_raw_string(&self) -> bool {
        let before =
            |back: usize| self.at.checked_sub(back).and_then(|at| self.bytes.get(at)).copied();
        let is_name = |byte: Option<u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
        };
        // In `var"..."` the letter belongs to a name, and the text is a syntax error.
        matches!(before(1), Some(b'r' | b'R')) && !is_name(before(2))
    }

    fn skip_raw_string(&mut self, quote: u8) -> Option<()> {
        self.at += 1;
        let dashes = self.bytes[self.at..].iter().take_while(|byte| **byte == b'-').count();
        let close = match self.bytes.get(self.at + dashes)? {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            _ => return None,
        };
        let mut end = vec![close];
        end.resize(1 + dashes, b'-');
        end.push(quote);
        let length = self.bytes[self.at..].windows(end.len()).position(|window| window == end)?;
        self.at += length + end.len();
        Some(())
    }

    /// `%in%`: an operator may contain brackets and quotes. A lone `%` is a syntax error that the
    /// parser reports.
    fn skip_operator(&mut self) {
        self.at += 1;
        let line_end = self.find(b'\n').unwrap_or(self.bytes.len());
        if let Some(end) = self.find(b'%').filter(|end| *end < line_end) {
            self.at = end + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::blank_bodies;

    #[test]
    fn removes_bodies_and_keeps_offsets() {
        let text = "#' {doc}\nf <- function(x = \"}\", g = function() { 1 }) {\n  é <- '{' # }\n  x %{% 2\n}\ny <- r\"(})\"\nh <- \\(a) a[1]\n";
        let outline = blank_bodies(text);
        assert_eq!(outline.len(), text.len());
        assert_eq!(
            outline.split_whitespace().collect::<Vec<_>>().join(" "),
            "#' {doc} f <- function(x = \"}\", g = function() { 1 }) { } y <- r\"(})\" h <- \\(a) a[1]"
        );
        assert_eq!(outline.matches('\n').count(), text.matches('\n').count());
        assert_eq!(outline.find("y <-"), text.find("y <-"));
    }

    #[test]
    fn leaves_mismatched_brackets_to_the_parser() {
        for text in ["f <- function(x) { (", "x <- \"open", "}", "f(]", "r\"-x\""] {
            assert_eq!(blank_bodies(text), text);
        }
    }
}
