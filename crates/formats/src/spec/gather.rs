//! What the parts of one section have of fields: tables, lists, JSON, links and statements.

use std::ops::Range;

use super::{
    PageReader, bullet,
    field::{Field, Required, bare, of_signature},
    inline::{code, one_line},
    page::{Block, Kind},
    parts::{Chunk, Part},
    rules::{TORN_ROW, UNREADABLE_PARAMETERS, UNREADABLE_SCHEMA},
    table::{Column, Row, Table},
    written::{self, Schema, Written},
    yaml_fence,
};

/// Tables are read until there are more fields than this.
const MOST_FIELDS: usize = 1_000;

/// What was found, by the way it was written.
#[derive(Default)]
pub(super) struct Gathered<'t> {
    /// The fields of the first table, with those of later ones inside them.
    pub(super) table: Vec<Field>,
    /// Whether there was a table of fields, be it one that says that there are none.
    pub(super) has_table: bool,
    pub(super) bullets: Vec<Field>,
    pub(super) signatures: Vec<Field>,
    /// JSON in fences and in code, with its bytes.
    pub(super) json: Vec<(Written<'t>, Range<usize>)>,
    /// Schemas in YAML.
    pub(super) schemas: Vec<Schema>,
    /// Fences in which parameters might be written, but in no language that is read.
    pub(super) foreign: Vec<Range<usize>>,
    /// Links to JSON files: the target and its bytes.
    pub(super) links: Vec<(String, Range<usize>)>,
    /// Whether it is said that there are none.
    pub(super) says_none: bool,
    /// Items of lists of fields that name none.
    pub(super) unread: Vec<Range<usize>>,
    /// Tables of which nothing says what their fields belong to.
    pub(super) strays: Vec<Range<usize>>,
    /// Whether it was said that there are too many.
    is_full: bool,
}

/// Whether other fields were written before in the same way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    First,
    Later,
}

/// Whether fields found their place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    Yes,
    No,
}

/// Takes fields among those that are known, or inside the one that their introduction speaks of.
fn take(mut fields: Vec<Field>, intro: &str, order: Order, known: &mut Vec<Field>) -> Taken {
    let words = words_of(intro);
    let says = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let is_more = intro.is_empty()
        || says(&["required", "mandatory", "optional", "additional", "parameters", "arguments"]);
    let owner = if words.is_empty() {
        None
    } else {
        known.iter_mut().find(|field| is_among(&words, &field.name))
    };
    match (order, owner) {
        (Order::Later, Some(owner)) => owner.inner = fields,
        (Order::Later, None) if !is_more => return Taken::No,
        _ => {
            // "Optional parameters:" answers for all that follow; a sentence may say it of something else.
            let answer = match words.len() {
                1..=4 if says(&["required", "mandatory"]) => Required::Yes,
                1..=4 if says(&["optional"]) => Required::No,
                _ => Required::Unsaid,
            };
            fields
                .iter_mut()
                .filter(|field| field.required == Required::Unsaid)
                .for_each(|field| field.required = answer.clone());
            known.extend(fields);
        }
    }
    Taken::Yes
}

