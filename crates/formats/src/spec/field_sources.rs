//! Collects everything in a section that can declare fields: tables, lists, code, JSON, YAML, links
//! and statements that there are none.
//!
//! Documents mix these freely, and the order of preference differs between parameters and results,
//! so everything is collected first and chosen from later.

use std::ops::Range;

use super::{
    SpecReader, bullet,
    field::{Field, Required, strip_markup},
    inline::{collapse_whitespace, find_code_spans},
    json_block::{JsonBlock, LocatedSchema},
    markdown::{Block, BlockKind},
    rules::{TORN_ROW, UNREADABLE_PARAMETERS, UNREADABLE_SCHEMA},
    segment::{Content, Segment},
    signature,
    table::{Column, Row, Table},
    yaml_block,
};

/// No further tables are read once a tool has more fields than this.
const MAX_FIELDS: usize = 1_000;

/// The possible declarations of fields, by the way they are written.
#[derive(Default)]
pub(super) struct FieldSources<'t> {
    /// The fields of tables; those of tables about one field are nested in it.
    pub(super) table: Vec<Field>,
    /// Whether there is a table of fields, even one without rows.
    pub(super) has_table: bool,
    pub(super) bullets: Vec<Field>,
    /// Declarations in inline code or YAML: `limit: int = 10`.
    pub(super) signatures: Vec<Field>,
    /// JSON in fences and in inline code, with its span.
    pub(super) json: Vec<(JsonBlock<'t>, Range<usize>)>,
    /// Schemas written in YAML.
    pub(super) schemas: Vec<LocatedSchema>,
    /// Whether a YAML fence defines a whole tool, so that its parameters need no label.
    pub(super) has_definition: bool,
    /// Fences that may declare parameters, in a form that is not supported.
    pub(super) unsupported_fences: Vec<Range<usize>>,
    /// Links to JSON files, with the span of the target.
    pub(super) links: Vec<(String, Range<usize>)>,
    /// Whether the text states that there are no parameters.
    pub(super) states_none: bool,
    /// Items in lists of fields from which no field can be read.
    pub(super) unread_items: Vec<Range<usize>>,
    /// Later tables whose introduction mentions no known field.
    pub(super) unrelated_tables: Vec<Range<usize>>,
    /// Whether it was already reported that there are too many fields.
    is_full: bool,
}

impl FieldSources<'_> {
    pub(super) fn is_empty(&self) -> bool {
        !self.has_table
            && !self.states_none
            && self.bullets.is_empty()
            && self.signatures.is_empty()
            && self.json.is_empty()
            && self.schemas.is_empty()
            && self.links.is_empty()
    }

    /// The fields from the most precise source: a table names its columns, a bullet is at least a
    /// line per field, and inline code may be anything.
    pub(super) fn best_fields(&self) -> Vec<Field> {
        [&self.table, &self.bullets, &self.signatures]
            .into_iter()
            .find(|fields| !fields.is_empty())
            .cloned()
            .unwrap_or_default()
    }
}

