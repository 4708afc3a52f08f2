//! Marked-up text as plain text, with its paragraphs and lists.

use std::ops::Range;

use formats::type_phrase::{self, TypePhrase};

#[cfg(test)]
use super::markup::parse;
use super::{
    markdown::{is_linked, parse_link, strip_link_brackets, strip_markdown},
    markup::Piece,
};

/// Text without markup.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PlainText {
    pub(crate) text: String,
    /// The byte ranges that were marked as code, in order.
    pub(crate) code: Vec<Range<usize>>,
    /// The start of each code range that links to another page.
    pub(crate) links: Vec<usize>,
}

#[cfg(test)]
pub(crate) fn plain(text: &str) -> PlainText {
    render(&parse(text).pieces)
}

/// Renders markup as plain text.
pub(crate) fn render(pieces: &[Piece]) -> PlainText {
    let mut renderer = Renderer::default();
    renderer.push_pieces(pieces);
    renderer.out
}

impl PlainText {
    /// The byte ranges of its sentences. A line break ends a sentence, too.
    pub(crate) fn sentences(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut start = 0;
        for (at, c) in self.text.char_indices() {
            let next = at + c.len_utf8();
            let is_end = match c {
                '\n' => true,
                '.' | '!' | '?' => {
                    // `e.g. this` and `\code{a. b}` contain full stops that end nothing.
                    !self.is_code(at)
                        && self.text[next..].starts_with([' ', '\n'])
                        && !is_abbreviation(&self.text[..at])
                }
                _ => false,
            };
            if is_end {
                found.push(start..next);
                start = next;
            }
        }
        if start < self.text.len() {
            found.push(start..self.text.len());
        }
        found
    }

    pub(crate) fn is_code(&self, at: usize) -> bool {
        self.code.iter().any(|range| range.contains(&at))
    }

    /// The type phrase at its beginning.
    pub(crate) fn leading_type(&self) -> Option<TypePhrase> {
        type_phrase::parse_leading(&self.text, &self.code)
    }

    /// The text from a byte offset on.
    pub(crate) fn slice_from(&self, at: usize) -> Self {
        let text = &self.text[at..];
        let blank = text.len() - text.trim_start().len();
        let at = at + blank;
        let code = self.code.iter().filter(|range| range.end > at);
        Self {
            text: self.text[at..].to_owned(),
            code: code.map(|range| range.start.saturating_sub(at)..range.end - at).collect(),
            links: self.links.iter().filter_map(|start| start.checked_sub(at)).collect(),
        }
    }
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit([' ', '(', '\n']).next().unwrap_or_default().to_lowercase();
    ["e.g", "i.e", "etc", "vs", "cf", "approx", "resp"].contains(&word.as_str())
}

/// The separator between the text so far and the text that comes next.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

#[derive(Default)]
struct Renderer {
    out: PlainText,
    gap: Gap,
    /// The number of the last item of a numbered Markdown list.
    number: usize,
}

