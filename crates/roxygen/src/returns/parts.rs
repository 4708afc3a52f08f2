//! The named parts that a `@return` lists: `\describe{\item{name}{text}}`,
//! `\itemize{\item name: text}`, or a Markdown list.

use crate::{markup::Piece, plain_text};

/// A list of named parts, and the text around it.
pub(super) struct PartList {
    pub(super) before: Vec<Piece>,
    pub(super) parts: Vec<Part>,
    pub(super) after: Vec<Piece>,
}

/// A part: its name and the text about it.
pub(super) struct Part {
    pub(super) label: String,
    pub(super) text: Vec<Piece>,
}

/// Finds the first list of named parts.
pub(super) fn find_parts(pieces: &[Piece]) -> Option<PartList> {
    let commands = pieces.iter().enumerate().find_map(|(at, piece)| {
        let parts = parts_of_command(piece)?;
        Some(PartList { before: pieces[..at].to_vec(), parts, after: pieces[at + 1..].to_vec() })
    });
    commands.or_else(|| find_markdown_parts(pieces))
}

fn parts_of_command(piece: &Piece) -> Option<Vec<Part>> {
    let Piece::Command(name, arguments) = piece else {
        return None;
    };
    if !["describe", "itemize", "enumerate"].contains(&name.as_str()) {
        return None;
    }
    let inside: Vec<&Piece> = arguments.iter().flatten().collect();
    let labelled = inside.iter().filter_map(|piece| match piece {
        Piece::Command(name, arguments) if name == "item" => match arguments.as_slice() {
            [label, text] => {
                Some(Part { label: plain_text::render(label).text, text: text.clone() })
            }
            _ => None,
        },
        _ => None,
    });
    let labelled: Vec<_> = labelled.collect();
    if !labelled.is_empty() {
        return Some(labelled);
    }
    let is_item = |piece: &Piece| matches!(piece, Piece::Command(name, _) if name == "item");
    // Whitespace before the first item belongs to no item.
    let mut items: Vec<Vec<Piece>> = Vec::new();
    for piece in inside {
        match (piece, items.last_mut()) {
            // `\item{name} text` has the name as an argument, `\item name: text` has none.
            (Piece::Command(_, arguments), _) if is_item(piece) => {
                items.push(arguments.iter().flatten().cloned().collect());
            }
            (piece, Some(item)) => item.push(piece.clone()),
            (_, None) => {}
        }
    }
    name_all(items)
}

/// A Markdown list with a named part in every item.
fn find_markdown_parts(pieces: &[Piece]) -> Option<PartList> {
    let mut list = MarkdownList::default();
    for (index, piece) in pieces.iter().enumerate() {
        let Piece::Text(text) = piece else {
            list.current().push(piece.clone());
            continue;
        };
        for (number, line) in text.split_inclusive('\n').enumerate() {
            // The first line of a piece continues the last line of the piece before it.
            list.push_line(line, number > 0 || index == 0);
        }
    }
    let MarkdownList { before, items, after, .. } = list;
    name_all(items).map(|parts| PartList { before, parts, after })
}

#[derive(Default)]
struct MarkdownList {
    before: Vec<Piece>,
    items: Vec<Vec<Piece>>,
    after: Vec<Piece>,
    has_ended: bool,
}

impl MarkdownList {
    /// The item or text that the next piece is appended to.
    fn current(&mut self) -> &mut Vec<Piece> {
        match self.items.last_mut() {
            Some(_) if self.has_ended => &mut self.after,
            Some(item) => item,
            None => &mut self.before,
        }
    }

    fn push_line(&mut self, line: &str, begins_line: bool) {
        let is_blank = begins_line && line.ends_with('\n') && line.trim().is_empty();
        self.has_ended |= is_blank && !self.items.is_empty();
        match strip_bullet(line).filter(|_| begins_line && !self.has_ended) {
            Some(rest) => self.items.push(vec![Piece::Text(rest.to_owned())]),
            None => self.current().push(Piece::Text(line.to_owned())),
        }
    }
}

fn strip_bullet(line: &str) -> Option<&str> {
    let line = line.trim_start();
    ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark))
}

/// Names all items. If one has no name, the list is not a list of parts.
fn name_all(items: Vec<Vec<Piece>>) -> Option<Vec<Part>> {
    let parts: Option<Vec<_>> = items.into_iter().map(name_part).collect();
    parts.filter(|parts| !parts.is_empty())
}

/// Splits `name: text`, `` `name` - text`` and `name (type): text`.
fn name_part(item: Vec<Piece>) -> Option<Part> {
    let item: Vec<_> = item
        .into_iter()
        .skip_while(|piece| matches!(piece, Piece::Text(text) if text.trim().is_empty()))
        .collect();
    let (label, rest, more) = match item.split_first()? {
        (Piece::Text(text), more) => {
            let text = text.trim_start().trim_start_matches("**");
            let end = text.find(|c: char| !is_name_character(c)).unwrap_or(text.len());
            (text[..end].to_owned(), text[end..].trim_start_matches("**").to_owned(), more)
        }
        (Piece::Code(code), [Piece::Text(text), more @ ..]) => {
            (code.clone(), text.trim_start_matches("**").to_owned(), more)
        }
        (Piece::Command(_, arguments), [Piece::Text(text), more @ ..]) => {
            let label = plain_text::render(arguments.first()?).text;
            (label, text.clone(), more)
        }
        _ => return None,
    };
    let text = strip_separator(&rest)?;
    let is_name = label.chars().all(is_name_character) && label.starts_with(char::is_alphabetic);
    let text = [vec![Piece::Text(text)], more.to_vec()].concat();
    is_name.then_some(Part { label, text })
}

/// The text after a colon or dash. A type in parentheses before it becomes the type that the text
/// begins with.
fn strip_separator(rest: &str) -> Option<String> {
    let body = rest.trim_start();
    if let Some((stated, after)) = body.strip_prefix('(').and_then(|body| body.split_once(')')) {
        let after = after.trim_start().trim_start_matches([':', '-', '\u{2013}', '\u{2014}']);
        return Some(format!("{stated}: {}", after.trim_start()));
    }
    let marks = [":", "- ", "\u{2013} ", "\u{2014} "];
    marks.iter().find_map(|mark| body.strip_prefix(mark)).map(|text| text.trim_start().to_owned())
}

fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}