impl<'t> PageReader<'_, 't> {
    /// Gathers from a part.
    pub(super) fn gather(&mut self, part: &Part<'_>, into: &mut Gathered<'t>) {
        let mut intro = part.title.clone();
        let mut columns: Option<Vec<Column>> = None;
        for chunk in &part.chunks {
            match chunk {
                Chunk::Text(span) => {
                    let text = self.page.str(span);
                    if let (true, Some(columns)) = (text.starts_with('|'), &columns) {
                        self.orphans(span, columns, into);
                        continue;
                    }
                    self.text(span, into);
                    intro = one_line(text);
                }
                Chunk::Block(block) => {
                    columns = self.block(block, &intro, into).or(columns);
                    intro.clear();
                }
            }
        }
    }

    /// Gathers from a block; the columns of a table of fields.
    fn block(
        &mut self,
        block: &Block,
        intro: &str,
        into: &mut Gathered<'t>,
    ) -> Option<Vec<Column>> {
        match &block.kind {
            Kind::Table(table) if table.lists_fields(self.page.text) => {
                if into.table.len() > MOST_FIELDS {
                    self.too_many(&block.span, into);
                    return None;
                }
                let fields = self.fields(table);
                let order = if into.has_table { Order::Later } else { Order::First };
                into.has_table = true;
                if take(fields, intro, order, &mut into.table) == Taken::No {
                    into.strays.push(block.span.clone());
                }
                return Some(table.columns(self.page.text));
            }
            Kind::List(items) => {
                let order = if into.bullets.is_empty() { Order::First } else { Order::Later };
                let fields = bullet::fields(self.page, items);
                let has_fields = !fields.is_empty();
                if take(fields, intro, order, &mut into.bullets) == Taken::Yes && has_fields {
                    into.unread.extend(bullet::unread(self.page, items));
                }
            }
            Kind::Fence { language, content } if self.is_json(language, content) => {
                into.json.push((written::read(self.page.text, content), content.clone()));
            }
            Kind::Fence { language, content } if matches!(language.as_str(), "yaml" | "yml") => {
                self.yaml(content, into)
            }
            Kind::Fence { language, content } if language == "toml" => {
                into.foreign.push(content.clone())
            }
            _ => {}
        }
        None
    }

    /// Whether a fence is to hold JSON: what has no language is taken for it, unless it is code.
    fn is_json(&self, language: &str, content: &Range<usize>) -> bool {
        let is_code = || {
            ["def ", "async def ", "@"]
                .iter()
                .any(|start| self.page.str(content).trim_start().starts_with(start))
        };
        matches!(language, "json" | "jsonc" | "json5") || language.is_empty() && !is_code()
    }

    fn yaml(&mut self, content: &Range<usize>, into: &mut Gathered<'t>) {
        let fence = yaml_fence::read(self.page.text, content);
        if fence.schema.is_none() && fence.fields.is_empty() {
            into.foreign.push(content.clone());
            return;
        }
        if fence.was_mended {
            let message =
                "this is no YAML: a text in it has a colon; it is read as if it stood in quotes";
            let found =
                self.report.at_span(&UNREADABLE_SCHEMA, self.page.trimmed(content), message);
            self.report.push(found.hint("put texts that have a colon in quotes"));
        }
        into.schemas.extend(fence.schema);
        into.signatures.extend(fence.fields);
    }

    /// Says, once, that no more tables are read.
    fn too_many(&mut self, span: &Range<usize>, into: &mut Gathered<'t>) {
        if !std::mem::replace(&mut into.is_full, true) {
            let message =
                format!("tables beyond the first {MOST_FIELDS} fields of a tool are not read");
            let found = self.report.at_span(&UNREADABLE_PARAMETERS, span.clone(), message);
            self.report.push(found.hint("describe fewer, or write a JSON Schema"));
        }
    }

    /// The fields of a table; torn rows are mended and told.
    fn fields(&mut self, table: &Table) -> Vec<Field> {
        let columns = table.columns(self.page.text);
        table.rows.iter().flat_map(|row| self.field(row, &columns)).collect()
    }

    fn field(&mut self, row: &Row, columns: &[Column]) -> Vec<Field> {
        let mended = row.mend(self.page.text, columns);
        if mended.was_torn {
            let name = mended.cells.first().map(|name| bare(name).to_owned()).unwrap_or_default();
            let found = self.report.at_span(
                &TORN_ROW,
                row.span.clone(),
                format!("the row of `{name}` is torn at a pipe"),
            );
            self.report.push(found.hint("write the pipe as `\\|`; `toolcrib check --fix` does it"));
        }
        let name = columns.iter().position(|column| *column == Column::Name).unwrap_or_default();
        let cell = row.cells.get(name).cloned().unwrap_or_else(|| row.span.clone());
        Field::of_row(&mended, columns, cell)
    }

    /// Rows that a blank line has parted from their table.
    fn orphans(&mut self, span: &Range<usize>, columns: &[Column], into: &mut Gathered<'t>) {
        let found =
            self.report.at_span(&TORN_ROW, span.clone(), "these rows stand outside their table");
        self.report.push(found.hint("take out the blank line or line break before them"));
        let mut start = span.start;
        for line in self.page.str(span).split_inclusive('\n') {
            let row = Row::split(self.page.text, self.page.trimmed(&(start..start + line.len())));
            start += line.len();
            let is_rule = line.chars().all(|c| matches!(c, '|' | '-' | ':') || c.is_whitespace());
            into.table.extend(if is_rule { Vec::new() } else { self.field(&row, columns) });
        }
    }

    fn text(&mut self, span: &Range<usize>, into: &mut Gathered<'t>) {
        let text = self.page.str(span);
        into.says_none |= says_none(text);
        for (code, inner) in code(text) {
            let bytes = span.start + inner.start..span.start + inner.end;
            if code.starts_with('{') {
                into.json.push((written::read(self.page.text, &bytes), bytes));
            } else {
                into.signatures.extend(of_signature(code, bytes.start));
            }
        }
        into.links.extend(links(text, span.start));
    }
}

/// Links to JSON files.
fn links(text: &str, start: usize) -> impl Iterator<Item = (String, Range<usize>)> {
    text.match_indices("](").filter_map(move |(at, _)| {
        let from = at + 2;
        let target = text[from..].split([')', ' ', '\n']).next()?;
        let file = target.split('#').next()?;
        file.ends_with(".json")
            .then(|| (target.to_owned(), start + from..start + from + target.len()))
    })
}

/// Whether a text says that there are no parameters.
pub(super) fn says_none(text: &str) -> bool {
    let text = one_line(text).trim_matches(['*', '_', '`', ' ']).to_ascii_lowercase();
    let text = text.trim_start_matches("this tool ");
    let starts = [
        "none",
        "no parameters",
        "no parameter",
        "no input",
        "takes no ",
        "no arguments",
        "does not take ",
        "n/a",
    ];
    starts.iter().any(|start| text.starts_with(start))
}

/// The words of a text that introduces a table, in lower case.
fn words_of(intro: &str) -> Vec<String> {
    let words = intro
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect()
}

/// Whether words speak of a field.
fn is_among(words: &[String], name: &str) -> bool {
    let last = name.rsplit(['.', '_']).next().unwrap_or(name).trim_end_matches("[]");
    let singular = last.strip_suffix('s').unwrap_or(last);
    words.iter().any(|word| word == name || word == last || word == singular)
}
