//! From the events of the parser to the tree.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Tag};

use super::scalar;
use crate::{
    json::{MAX_DEPTH, Member, Node, Parsed, Problem, Span, Value},
    rules::{
        syntax::{BYTE_ORDER_MARK, DUPLICATE_KEY, EMPTY_FILE, TOO_DEEP, TOO_MUCH},
        yaml::{BROKEN_YAML, SECOND_DOCUMENT, UNKNOWN_TAG},
    },
};

/// How many values aliases may stand for, all together.
const MAX_COPIED: usize = 10_000;

/// The key of YAML 1.1 whose value is merged into the mapping it stands in.
const MERGE: &str = "<<";

/// Reads the first document of a text.
pub(crate) fn parse(text: &str) -> Parsed<'_> {
    let body = text.trim_start_matches('\u{feff}');
    let mut builder = Builder { shift: text.len() - body.len(), ..Builder::default() };
    if builder.shift > 0 {
        builder.problem(
            Problem::new(&BYTE_ORDER_MARK, 0, "the file begins with a byte order mark")
                .hint("save it without"),
        );
    }
    let mut documents = 0;
    for event in Parser::new_from_str(body) {
        let (event, span) = match event {
            Ok(found) => found,
            Err(error) => {
                builder.broken(text, &error);
                break;
            }
        };
        let span = builder.span(&span);
        if let Event::DocumentStart(..) = event {
            documents += 1;
        }
        if documents > 1 {
            let problem = Problem::new(
                &SECOND_DOCUMENT,
                span.start(),
                "a second document begins here, and is not read",
            );
            builder.problem(problem.hint("write each tool into a file of its own"));
            break;
        }
        if builder.event(event, span).is_none() {
            break;
        }
    }
    if builder.root.is_none() && !builder.is_lossy {
        builder.problem(
            Problem::new(&EMPTY_FILE, 0, "the file is empty")
                .hint("write a definition or remove the file"),
        );
    }
    Parsed {
        is_lossy: builder.is_lossy || builder.root.is_none(),
        root: builder.root,
        problems: builder.problems,
    }
}

/// A collection that is not yet at its end.
struct Open<'a> {
    kind: Kind<'a>,
    start: Span,
    anchor: usize,
}

enum Kind<'a> {
    Sequence(Vec<Node<'a>>),
    Mapping(Vec<Member<'a>>, Option<(Cow<'a, str>, Span)>),
}

#[derive(Default)]
struct Builder<'a> {
    root: Option<Node<'a>>,
    open: Vec<Open<'a>>,
    anchors: HashMap<usize, Node<'a>>,
    copied: usize,
    problems: Vec<Problem>,
    is_lossy: bool,
    /// The bytes before the text that the parser sees.
    shift: usize,
}

