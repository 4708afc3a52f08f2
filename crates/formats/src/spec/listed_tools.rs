//! Tools without a heading of their own: rows of a table with their inputs, or bullets in a
//! document that describes its tools no further.

use std::{collections::HashMap, ops::Range};

use catalog::{
    Annotations, Diagnostic, Implementation, Location, Origin, Schema, SpecDetails, Tool, name,
    spec_details::{Section, Version},
};
use serde_json::{Map, json};

use super::{
    SpecReader,
    field::{Field, strip_markup},
    field_sources::states_none,
    inline::{collapse_whitespace, find_code_spans, is_name},
    markdown::{Block, BlockKind},
    object_schema::{self, Unlisted},
    outline::{Outline, is_wrapper},
    rules::UNREADABLE_PARAMETERS,
    signature,
    table::{Column, Row, Table},
    title::normalize_title,
};

impl SpecReader<'_, '_> {
    /// Reads the tools that the document only lists.
    pub(super) fn read_listed_tools(
        &mut self,
        outline: &Outline,
        version: Option<&Version>,
    ) -> Vec<Tool> {
        let mut tools = Vec::new();
        let mut is_wrapped = false;
        for block in &self.document.blocks {
            match &block.kind {
                BlockKind::Heading { title, .. } => {
                    is_wrapped = is_wrapper(&normalize_title(self.document.slice(title)))
                }
                BlockKind::Table(table) => tools.extend(self.read_tool_table(table)),
                // Next to tools with headings, such a list is a table of contents.
                BlockKind::List(items) if is_wrapped && outline.is_empty() => {
                    tools.extend(items.iter().filter_map(|item| self.read_tool_bullet(item)));
                }
                _ => {}
            }
        }
        for tool in &mut tools {
            tool.details.get_or_insert_default().version = version.cloned();
            tool.annotations = Annotations {
                version: version.map(|version| version.text.clone()),
                ..Annotations::default()
            };
        }
        tools
    }

    /// Gives tools without a description the one in a table of contents.
    pub(super) fn fill_in_purposes(&self, tools: &mut [Tool]) {
        let mut undescribed: HashMap<String, &mut Tool> = tools
            .iter_mut()
            .filter(|tool| tool.description.text.is_empty())
            .map(|tool| (tool.name.clone(), tool))
            .collect();
        for block in &self.document.blocks {
            if undescribed.is_empty() {
                break;
            }
            let BlockKind::Table(table) = &block.kind else { continue };
            if !table.lists_tools(self.document.text) {
                continue;
            }
            let mut columns = table.columns(self.document.text).into_iter();
            let Some(column) = columns.position(|column| column == Column::Description) else {
                continue;
            };
            for row in &table.rows {
                let (Some(name), Some(purpose)) = (row.cells.first(), row.cells.get(column)) else {
                    continue;
                };
                let name = strip_markup(self.document.slice(name));
                // The first table that mentions a tool wins.
                if let Some(tool) = undescribed.remove(name) {
                    tool.description.text = collapse_whitespace(self.document.slice(purpose));
                }
            }
        }
    }

    /// Reads the tools of a table such as "Tool | Inputs | Output", with a signature per row. A
    /// table of contents ("Tool | Summary") has no column for parameters, and too little to call a
    /// tool.
    fn read_tool_table(&mut self, table: &Table) -> Vec<Tool> {
        let titles: Vec<String> = table
            .header
            .cells
            .iter()
            .map(|cell| normalize_title(self.document.slice(cell)))
            .collect();
        let find_column =
            |wanted: &[&str]| titles.iter().position(|title| wanted.contains(&title.as_str()));
        let inputs = find_column(&["input", "inputs", "parameters", "arguments"]);
        let Some(inputs) = inputs.filter(|_| table.lists_tools(self.document.text)) else {
            return Vec::new();
        };
        let purpose = find_column(&["description", "summary", "purpose"]);
        let mut tools = Vec::new();
        for row in &table.rows {
            let Some((tool, has_parameters)) = self.read_tool_row(row, inputs, purpose) else {
                continue;
            };
            if !has_parameters {
                self.report_unreadable_parameters(&tool);
            }
            tools.push(tool);
        }
        tools
    }

