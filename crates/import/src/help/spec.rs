//! The syntax of an option: its names and its value, as in `-f, --file <FILE>...`.

use crate::program::{Separator, ValueSpec};

/// The names and the value at the beginning of a line.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Spec {
    pub(crate) names: Vec<String>,
    pub(crate) negation: Option<String>,
    pub(crate) value: Option<ValueSpec>,
    pub(crate) repeats: bool,
    /// A default behind `=`, which old tools of the cobra family print.
    pub(crate) default: Option<String>,
    /// The number of characters read.
    pub(crate) end: usize,
}

/// Reads an option; none if the text does not start with one that can be written literally.
pub(crate) fn parse_spec(text: &[char]) -> Option<Spec> {
    let mut parser = Parser { text, at: 0 };
    let mut spec = Spec::default();
    loop {
        let names = parser.flag()?;
        for (name, negation) in names {
            match negation {
                Some(negation) => spec.negation = Some(negation),
                None if is_negation_of(&name, &spec.names) => {
                    spec.negation = Some(name);
                    continue;
                }
                None => {}
            }
            if !spec.names.contains(&name) {
                spec.names.push(name);
            }
        }
        if let Some(value) = parser.value(&mut spec) {
            let known = spec.value.get_or_insert_with(|| value.clone());
            // The long name shows whether `=` is needed.
            known.is_optional |= value.is_optional;
            if value.separator == Separator::Equals {
                known.separator = Separator::Equals;
            }
        }
        spec.repeats |= parser.skip("...") || parser.skip("…");
        spec.end = parser.at;
        if !parser.separator() {
            return Some(spec);
        }
    }
}

/// Whether a name negates one of the others: `--no-color` of `--color`.
fn is_negation_of(name: &str, others: &[String]) -> bool {
    let base = name.strip_prefix("--no-").or_else(|| name.strip_prefix("--no"));
    base.is_some_and(|base| others.iter().any(|other| other.strip_prefix("--") == Some(base)))
}

struct Parser<'t> {
    text: &'t [char],
    at: usize,
}

