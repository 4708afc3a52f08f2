//! Builds the tree from the events of the parser.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Tag};

use super::scalar;
use crate::{
    json::{MAX_DEPTH, Member, Node, Parsed, Span, SyntaxProblem, Value},
    rules::{
        syntax::{BYTE_ORDER_MARK, DUPLICATE_KEY, EMPTY_FILE, TOO_DEEP, TOO_MUCH},
        yaml::{BROKEN_YAML, SECOND_DOCUMENT, UNKNOWN_TAG},
    },
};

/// Maximum number of values that all aliases of a file may copy.
const MAX_COPIED: usize = 10_000;

/// The YAML 1.1 key whose value is merged into the mapping that contains it.
const MERGE: &str = "<<";

/// Parses the first document of a text.
pub(crate) fn parse(text: &str) -> Parsed<'_> {
    let body = text.trim_start_matches('\u{feff}');
    let mut builder = Builder { shift: text.len() - body.len(), ..Builder::default() };
    if builder.shift > 0 {
        builder.report(
            SyntaxProblem::new(&BYTE_ORDER_MARK, 0, "the file begins with a byte order mark")
                .hint("save it without one"),
        );
    }
    let mut documents = 0;
    for event in Parser::new_from_str(body) {
        let (event, span) = match event {
            Ok(found) => found,
            Err(error) => {
                builder.report_broken(text, &error);
                break;
            }
        };
        let span = builder.to_span(&span);
        if let Event::DocumentStart(..) = event {
            documents += 1;
        }
        // A file holds one tool; reading on could mix the fields of two.
        if documents > 1 {
            let problem = SyntaxProblem::new(
                &SECOND_DOCUMENT,
                span.start(),
                "a second document begins here; it is not read",
            );
            builder.report(problem.hint("write each tool into a file of its own"));
            break;
        }
        if builder.handle(event, span).is_none() {
            break;
        }
    }
    if builder.root.is_none() && !builder.is_lossy {
        builder.report(
            SyntaxProblem::new(&EMPTY_FILE, 0, "the file is empty")
                .hint("write a definition or remove the file"),
        );
    }
    Parsed {
        is_lossy: builder.is_lossy || builder.root.is_none(),
        root: builder.root,
        problems: builder.problems,
    }
}

/// A collection whose end has not been reached.
struct OpenCollection<'a> {
    items: Items<'a>,
    start: Span,
    anchor: usize,
}

enum Items<'a> {
    Sequence(Vec<Node<'a>>),
    /// The members, and a key whose value is next.
    Mapping(Vec<Member<'a>>, Option<(Cow<'a, str>, Span)>),
}

#[derive(Default)]
struct Builder<'a> {
    root: Option<Node<'a>>,
    open: Vec<OpenCollection<'a>>,
    anchors: HashMap<usize, Node<'a>>,
    copied: usize,
    problems: Vec<SyntaxProblem>,
    is_lossy: bool,
    /// Length of the byte order mark, which the parser does not see but offsets must include.
    shift: usize,
}

impl<'a> Builder<'a> {
    fn to_span(&self, span: &granit_parser::Span) -> Span {
        let range = span.byte_range().unwrap_or_default();
        Span::new(range.start + self.shift, range.end + self.shift)
    }

    fn report(&mut self, problem: SyntaxProblem) {
        self.problems.push(problem);
    }

    /// Reports a problem and gives up: the part missing from the tree could be the part that
    /// matters.
    fn stop<T>(&mut self, problem: SyntaxProblem) -> Option<T> {
        self.is_lossy = true;
        self.report(problem);
        None
    }

    fn report_broken(&mut self, text: &str, error: &ScanError) {
        let offset = error.marker().byte_offset().unwrap_or(0) + self.shift;
        let hint = suggest_fix(text, offset);
        let _: Option<()> = self.stop(
            SyntaxProblem::new(&BROKEN_YAML, offset, error.info().replace('\n', " ")).hint(hint),
        );
    }

    fn handle(&mut self, event: Event<'a>, span: Span) -> Option<()> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.add_scalar(text, style, anchor, tag.as_deref(), span)
            }
            Event::SequenceStart(_, anchor, _) => {
                self.open(Items::Sequence(Vec::new()), anchor, span)
            }
            Event::MappingStart(_, anchor, _) => {
                self.open(Items::Mapping(Vec::new(), None), anchor, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(id) => self.add_alias(id, span),
            _ => Some(()),
        }
    }

    fn open(&mut self, items: Items<'a>, anchor: usize, start: Span) -> Option<()> {
        if self.awaits_key() {
            return self.reject_key(start);
        }
        if self.open.len() == MAX_DEPTH {
            let problem = SyntaxProblem::new(
                &TOO_DEEP,
                start.start(),
                format!("values are nested more than {MAX_DEPTH} levels deep"),
            );
            return self.stop(problem.hint("flatten the definition"));
        }
        self.open.push(OpenCollection { items, start, anchor });
        Some(())
    }