    /// Reads a tool from a row, and returns with it whether its parameters could be read.
    fn read_tool_row(
        &self,
        row: &Row,
        inputs: usize,
        purpose: Option<usize>,
    ) -> Option<(Tool, bool)> {
        let name = row.cells.first()?;
        let cell = |index: usize| row.cells.get(index).cloned().unwrap_or(name.end..name.end);
        let purpose = purpose
            .map(|index| collapse_whitespace(self.document.slice(&cell(index))))
            .unwrap_or_default();
        let mut tool = self.create_listed_tool(name, purpose)?;
        let inputs = cell(inputs);
        let fields = self.read_cell_fields(&inputs);
        let has_parameters = !fields.is_empty() || states_none(self.document.slice(&inputs));
        if has_parameters {
            tool.input = Schema::new(object_schema::build(&fields, Unlisted::Rejected));
            let sections = &mut tool.details.get_or_insert_default().sections;
            sections.push((Section::Input, Location::Span(inputs)));
        }
        Some((tool, has_parameters))
    }

    /// Reads the parameters in a cell: `` `x: str, n: int = 3` ``, or names in code without types.
    fn read_cell_fields(&self, span: &Range<usize>) -> Vec<Field> {
        let text = self.document.slice(span);
        let mut fields = Vec::new();
        for code in find_code_spans(text) {
            let at = span.start + code.range.start;
            fields.extend(code.text.split(", ").filter_map(|part| {
                signature::parse_declaration(part, at)
                    .or_else(|| is_name(part).then(|| Field::named(part, at..at + part.len())))
            }));
        }
        fields
    }

    /// Reads the tool of a bullet that begins with a name in code, possibly in bold.
    fn read_tool_bullet(&mut self, item: &[Block]) -> Option<Tool> {
        const MAX_MARKS: usize = "**`".len();
        let first = item.first()?;
        let text = self.document.slice(&first.span);
        let code = find_code_spans(text).into_iter().next()?;
        if code.range.start > MAX_MARKS || !is_name(code.text) {
            return None;
        }
        let rest = text[code.range.end..].trim_start_matches(['`', '*', ' ', ':', '-', '–', '—']);
        let span = first.span.start + code.range.start..first.span.start + code.range.end;
        let tool = self.create_listed_tool(&span, collapse_whitespace(rest))?;
        self.report_unreadable_parameters(&tool);
        Some(tool)
    }

    /// Creates a tool that accepts any arguments, unless the text at `span` is not a valid name.
    fn create_listed_tool(&self, span: &Range<usize>, description: String) -> Option<Tool> {
        let name = strip_markup(self.document.slice(span));
        // The cell may have a whole signature: `a_b(x)`.
        let name = name.split('(').next().unwrap_or(name).trim_end();
        name::check(name).ok()?;
        let any_object = Schema::new(Map::from_iter([("type".to_owned(), json!("object"))]));
        let origin = Origin::span(self.report.source(), span.clone());
        let mut tool = Tool::new(name, description, any_object, Implementation::Missing, origin);
        tool.details = Some(Box::new(SpecDetails {
            sections: vec![(Section::Purpose, Location::Span(span.clone()))],
            ..SpecDetails::default()
        }));
        Some(tool)
    }

    fn report_unreadable_parameters(&mut self, tool: &Tool) {
        let found = Diagnostic::new(
            &UNREADABLE_PARAMETERS,
            tool.origin.clone(),
            "no parameters are declared in a form that can be read",
        );
        self.report.push(
            found.tool(&tool.name).hint("describe the tool under a heading, ``## Tool: `name` ``"),
        );
    }
}