/// A name, and its negation if both are written as one.
type Names = Vec<(String, Option<String>)>;

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn peek_after(&self, count: usize) -> Option<char> {
        self.text.get(self.at + count).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(index, c)| self.peek_after(index) == Some(c))
    }

    fn skip(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        self.at += if found { text.chars().count() } else { 0 };
        found
    }

    fn take_while(&mut self, accepts: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.peek().is_some_and(&accepts) {
            self.at += 1;
        }
        self.text[start..self.at].iter().collect()
    }

    /// One name with its dashes.
    fn flag(&mut self) -> Option<Names> {
        match (self.peek()?, self.peek_after(1)?) {
            ('-', '-') => self.long(),
            ('-', next) if !next.is_whitespace() => self.short(),
            ('+', next) if next.is_ascii_alphabetic() => {
                self.at += 1;
                let name = self.take_while(is_name);
                Some(vec![(format!("+{name}"), None)])
            }
            _ => None,
        }
    }

    fn long(&mut self) -> Option<Names> {
        self.at += 2;
        for (open, dash) in [("[no-]", "no-"), ("(no-)", "no-"), ("[no]", "no")] {
            if self.skip(open) {
                let name = self.name()?;
                return Some(vec![(format!("--{name}"), Some(format!("--{dash}{name}")))]);
            }
        }
        let name = self.name()?;
        let mut names = vec![(format!("--{name}"), None)];
        // `--catalog[ue]` is two names.
        if self.peek() == Some('[') {
            let rest = &self.text[self.at + 1..];
            let tail: String =
                rest.iter().take_while(|c| c.is_ascii_lowercase() || **c == '-').collect();
            let length = tail.chars().count();
            if length > 0 && rest.get(length) == Some(&']') {
                self.at += length + 2;
                names.push((format!("--{name}{tail}"), None));
            }
        }
        Some(names)
    }

    /// A name that does not go on with a placeholder, as `--force-<thing>` does.
    fn name(&mut self) -> Option<String> {
        let mut name = self.take_while(is_name);
        // A full stop or a colon ends a sentence or a specification.
        while name.ends_with(['.', ':']) {
            name.pop();
            self.at -= 1;
        }
        let has_placeholder =
            name.ends_with(['-', '_']) || name.split('-').skip(1).any(is_placeholder_word);
        (!name.is_empty()
            && name.starts_with(|c: char| c.is_alphanumeric() || c == '?')
            && !has_placeholder)
            .then_some(name)
    }

    /// A single dash: one character, a word, or a character with its value attached.
    fn short(&mut self) -> Option<Names> {
        self.at += 1;
        let first = self.peek()?;
        if first == '<' {
            return None;
        }
        if first == '[' {
            // `-[no]header`
            let rest: String = self.text[self.at..].iter().take(5).collect();
            let prefix = ["[no-]", "[no]"].into_iter().find(|prefix| rest.starts_with(prefix))?;
            self.at += prefix.chars().count();
            let name = self.name()?;
            let dash = prefix.trim_matches(['[', ']']);
            return Some(vec![(format!("-{name}"), Some(format!("-{dash}{name}")))]);
        }
        if !first.is_ascii_alphanumeric() {
            self.at += 1;
            return Some(vec![(format!("-{first}"), None)]);
        }
        let start = self.at;
        let word = self.take_while(|c| is_name(c) && c != ':' && c != '.');
        let rest = &word[1..];
        let attached = rest.len() > 1 && rest.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            || rest.len() == 1 && first.is_ascii_alphabetic() && matches!(rest, "N" | "n");
        if is_metavar_word(&word) && word.len() > 1 && !attached_fits(first, rest) {
            // `-NUM` is any number.
            return None;
        }
        if attached {
            self.at = start + 1;
            return Some(vec![(format!("-{first}"), None)]);
        }
        if word.ends_with('-') {
            return None;
        }
        Some(vec![(format!("-{word}"), None)])
    }

    /// The value after a name.
    fn value(&mut self, spec: &mut Spec) -> Option<ValueSpec> {
        let start = self.at;
        if self.starts_with("[=") || self.starts_with("[:") {
            let inner = self.take_bracketed()?;
            return Some(value(&inner[2..inner.len() - 1], true, Separator::Equals));
        }
        if self.skip("=") {
            let name = self.value_word();
            // `=[a|b]` lists choices, `=[WHEN]` is optional, `=[USER@]HOST` is a value.
            if let Some(inner) = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'))
                && !inner.contains(']')
            {
                return Some(value(inner, !inner.contains('|'), Separator::Equals));
            }
            if matches!(name.as_str(), "true" | "false" | "''" | "\"\"" | "[]")
                || name.starts_with(['\'', '"'])
            {
                spec.default = Some(name.trim_matches(['\'', '"']).to_owned());
                return (!matches!(name.as_str(), "true" | "false"))
                    .then(|| value("", false, Separator::Equals));
            }
            return Some(value(&name, false, Separator::Equals));
        }
        if matches!(self.peek(), Some('[' | '<' | '{')) {
            let is_optional = self.peek() == Some('[');
            let inner = self.take_bracketed()?;
            let name = inner.trim_start_matches("[=").trim_start_matches('[').trim_end_matches(']');
            return Some(value(name, is_optional, Separator::Nothing));
        }
        // A word attached to a short name: `-NUM` was read as `-N` and `UM`.
        if self.peek().is_some_and(|c| c.is_ascii_uppercase()) {
            let name = self.value_word();
            return Some(value(&name, false, Separator::Nothing));
        }
        if self.skip("::") {
            let name = self.value_word();
            return Some(value(&name, false, Separator::Space));
        }
        if self.peek() == Some(' ') && self.peek_after(1) != Some(' ') {
            self.at += 1;
            if let Some(found) = self.spaced_value() {
                return Some(found);
            }
        }
        self.at = start;
        None
    }

    /// A value after one blank: a placeholder, or a word after which the specification ends.
    fn spaced_value(&mut self) -> Option<ValueSpec> {
        if matches!(self.peek()?, '<' | '[' | '{' | '(') {
            let is_optional = self.peek() == Some('[');
            let inner = self.take_bracketed()?;
            // `(default: x)` and `(see below)` are texts.
            if inner.starts_with('(') && !inner.contains('|') {
                return None;
            }
            let is_list = inner.contains('|') && is_optional;
            let mut name = trim_brackets(&inner).to_owned();
            // `<HOST>:<PORT>`, `<A> <B>`, `{a,b}...`
            loop {
                let mark = self.at;
                let glue = self.take_while(|c| matches!(c, ':' | '=' | ',' | '@' | '/'));
                let blank =
                    glue.is_empty() && self.peek() == Some(' ') && self.peek_after(1) != Some(' ');
                self.at += usize::from(blank);
                if matches!(self.peek(), Some('<' | '['))
                    && (blank || !glue.is_empty())
                    && let Some(more) = self.take_bracketed()
                {
                    name = format!(
                        "{name}{}{}",
                        if blank { " " } else { &glue },
                        trim_brackets(&more)
                    );
                    continue;
                }
                self.at = mark;
                break;
            }
            return Some(value(&name, is_optional && !is_list, Separator::Space));
        }
        let mark = self.at;
        let name = self.value_word();
        let is_upper = is_metavar_word(&name);
        let is_word = name.chars().next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '@');
        if is_word && self.at_end_of_value(is_upper) {
            // Further words of the value: `A B`, `ref:path name`.
            let mut full = name;
            while is_upper
                && self.peek() == Some(' ')
                && self.peek_after(1).is_some_and(|c| c != ' ' && c != '-')
            {
                let before = self.at;
                self.at += 1;
                let next = self.value_word();
                if next.is_empty() || !is_metavar_word(&next) && !next.starts_with(['[', '<']) {
                    self.at = before;
                    break;
                }
                full = format!("{full} {next}");
            }
            return Some(value(&full, false, Separator::Space));
        }
        self.at = mark;
        let words = self.words_before_gap()?;
        Some(value(&words, false, Separator::Space))
    }

    /// Two or three words before a gap, as in jq's `--arg a v    text`. A text begins behind the gap, so
    /// it is not one itself.
    fn words_before_gap(&mut self) -> Option<String> {
        let rest = &self.text[self.at..];
        let end = rest.windows(2).position(|pair| pair == [' ', ' '])?;
        let words: String = rest[..end].iter().collect();
        let is_plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let is_value =
            words.split(' ').all(is_plain) && (2..=3).contains(&words.split(' ').count());
        is_value.then(|| {
            self.at += end;
            words
        })
    }

    /// Whether a word is a value because of what follows it. One in capitals also is before a text.
    fn at_end_of_value(&self, is_upper: bool) -> bool {
        match self.peek() {
            None | Some(',' | '|' | ';' | '.' | '…' | '[') => true,
            Some(' ') if self.peek_after(1).is_none_or(|c| c == ' ' || c == '-') => true,
            Some(' ') if is_upper => true,
            Some(':') => self.peek_after(1).is_none_or(|c| c == ' '),
            Some('/') => is_upper,
            _ => false,
        }
    }

    /// A word, with the brackets in it.
    fn value_word(&mut self) -> String {
        let start = self.at;
        while let Some(c) = self.peek() {
            match c {
                '<' | '[' | '{' | '(' => {
                    if self.take_bracketed().is_none() {
                        break;
                    }
                }
                // `c|d|t` are choices, `-v|--verbose` are names.
                '|' if self.peek_after(1).is_none_or(|c| !c.is_alphanumeric() && c != '<') => break,
                ' ' | ',' | ';' | ']' | ')' | '…' => break,
                '.' if self.starts_with("...") => break,
                ':' if self.peek_after(1).is_none_or(|c| c == ' ') => break,
                '/' if self.peek_after(1).is_some_and(|c| c == '-') => break,
                _ => self.at += 1,
            }
        }
        self.text[start..self.at].iter().collect()
    }

    /// Text in brackets, which may nest.
    fn take_bracketed(&mut self) -> Option<String> {
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '<' | '[' | '{' | '(' => depth += 1,
                '>' | ']' | '}' | ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return Some(self.text[start..self.at].iter().collect());
            }
        }
        self.at = start;
        None
    }

    /// Moves to the next name, if there is one.
    fn separator(&mut self) -> bool {
        let start = self.at;
        // `-v|vv|vvv`: other counts of the same flag.
        while self.peek() == Some('|') && self.peek_after(1).is_some_and(char::is_alphabetic) {
            self.at += 1;
            self.take_while(|c| c.is_alphanumeric());
        }
        // `-1 ("one"), --single-transaction`
        if self.starts_with(" (\"") {
            self.at += 1;
            self.take_bracketed();
        }
        self.take_while(|c| c == ' ');
        let has_mark =
            ["or ", ", or ", ",", "|", "/", ";", "- -"].into_iter().any(|mark| self.skip(mark));
        if has_mark && self.at > 1 && self.text[self.at - 2..self.at] == [' ', '-'] {
            // `-a - --all`: the mark included the first dash of the name.
            self.at -= 1;
        }
        self.take_while(|c| c == ' ');
        let is_adjacent = self.at == start;
        let next = self.peek_after(1).unwrap_or(' ');
        let is_flag = self.peek() == Some('-')
            && !next.is_whitespace()
            && next != '>'
            && (next != '-' || self.peek_after(2).is_some_and(|c| c.is_alphanumeric() || c == '['));
        if is_flag && !is_adjacent && (has_mark || self.at > start) {
            return true;
        }
        self.at = start;
        false
    }
}