impl<'a> Builder<'a> {
    fn span(&self, span: &granit_parser::Span) -> Span {
        let range = span.byte_range().unwrap_or_default();
        Span::new(range.start + self.shift, range.end + self.shift)
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Gives up: what is missing from the tree could be what matters.
    fn stop<T>(&mut self, problem: Problem) -> Option<T> {
        self.is_lossy = true;
        self.problem(problem);
        None
    }

    fn broken(&mut self, text: &str, error: &ScanError) {
        let offset = error.marker().byte_offset().unwrap_or(0) + self.shift;
        let hint = hint(text, offset);
        let _: Option<()> = self
            .stop(Problem::new(&BROKEN_YAML, offset, error.info().replace('\n', " ")).hint(hint));
    }

    fn event(&mut self, event: Event<'a>, span: Span) -> Option<()> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(text, style, anchor, tag.as_deref(), span)
            }
            Event::SequenceStart(_, anchor, _) => {
                self.open(Kind::Sequence(Vec::new()), anchor, span)
            }
            Event::MappingStart(_, anchor, _) => {
                self.open(Kind::Mapping(Vec::new(), None), anchor, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(id) => self.alias(id, span),
            _ => Some(()),
        }
    }

    fn open(&mut self, kind: Kind<'a>, anchor: usize, start: Span) -> Option<()> {
        if self.awaits_key() {
            return self.complex_key(start);
        }
        if self.open.len() == MAX_DEPTH {
            let problem = Problem::new(
                &TOO_DEEP,
                start.start(),
                format!("values nest more than {MAX_DEPTH} deep"),
            );
            return self.stop(problem.hint("no tool needs that"));
        }
        self.open.push(Open { kind, start, anchor });
        Some(())
    }

    fn close(&mut self, end: Span) -> Option<()> {
        let Open { kind, start, anchor } = self.open.pop()?;
        let value = match kind {
            Kind::Sequence(items) => Value::Array(items),
            Kind::Mapping(members, _) => Value::Object(self.members(members)),
        };
        self.attach(
            Node { value, span: Span::new(start.start(), end.start().max(start.start())) },
            anchor,
        )
    }

    fn scalar(
        &mut self,
        text: Cow<'a, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
    ) -> Option<()> {
        if let Some(key) = self.key_slot() {
            *key = Some((text, span));
            return Some(());
        }
        let value = match tag {
            None if style == ScalarStyle::Plain => scalar::plain(text),
            None => Value::String(text),
            Some(tag) => match tag.core_suffix() {
                Some("int" | "float" | "bool" | "null") => scalar::plain(text),
                Some(_) => Value::String(text),
                None if tag.original() == "!" => Value::String(text),
                None => {
                    let message = format!(
                        "the tag `{}` means nothing here; its value is read as text",
                        tag.original()
                    );
                    self.problem(
                        Problem::new(&UNKNOWN_TAG, span.start(), message)
                            .hint("write the value itself"),
                    );
                    Value::String(text)
                }
            },
        };
        self.attach(Node { value, span }, anchor)
    }

    fn alias(&mut self, id: usize, span: Span) -> Option<()> {
        if self.awaits_key() {
            return self.complex_key(span);
        }
        let Some(node) = self.anchors.get(&id).cloned() else {
            let problem = Problem::new(
                &BROKEN_YAML,
                span.start(),
                "the alias stands inside what it stands for",
            );
            return self.stop(problem.hint("write the value out"));
        };
        self.copied += weight(&node);
        if self.copied > MAX_COPIED {
            let problem = Problem::new(
                &TOO_MUCH,
                span.start(),
                format!("aliases stand for more than {MAX_COPIED} values"),
            );
            return self.stop(problem.hint("write the values out, or use fewer"));
        }
        self.attach(Node { span, ..node }, 0)
    }

    fn attach(&mut self, node: Node<'a>, anchor: usize) -> Option<()> {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.root = Some(node),
            Some(Kind::Sequence(items)) => items.push(node),
            Some(Kind::Mapping(members, key)) => {
                let (key, key_span) = key.take()?;
                members.push(Member { key, key_span, value: node });
            }
        }
        Some(())
    }

    fn awaits_key(&mut self) -> bool {
        self.key_slot().is_some()
    }

    /// Where the next scalar goes if it is a key.
    fn key_slot(&mut self) -> Option<&mut Option<(Cow<'a, str>, Span)>> {
        match self.open.last_mut().map(|open| &mut open.kind) {
            Some(Kind::Mapping(_, key)) if key.is_none() => Some(key),
            _ => None,
        }
    }

    fn complex_key(&mut self, span: Span) -> Option<()> {
        let problem = Problem::new(&BROKEN_YAML, span.start(), "a key must be text");
        self.stop(problem.hint("put the key in quotes if it begins with `[`, `{` or `*`"))
    }

    /// The members, those of merged mappings behind them, and each key once.
    fn members(&mut self, members: Vec<Member<'a>>) -> Vec<Member<'a>> {
        let mut seen = HashSet::new();
        for member in members.iter().filter(|member| !seen.insert(&*member.key)) {
            let message = format!("the key `{}` stands here a second time", member.key);
            let problem = Problem::new(&DUPLICATE_KEY, member.key_span.start(), message);
            self.problems.push(problem.hint("keep one of the two"));
        }
        if !seen.contains(MERGE) {
            return members;
        }
        let (merged, mut own): (Vec<_>, Vec<_>) =
            members.into_iter().partition(|member| member.key == MERGE);
        for member in merged
            .iter()
            .flat_map(|from| std::iter::once(&from.value).chain(from.value.items()))
            .flat_map(Node::members)
        {
            if !own.iter().any(|known| known.key == member.key) {
                own.push(member.clone());
            }
        }
        own
    }
}

/// How many values a node is made of.
fn weight(node: &Node<'_>) -> usize {
    let members = node.members().iter().map(|member| weight(&member.value));
    1 + node.items().iter().map(weight).chain(members).sum::<usize>()
}

/// What to do about the commonest mistakes.
fn hint(text: &str, offset: usize) -> &'static str {
    let offset = text.floor_char_boundary(offset);
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let value = line.split_once(": ").map(|(_, value)| value.trim_start()).unwrap_or_default();
    match value.bytes().next() {
        _ if line.starts_with('\t') || line.trim_start_matches(' ').starts_with('\t') => {
            "indent with spaces, not with tabs"
        }
        Some(b'@' | b'`' | b'%' | b'*' | b'&' | b'!' | b'|' | b'>') => {
            "put the text in quotes: its first character means something"
        }
        _ if value.contains(": ") || value.ends_with(':') => {
            "put a text that has a colon in it in quotes"
        }
        _ => "check the indentation and the quotes of this line and the one before",
    }
}