    fn close(&mut self, end: Span) -> Option<()> {
        let OpenCollection { items, start, anchor } = self.open.pop()?;
        let value = match items {
            Items::Sequence(items) => Value::Array(items),
            Items::Mapping(members, _) => Value::Object(self.resolve_members(members)),
        };
        self.attach(
            Node { value, span: Span::new(start.start(), end.start().max(start.start())) },
            anchor,
        )
    }

    fn add_scalar(
        &mut self,
        text: Cow<'a, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
    ) -> Option<()> {
        // Keys are never resolved: `n` and `y` are usual names of R parameters, not booleans.
        if let Some(key) = self.key_slot() {
            *key = Some((text, span));
            return Some(());
        }
        let value = match tag {
            None if style == ScalarStyle::Plain => scalar::resolve(text),
            None => Value::String(text),
            Some(tag) => match tag.core_suffix() {
                Some("int" | "float" | "bool" | "null") => scalar::resolve(text),
                Some(_) => Value::String(text),
                None if tag.original() == "!" => Value::String(text),
                None => {
                    let message = format!(
                        "the tag `{}` has no meaning here; its value is read as a string",
                        tag.original()
                    );
                    self.report(
                        SyntaxProblem::new(&UNKNOWN_TAG, span.start(), message)
                            .hint("write the value itself"),
                    );
                    Value::String(text)
                }
            },
        };
        self.attach(Node { value, span }, anchor)
    }

    fn add_alias(&mut self, id: usize, span: Span) -> Option<()> {
        if self.awaits_key() {
            return self.reject_key(span);
        }
        let Some(node) = self.anchors.get(&id).cloned() else {
            // The anchor of a collection is known only at its end, so this alias is inside of it.
            let problem = SyntaxProblem::new(
                &BROKEN_YAML,
                span.start(),
                "the alias refers to a value that contains it",
            );
            return self.stop(problem.hint("write the value out"));
        };
        // Nine lines of nested aliases can expand to a billion values.
        self.copied += count_values(&node);
        if self.copied > MAX_COPIED {
            let problem = SyntaxProblem::new(
                &TOO_MUCH,
                span.start(),
                format!("aliases expand to more than {MAX_COPIED} values"),
            );
            return self.stop(problem.hint("write the values out, or use fewer aliases"));
        }
        // Problems in the copy are reported at the alias, which the author of this part can change.
        self.attach(Node { span, ..node }, 0)
    }

    fn attach(&mut self, node: Node<'a>, anchor: usize) -> Option<()> {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.items) {
            None => self.root = Some(node),
            Some(Items::Sequence(items)) => items.push(node),
            Some(Items::Mapping(members, key)) => {
                let (key, key_span) = key.take()?;
                members.push(Member { key, key_span, value: node });
            }
        }
        Some(())
    }

    fn awaits_key(&mut self) -> bool {
        self.key_slot().is_some()
    }

    /// The slot for the next scalar, if that is a key.
    fn key_slot(&mut self) -> Option<&mut Option<(Cow<'a, str>, Span)>> {
        match self.open.last_mut().map(|open| &mut open.items) {
            Some(Items::Mapping(_, key)) if key.is_none() => Some(key),
            _ => None,
        }
    }

    fn reject_key(&mut self, span: Span) -> Option<()> {
        let problem = SyntaxProblem::new(&BROKEN_YAML, span.start(), "a key must be a string");
        self.stop(problem.hint("put the key in quotes if it begins with `[`, `{` or `*`"))
    }

    /// Checks for repeated keys and resolves merge keys. As in YAML 1.1, keys of the mapping itself
    /// win over merged ones, and earlier merged mappings over later ones.
    fn resolve_members(&mut self, members: Vec<Member<'a>>) -> Vec<Member<'a>> {
        let mut seen = HashSet::new();
        for member in members.iter().filter(|member| !seen.insert(&*member.key)) {
            let message = format!("the key `{}` is repeated", member.key);
            let problem = SyntaxProblem::new(&DUPLICATE_KEY, member.key_span.start(), message);
            self.problems.push(problem.hint("keep one of them"));
        }
        if !seen.contains(MERGE) {
            return members;
        }
        // A merge key may have one mapping or a list of them.
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

/// The number of values in a node, including itself.
fn count_values(node: &Node<'_>) -> usize {
    let members = node.members().iter().map(|member| count_values(&member.value));
    1 + node.items().iter().map(count_values).chain(members).sum::<usize>()
}

/// The fix for the most common mistakes, judged by the line of the error: the parser's own message
/// names a grammar rule, not the cause.
fn suggest_fix(text: &str, offset: usize) -> &'static str {
    let offset = text.floor_char_boundary(offset);
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let value = line.split_once(": ").map(|(_, value)| value.trim_start()).unwrap_or_default();
    match value.bytes().next() {
        _ if line.starts_with('\t') || line.trim_start_matches(' ').starts_with('\t') => {
            "indent with spaces, not with tabs"
        }
        Some(b'@' | b'`' | b'%' | b'*' | b'&' | b'!' | b'|' | b'>') => {
            "put the text in quotes: its first character has a special meaning"
        }
        _ if value.contains(": ") || value.ends_with(':') => {
            "put text that contains a colon in quotes"
        }
        _ => "check the indentation and the quotes of this line and the one before",
    }
}