fn value(name: &str, is_optional: bool, separator: Separator) -> ValueSpec {
    ValueSpec { name: trim_brackets(name.trim()).to_owned(), is_optional, separator }
}

/// Removes one pair of brackets around a placeholder.
pub(crate) fn trim_brackets(text: &str) -> &str {
    let inner = text.trim_matches(['[', ']']);
    match inner.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')) {
        Some(name) if !name.contains(['<', '>']) => name,
        _ => inner.trim_matches(['(', ')']),
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | ':' | '?' | '@')
}

/// Whether a word in a name stands for any word, as in `--with-PACKAGE`.
fn is_placeholder_word(word: &str) -> bool {
    const WORDS: [&str; 9] =
        ["NAME", "N", "NUM", "PACKAGE", "FEATURE", "X", "XXX", "VAR", "OPTION"];
    WORDS.contains(&word)
}

/// Whether a word is written like a placeholder: capitals, digits and punctuation.
pub(crate) fn is_metavar_word(word: &str) -> bool {
    let mut letters = word.chars().filter(|c| c.is_alphabetic()).peekable();
    letters.peek().is_some() && letters.all(char::is_uppercase)
        || word.starts_with('<') && word.ends_with('>')
}

/// Whether `-NUM` is a flag `-N` with a value rather than any number.
fn attached_fits(first: char, rest: &str) -> bool {
    let word = format!("{first}{rest}");
    !matches!(word.as_str(), "NUM" | "NUMBER" | "DIGIT" | "DIGITS" | "INT")
}