impl<'t> SpecReader<'_, 't> {
    /// Collects the declarations of one segment.
    pub(super) fn collect_sources(&mut self, segment: &Segment<'_>, into: &mut FieldSources<'t>) {
        // The text before a block tells what the block is about.
        let mut intro = segment.title.clone();
        let mut columns: Option<Vec<Column>> = None;
        for content in &segment.contents {
            match content {
                Content::Text(span) => {
                    let text = self.document.slice(span);
                    if text.starts_with('|')
                        && let Some(columns) = &columns
                    {
                        self.read_detached_rows(span, columns, into);
                        continue;
                    }
                    self.collect_from_text(span, into);
                    intro = collapse_whitespace(text);
                }
                Content::Block(block) => {
                    // Rows that were separated from a table have the columns of the last one.
                    columns = self.collect_from_block(block, &intro, into).or(columns);
                    // An introduction is only about the block right after it.
                    intro.clear();
                }
            }
        }
    }

    /// Collects from a block, and returns the columns if it is a table of fields.
    fn collect_from_block(
        &mut self,
        block: &Block,
        intro: &str,
        into: &mut FieldSources<'t>,
    ) -> Option<Vec<Column>> {
        match &block.kind {
            BlockKind::Table(table) if table.lists_fields(self.document.text) => {
                return self.collect_from_table(table, &block.span, intro, into);
            }
            BlockKind::List(items) => {
                let order = if into.bullets.is_empty() { Order::First } else { Order::Later };
                let fields = bullet::read_fields(self.document, items);
                let has_fields = !fields.is_empty();
                let is_added = add_fields(fields, intro, order, &mut into.bullets);
                // In a list without any field, the items are prose and nothing to report.
                if is_added && has_fields {
                    into.unread_items.extend(bullet::find_unread_items(self.document, items));
                }
            }
            BlockKind::Fence { language, content } => match language.as_str() {
                "json" | "jsonc" | "json5" => self.collect_json(content, into),
                // Many documents omit the language of JSON, and some that of code.
                "" if !self.is_python(content) => self.collect_json(content, into),
                "yaml" | "yml" => self.collect_yaml(content, into),
                "toml" => into.unsupported_fences.push(content.clone()),
                _ => {}
            },
            _ => {}
        }
        None
    }

    fn collect_from_table(
        &mut self,
        table: &Table,
        span: &Range<usize>,
        intro: &str,
        into: &mut FieldSources<'t>,
    ) -> Option<Vec<Column>> {
        if into.table.len() > MAX_FIELDS {
            self.report_too_many_fields(span, into);
            return None;
        }
        let columns = table.columns(self.document.text);
        let fields = table.rows.iter().flat_map(|row| self.read_row(row, &columns)).collect();
        let order = if into.has_table { Order::Later } else { Order::First };
        into.has_table = true;
        if !add_fields(fields, intro, order, &mut into.table) {
            into.unrelated_tables.push(span.clone());
        }
        Some(columns)
    }

    fn collect_json(&self, span: &Range<usize>, into: &mut FieldSources<'t>) {
        into.json.push((JsonBlock::parse(self.document.text, span), span.clone()));
    }

    fn is_python(&self, content: &Range<usize>) -> bool {
        let code = self.document.slice(content).trim_start();
        ["def ", "async def ", "@"].iter().any(|start| code.starts_with(start))
    }

    fn collect_yaml(&mut self, content: &Range<usize>, into: &mut FieldSources<'t>) {
        let block = yaml_block::read(self.document.text, content);
        if block.schema.is_none() && block.fields.is_empty() {
            into.unsupported_fences.push(content.clone());
            return;
        }
        if block.was_quoted {
            let message =
                "this is not valid YAML: a value has a colon; it is read as if it were quoted";
            let found =
                self.report.at_span(&UNREADABLE_SCHEMA, self.document.trim(content), message);
            self.report.push(found.hint("quote values that have a colon"));
        }
        into.has_definition |= block.is_definition;
        into.schemas.extend(block.schema);
        into.signatures.extend(block.fields);
    }

    fn report_too_many_fields(&mut self, span: &Range<usize>, into: &mut FieldSources<'t>) {
        // Once is enough, however many tables follow.
        if !std::mem::replace(&mut into.is_full, true) {
            let message =
                format!("tables beyond the first {MAX_FIELDS} fields of a tool are not read");
            let found = self.report.at_span(&UNREADABLE_PARAMETERS, span.clone(), message);
            self.report.push(found.hint("describe fewer fields, or write a JSON Schema"));
        }
    }

    /// Reads the fields of a row, and reports it if it had to be repaired.
    fn read_row(&mut self, row: &Row, columns: &[Column]) -> Vec<Field> {
        let repaired = row.repair(self.document.text, columns);
        if repaired.was_broken {
            let name = repaired.cells.first().map(|name| strip_markup(name)).unwrap_or_default();
            let found = self.report.at_span(
                &TORN_ROW,
                row.span.clone(),
                format!("the row of `{name}` is split at an unescaped pipe"),
            );
            self.report.push(found.hint("write the pipe as `\\|`, or run `toolcrib check --fix`"));
        }
        let name = columns.iter().position(|column| *column == Column::Name).unwrap_or_default();
        let cell = row.cells.get(name).cloned().unwrap_or_else(|| row.span.clone());
        Field::from_row(&repaired, columns, cell)
    }

    /// Reads rows that a blank line has separated from their table. For Markdown they are a
    /// paragraph.
    fn read_detached_rows(
        &mut self,
        span: &Range<usize>,
        columns: &[Column],
        into: &mut FieldSources<'t>,
    ) {
        let found = self.report.at_span(
            &TORN_ROW,
            span.clone(),
            "these rows are separated from their table",
        );
        self.report.push(found.hint("remove the blank line or line break before them"));
        let mut start = span.start;
        for line in self.document.slice(span).split_inclusive('\n') {
            let end = start + line.len();
            let row = Row::split(self.document.text, self.document.trim(&(start..end)));
            start = end;
            let is_separator =
                line.chars().all(|c| matches!(c, '|' | '-' | ':') || c.is_whitespace());
            if !is_separator {
                into.table.extend(self.read_row(&row, columns));
            }
        }
    }

    fn collect_from_text(&mut self, span: &Range<usize>, into: &mut FieldSources<'t>) {
        let text = self.document.slice(span);
        into.states_none |= states_none(text);
        for code in find_code_spans(text) {
            let bytes = span.start + code.range.start..span.start + code.range.end;
            // A whole schema may be inline: "**Input Schema**: `{"type": "object", …}`".
            if code.text.starts_with('{') {
                self.collect_json(&bytes, into);
            } else {
                into.signatures.extend(signature::parse_declaration(code.text, bytes.start));
            }
        }
        into.links.extend(find_json_links(text, span.start));
    }
}