impl Renderer {
    fn push_pieces(&mut self, pieces: &[Piece]) {
        for (index, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => self.push_text(&strip_link_brackets(
                    text,
                    &pieces[..index],
                    &pieces[index + 1..],
                )),
                Piece::Code(code) if is_linked(&pieces[..index], &pieces[index + 1..]) => {
                    self.push_link(code)
                }
                Piece::Code(code) => self.push_code(code),
                Piece::Link(code) => self.push_link(code),
                Piece::Command(name, arguments) => self.push_command(name, arguments),
            }
        }
    }

    fn push_command(&mut self, name: &str, arguments: &[Vec<Piece>]) {
        match (name, arguments) {
            ("dots" | "ldots", _) => self.push_word("..."),
            ("R", []) => self.push_word("R"),
            ("cr", _) => self.widen(Gap::Line),
            ("tab", _) => {
                self.widen(Gap::Space);
                self.push_word("|");
                self.widen(Gap::Space);
            }
            ("item", [label, text]) => {
                self.widen(Gap::Line);
                self.push_pieces(label);
                self.push_word(": ");
                self.gap = Gap::None;
                self.push_pieces(text);
            }
            ("item", rest) => {
                self.widen(Gap::Line);
                self.push_word("- ");
                self.gap = Gap::None;
                rest.iter().for_each(|argument| self.push_pieces(argument));
            }
            ("itemize" | "enumerate" | "describe", [items]) => {
                self.widen(Gap::Line);
                self.push_list(items);
                self.widen(Gap::Line);
            }
            ("sQuote" | "dQuote", [inner]) => {
                let quote = if name == "sQuote" { "'" } else { "\"" };
                self.push_word(quote);
                self.push_pieces(inner);
                self.push_word(quote);
            }
            // The second argument is the plain text form of the TeX formula, or the text of the
            // link.
            ("eqn" | "deqn" | "href", [_, shown]) => self.push_pieces(shown),
            ("tabular", [_, cells]) => {
                self.widen(Gap::Line);
                self.push_pieces(cells);
                self.widen(Gap::Line);
            }
            // Output for TeX only is not for readers of plain text.
            ("if", [format, shown]) if !is_tex(format) => self.push_pieces(shown),
            ("ifelse", [format, shown, other]) => {
                self.push_pieces(if is_tex(format) || !other.is_empty() { other } else { shown })
            }
            // Code that only R can evaluate, images, and output for one format: none has a plain
            // form.
            ("Sexpr" | "figure" | "out" | "if" | "ifelse", _) => {}
            // An unknown command keeps its text: losing markup is better than losing a sentence.
            (_, all) => all.iter().for_each(|argument| self.push_pieces(argument)),
        }
    }

    /// The items of a list. Unlike elsewhere, empty lines between them do not begin a paragraph.
    fn push_list(&mut self, items: &[Piece]) {
        for (index, piece) in items.iter().enumerate() {
            let Piece::Text(text) = piece else {
                self.push_pieces(std::slice::from_ref(piece));
                continue;
            };
            // A link may span pieces (`[` text, code, `]` text), so its neighbours decide.
            let text = strip_link_brackets(text, &items[..index], &items[index + 1..]);
            self.widen(if text.starts_with(char::is_whitespace) { Gap::Space } else { Gap::None });
            self.push_text(text.trim());
            self.widen(if text.ends_with(char::is_whitespace) { Gap::Space } else { Gap::None });
        }
    }

    fn push_text(&mut self, text: &str) {
        let text = strip_markdown(self.take_opening_link(text));
        let last = text.matches('\n').count();
        for (index, line) in text.split('\n').enumerate() {
            let words = line.trim();
            if index > 0 {
                // The last line of a piece may be empty because the next piece continues it.
                self.widen(if words.is_empty() && index < last {
                    Gap::Paragraph
                } else {
                    Gap::Space
                });
            }
            if words.is_empty() {
                self.widen(if line.is_empty() { Gap::None } else { Gap::Space });
                continue;
            }
            let is_item = self.begins_item(line.trim_start());
            if index > 0 && is_item {
                self.widen(Gap::Line);
            }
            if line.starts_with([' ', '\t']) {
                self.widen(Gap::Space);
            }
            for (index, word) in words.split_whitespace().enumerate() {
                if index > 0 {
                    self.widen(Gap::Space);
                }
                self.push_word(word);
            }
            if line.ends_with([' ', '\t']) {
                self.widen(Gap::Space);
            }
            if words.starts_with('#') && is_item && index < last {
                self.widen(Gap::Line);
            }
        }
    }

    /// Whether a line begins a Markdown list item or a heading. A number begins an item only if it
    /// continues the numbering; otherwise it ends a sentence that was wrapped:
    /// `at most\n5. Then …`.
    fn begins_item(&mut self, line: &str) -> bool {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let number = line[digits..]
            .starts_with(". ")
            .then(|| line[..digits].parse::<usize>().ok())
            .flatten();
        if let Some(number) = number.filter(|number| *number == 1 || *number == self.number + 1) {
            self.number = number;
            return true;
        }
        // The text after the mark may be another piece, such as code.
        let is_mark = matches!(line, "-" | "*" | "+");
        is_mark || ["- ", "* ", "+ ", "# ", "## ", "### "].iter().any(|mark| line.starts_with(mark))
    }

    /// Pushes a link at the very beginning as code, so that `[integer] the count` states a type
    /// just as `` `integer` the count`` does. Returns the text after it.
    fn take_opening_link<'a>(&mut self, text: &'a str) -> &'a str {
        let start = text.trim_start();
        let found = parse_link(start)
            .filter(|(topic, length)| self.out.text.is_empty() && topic.len() + 2 == *length);
        let Some((topic, length)) = found else {
            return text;
        };
        self.push_code(topic);
        &start[length..]
    }

    fn push_code(&mut self, code: &str) {
        let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
        self.close_gap();
        let start = self.out.text.len();
        self.out.text.push_str(&code);
        self.out.code.push(start..self.out.text.len());
    }

    fn push_link(&mut self, code: &str) {
        self.push_code(code);
        self.out.links.extend(self.out.code.last().map(|range| range.start));
    }

    fn push_word(&mut self, word: &str) {
        self.close_gap();
        self.out.text.push_str(word);
    }

    fn widen(&mut self, gap: Gap) {
        if gap > self.gap {
            self.gap = gap;
        }
    }

    fn close_gap(&mut self) {
        if !self.out.text.is_empty() {
            self.out.text.push_str(match self.gap {
                Gap::None => "",
                // The mark of a list item ends with a space already.
                Gap::Space if self.out.text.ends_with(' ') => "",
                Gap::Space => " ",
                Gap::Line => "\n",
                Gap::Paragraph => "\n\n",
            });
        }
        self.gap = Gap::None;
    }
}