#[cfg(test)]
mod tests {
    use super::parse_spec;

    fn read(text: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let Some(spec) = parse_spec(&chars) else { return "-".to_owned() };
        let value = spec.value.map_or(String::new(), |value| {
            format!(
                " {}{}:{:?}",
                value.name,
                if value.is_optional { "?" } else { "" },
                value.separator
            )
        });
        let negation = spec.negation.map_or(String::new(), |name| format!(" !{name}"));
        let rest: String = chars[spec.end..].iter().collect();
        format!(
            "{}{negation}{value}{} |{}",
            spec.names.join(" "),
            if spec.repeats { " ..." } else { "" },
            rest.trim()
        )
    }

    #[test]
    fn every_layout_of_names_and_values_is_read() {
        let lines = [
            "-v, --verbose...               Say more",
            "--color <WHEN>             Colour",
            "--level [<LEVEL>]          Text",
            "-b, --baseURL string             hostname",
            "-A, --all-namespaces=false: text",
            "--debug / --no-debug  Text",
            "-f FILE, --file FILE  Text",
            "-t, --target {debug,release}   Choice",
            "-A, --catenate, --concatenate   append",
            "-l [N], --load-average[=N], --max-load[=N]",
            "--catalog[ue]=NAME  text",
            "-C DIR, --directory=DIR    text",
            "-u, --[no-]untracked-files[=<mode>]  text",
            "-[no]header  text",
            "--name value, -n value  text (default: x)",
            "-v|vv|vvv, --verbose  Text",
            "-c, --config path::String  Text",
            "-f FORMAT, -r FORMAT  --from=FORMAT, --read=FORMAT",
            "-timeout duration",
            "--force-<thing>  text",
            "-NUM  text",
            "-j[N] text",
            "-c/--config  text",
            "--ext [String]  text",
            "--format=[text|json]  text",
            "--listen <HOST>:<PORT>  text",
            "-e script, --expression=script",
            "-n, --quiet, --silent",
            "-ONUM  text",
            "--arg a v    text",
            "--quiet be quiet",
        ];
        let read: Vec<String> = lines.into_iter().map(read).collect();
        insta::assert_snapshot!(read.join("\n"));
    }
}
