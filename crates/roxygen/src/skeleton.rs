//! R source without the bodies of its functions, every byte that is left where it was.
//!
//! Documentation and formals are all that building asks about, and bodies are most of the text: a
//! parser that skips blanks is many times faster than one that reads code nobody asked about.

/// The text with blanks for what stands between the outermost braces. A text whose brackets or quotes
/// do not match is returned as it is, so that the parser can say where.
pub(super) fn skeleton(text: &str) -> String {
    let mut scanner =
        Scanner { bytes: text.as_bytes(), at: 0, open: Vec::new(), bodies: Vec::new() };
    if scanner.run().is_none() || !scanner.open.is_empty() {
        return text.to_owned();
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for (start, end) in scanner.bodies {
        kept.push_str(&text[from..start]);
        // Lines stay lines: a remark must not reach behind its own.
        kept.extend(
            text.as_bytes()[start..end].iter().map(|byte| if *byte == b'\n' { '\n' } else { ' ' }),
        );
        from = end;
    }
    kept.push_str(&text[from..]);
    kept
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The brackets that are open, with their places.
    open: Vec<(u8, usize)>,
    /// What stands between outermost braces.
    bodies: Vec<(usize, usize)>,
}

impl Scanner<'_> {
    /// Goes to the end; nothing if something does not match.
    fn run(&mut self) -> Option<()> {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'#' => self.at = self.find(b'\n').unwrap_or(self.bytes.len()),
                b'"' | b'\'' if self.is_raw() => self.raw(byte)?,
                b'"' | b'\'' | b'`' => self.quoted(byte)?,
                b'%' => self.operator(),
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
        if byte == b'}' && self.open.is_empty() {
            self.bodies.push((start + 1, self.at));
        }
        self.at += 1;
        Some(())
    }

    fn quoted(&mut self, quote: u8) -> Option<()> {
        self.at += 1;
        loop {
            match *self.bytes.get(self.at)? {
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

    /// Whether the quote here is that of `r"(…)"`.
    fn is_raw(&self) -> bool {
        let before =
            |back: usize| self.at.checked_sub(back).and_then(|at| self.bytes.get(at)).copied();
        let is_name = |byte: Option<u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
        };
        matches!(before(1), Some(b'r' | b'R')) && !is_name(before(2))
    }

    fn raw(&mut self, quote: u8) -> Option<()> {
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

    /// `%in%`: what stands inside means nothing.
    fn operator(&mut self) {
        self.at += 1;
        let line = self.find(b'\n').unwrap_or(self.bytes.len());
        if let Some(end) = self.find(b'%').filter(|end| *end < line) {
            self.at = end + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::skeleton;

    #[test]
    fn bodies_go_and_everything_else_stays_where_it_is() {
        let text = "#' {doc}\nf <- function(x = \"}\", g = function() { 1 }) {\n  é <- '{' # }\n  x %{% 2\n}\ny <- r\"(})\"\nh <- \\(a) a[1]\n";
        let kept = skeleton(text);
        assert_eq!(kept.len(), text.len());
        assert_eq!(
            kept.split_whitespace().collect::<Vec<_>>().join(" "),
            "#' {doc} f <- function(x = \"}\", g = function() { 1 }) { } y <- r\"(})\" h <- \\(a) a[1]"
        );
        assert_eq!(kept.matches('\n').count(), text.matches('\n').count());
        assert_eq!(kept.find("y <-"), text.find("y <-"));
    }

    #[test]
    fn what_does_not_match_is_left_to_the_parser() {
        for text in ["f <- function(x) { (", "x <- \"open", "}", "f(]", "r\"-x\""] {
            assert_eq!(skeleton(text), text);
        }
    }
}