/// Whether the condition of `\if` or `\ifelse` selects TeX output only.
fn is_tex(format: &[Piece]) -> bool {
    matches!(format, [Piece::Text(format)] if format.trim() == "latex")
}

#[cfg(test)]
mod tests {
    use super::plain;

    fn text(marked: &str) -> String {
        plain(marked).text
    }

    #[test]
    fn renders_the_text_of_commands_and_links() {
        let marked = r"With \code{code}, \link{fn}, \link[pkg]{fn2}, \emph{em}, \strong{st}, \pkg{p}, \verb{v}, \eqn{x^2}, \deqn{a_1}{a1}, \url{http://x}, \href{http://x}{here}, `md`, **bold**, *em*, [link()], [`code()`], [`a`][b], \[1\], [page](http://x) and 100\% done \dots";
        assert_eq!(
            text(marked),
            "With code, fn, fn2, em, st, p, v, x^2, a1, http://x, here, md, bold, em, link(), code(), a, [1], page and 100% done ..."
        );
    }

    #[test]
    fn renders_tex_quotations() {
        for (marked, read) in [
            (
                "points which ``hit'' or ``miss'' the area",
                "points which \"hit\" or \"miss\" the area",
            ),
            ("``legend \\code{x}'', an integer", "\"legend x\", an integer"),
            ("the `needles' or the `coin'.", "the 'needles' or the 'coin'."),
            ("`it's` and `c('a', 'b')` and ``a`b``", "it's and c('a', 'b') and a`b"),
            ("don't `x` isn't", "don't x isn't"),
        ] {
            assert_eq!(text(marked), read, "{marked}");
        }
    }

    #[test]
    fn matches_nested_braces() {
        assert_eq!(
            text(r#"\code{'{"a": 1}'} and \code{\link{f}} and \strong{a \emph{b {c}}}"#),
            r#"'{"a": 1}' and f and a b {c}"#
        );
        assert_eq!(text(r#"\code{it's} and \code{"}"}"#), r#"it's and "}""#);
    }

    #[test]
    fn keeps_text_that_only_resembles_markup() {
        for same in [
            "a * b * c",
            "snake_case_name and other_name",
            "x[i] and [0, 1)",
            r"C:\temp\new",
            "2 * 3",
            "f(x_1, y_2)",
        ] {
            assert_eq!(text(same), same);
        }
    }

    #[test]
    fn keeps_paragraphs_and_lists() {
        let marked = "First\nparagraph.\n\nA list:\n\\itemize{\n  \\item one\n  \\item two\n    lines\n}\n- three\n- four";
        assert_eq!(
            text(marked),
            "First paragraph.\n\nA list:\n- one\n- two lines\n- three\n- four"
        );
        assert_eq!(
            text(
                "Tests:\n\\itemize{ \\item \\code{t} (one) and\n  `w` `x`. Do \\emph{one} of\n  them; \\item `y` item }"
            ),
            "Tests:\n- t (one) and w x. Do one of them;\n- y item"
        );
        assert_eq!(text("Parts:\n- `a`: one\n- `b`: two"), "Parts:\n- a: one\n- b: two");
        assert_eq!(
            text("Read it.\n\n## When\nAlways.\n- one\n  more"),
            "Read it.\n\n## When\nAlways.\n- one more"
        );
        assert_eq!(text("\\describe{\n \\item{a}{one}\n \\item{`b`}{two}\n}"), "a: one\nb: two");
    }

    #[test]
    fn renders_conditions_tables_and_images() {
        for (marked, read) in [
            ("me@@x.org and \\email{me@@x.org}", "me@x.org and me@x.org"),
            ("A \\if{html}{page} or \\if{latex}{sheet}", "A page or"),
            ("\\ifelse{html}{\\figure{a.svg}{options: alt=A}}{\\strong{A}} b", "A b"),
            ("\\ifelse{html}{H}{} b", "H b"),
            ("\\ifelse{latex}{L}{T} b", "T b"),
            (
                "Codes:\n\\tabular{ll}{a \\tab one \\cr\n b \\tab two}\nEnd",
                "Codes:\na | one\nb | two\nEnd",
            ),
            ("See ![a picture](a.png) here!", "See a picture here!"),
            ("Breaks every\n5. Default is NULL", "Breaks every 5. Default is NULL"),
            ("Steps:\n1. one\n2. `two` of\n3. three", "Steps:\n1. one\n2. two of\n3. three"),
        ] {
            assert_eq!(text(marked), read, "{marked}");
        }
    }

    #[test]
    fn sentences_end_at_periods_outside_of_code() {
        let plain = plain("One, e.g. this. Two \\code{a. b}. Three");
        let parts: Vec<_> = plain
            .sentences()
            .into_iter()
            .map(|range| plain.text[range].trim().to_owned())
            .collect();
        assert_eq!(parts, ["One, e.g. this.", "Two a. b.", "Three"]);
    }
}