/// Whether fields written in the same way came before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    First,
    Later,
}

/// Adds fields to those already known, or nests them in the one that their introduction mentions
/// ("Each task object:" after a parameter `tasks`). Returns whether they were added: a later table
/// or list whose introduction mentions neither a field nor parameters belongs to something unknown.
fn add_fields(mut fields: Vec<Field>, intro: &str, order: Order, known: &mut Vec<Field>) -> bool {
    let words = split_words(intro);
    let mentions = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let continues = intro.is_empty()
        || mentions(&[
            "required",
            "mandatory",
            "optional",
            "additional",
            "parameters",
            "arguments",
        ]);
    let owner = known.iter_mut().find(|field| mentions_field(&words, &field.name));
    match (order, owner) {
        (Order::Later, Some(owner)) => owner.nested = fields,
        (Order::Later, None) if !continues => return false,
        _ => {
            // A short introduction such as "Optional parameters:" applies to all that follow; in a
            // longer sentence the word may be about something else.
            let required = match words.len() {
                1..=4 if mentions(&["required", "mandatory"]) => Required::Yes,
                1..=4 if mentions(&["optional"]) => Required::No,
                _ => Required::Unspecified,
            };
            fields
                .iter_mut()
                .filter(|field| field.required == Required::Unspecified)
                .for_each(|field| field.required = required.clone());
            known.extend(fields);
        }
    }
    true
}

/// The targets of links to JSON files, with their spans.
fn find_json_links(text: &str, base: usize) -> impl Iterator<Item = (String, Range<usize>)> {
    text.match_indices("](").filter_map(move |(at, mark)| {
        let start = at + mark.len();
        let target = text[start..].split([')', ' ', '\n']).next()?;
        let file = target.split('#').next()?;
        file.ends_with(".json")
            .then(|| (target.to_owned(), base + start..base + start + target.len()))
    })
}

/// Whether a text states that there are no parameters.
pub(super) fn states_none(text: &str) -> bool {
    let text = collapse_whitespace(text).trim_matches(['*', '_', '`', ' ']).to_ascii_lowercase();
    // "This tool takes no parameters" and "Takes no parameters" are the same statement.
    let text = text.trim_start_matches("this tool ");
    let statements = [
        "none",
        "no parameters",
        "no parameter",
        "no input",
        "takes no ",
        "no arguments",
        "does not take ",
        "n/a",
    ];
    statements.iter().any(|statement| text.starts_with(statement))
}

/// The words of an introduction, in lower case.
fn split_words(intro: &str) -> Vec<String> {
    intro
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect()
}

/// Whether words mention a field by its name, the last word of the name, or its singular.
fn mentions_field(words: &[String], name: &str) -> bool {
    let last = name.rsplit(['.', '_']).next().unwrap_or(name).trim_end_matches("[]");
    let singular = last.strip_suffix('s').unwrap_or(last);
    words.iter().any(|word| word == name || word == last || word == singular)
}
