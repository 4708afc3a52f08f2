//! Cleans the output of a program: escapes, overstrikes, tabs and boxes.

/// Output beyond this is ignored. The longest help that was seen has 350 KB.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// A line without trailing blanks.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// The number of blanks it starts with.
    pub(crate) indent: usize,
    /// All of its characters.
    pub(crate) chars: Vec<char>,
}

impl Line {
    pub(crate) fn new(number: usize, text: &str) -> Self {
        let chars: Vec<char> = text.trim_end().chars().collect();
        let indent = chars.iter().take_while(|c| **c == ' ').count();
        Self { number, indent, chars }
    }

    /// Whether it has no text.
    pub(crate) fn is_blank(&self) -> bool {
        self.indent == self.chars.len()
    }

    /// The text without the indent.
    pub(crate) fn text(&self) -> String {
        self.chars[self.indent..].iter().collect()
    }

    /// Whether it starts like an option. A dash and a blank begin an item of a list.
    pub(crate) fn starts_with_dash(&self) -> bool {
        let rest = &self.chars[self.indent..];
        let next = rest.get(1).copied().unwrap_or(' ');
        match rest.first() {
            Some('-') => next != ' ' && !rest.iter().all(|c| *c == '-'),
            Some('+') => next.is_ascii_alphabetic(),
            _ => false,
        }
    }
}

/// Splits output into clean lines.
pub(crate) fn read_lines(bytes: &[u8]) -> Vec<Line> {
    let bytes = &bytes[..bytes.len().min(MAX_BYTES)];
    let text = remove_escapes(&String::from_utf8_lossy(bytes));
    let lines = text.lines().enumerate();
    lines.map(|(index, line)| Line::new(index + 1, &open_box(&clean_line(line)))).collect()
}

/// Removes terminal control sequences.
fn remove_escapes(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\u{1b}', Some('[')) => {
                chars.next();
                // A control sequence ends with a byte from `@` to `~`.
                while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
            }
            ('\u{1b}', Some(']')) => skip_operating_system_command(&mut chars),
            ('\u{1b}', Some(_)) => {
                chars.next();
            }
            _ => clean.push(c),
        }
    }
    clean
}

/// Skips to BEL or to the string terminator, at most to the end of the line.
fn skip_operating_system_command(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(c) = chars.next_if(|c| *c != '\n') {
        if c == '\u{7}' {
            return;
        }
        if c == '\u{1b}' {
            chars.next_if(|c| *c == '\\');
            return;
        }
    }
}

/// Expands tabs, applies backspaces and carriage returns, and removes invisible characters.
fn clean_line(line: &str) -> String {
    let mut clean: Vec<char> = Vec::with_capacity(line.len());
    for c in line.trim_end_matches('\r').chars() {
        match c {
            '\t' => clean.resize((clean.len() / 8 + 1) * 8, ' '),
            '\u{8}' => {
                clean.pop();
            }
            // What follows overwrites the line.
            '\r' => clean.clear(),
            // Man pages are typeset with these in place of a dash.
            '\u{2010}' | '\u{2011}' | '\u{2212}' => clean.push('-'),
            '\u{a0}' => clean.push(' '),
            '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}' => {}
            '\u{e0000}'..='\u{e007f}' => {}
            c if c.is_control() => {}
            c => clean.push(c),
        }
    }
    clean.into_iter().collect()
}

/// Replaces the border of a box by blanks, and its title by a heading.
fn open_box(line: &str) -> String {
    let text = line.trim();
    if text.starts_with(['╭', '┌', '┏']) {
        let is_border = |c: char| "╭╮─┌┐┏┓━ ".contains(c);
        let title = text.trim_matches(is_border);
        return if title.is_empty() { String::new() } else { format!("{title}:") };
    }
    if text.starts_with(['╰', '└', '┗']) {
        return String::new();
    }
    if text.starts_with(['│', '┃']) {
        let inner = line.replace(['│', '┃'], " ");
        // typer marks required options with a star.
        let is_marked = inner
            .trim_start()
            .strip_prefix('*')
            .is_some_and(|rest| rest.trim_start().starts_with('-'));
        return if is_marked { inner.replacen('*', " ", 1) } else { inner };
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::read_lines;

    fn clean(text: &[u8]) -> Vec<String> {
        read_lines(text).iter().map(|line| line.chars.iter().collect()).collect()
    }

    #[test]
    fn control_sequences_and_overstrikes_leave_the_text() {
        assert_eq!(
            clean(b"\x1b[1m-a\x1b[0m  b\x08bo\x08old \x1b]8;;x\x07link\x1b]8;;\x1b\\"),
            ["-a  bold link"]
        );
        assert_eq!(clean(b"10%\r100%\r\nx\ty\xff"), ["100%", "x       y\u{fffd}"]);
    }

    #[test]
    fn a_box_is_a_section() {
        let text = "╭─ Options ──────╮\n│ --all  Show all │\n╰────────────────╯";
        assert_eq!(clean(text.as_bytes()), ["Options:", "  --all  Show all", ""]);
    }
}
