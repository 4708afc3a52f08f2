//! Tools that have no heading of their own: a row of a table that says what they take, or a bullet in a page that
//! describes its tools no further.

use std::{collections::HashMap, ops::Range};

use catalog::{
    Annotations, Implementation, Location, Origin, Schema, SpecDetails, Tool, name,
    spec_details::Section, spec_details::Version,
};
use serde_json::{Map, json};

use super::{
    PageReader,
    assemble::{self, Rest},
    field::{Field, bare, of_signature},
    gather::says_none,
    inline::{code, is_name, one_line},
    outline::{Outline, is_wrapper},
    page::{Block, Kind},
    rules::UNREADABLE_PARAMETERS,
    table::{Column, Row, Table},
    title::words,
};

impl PageReader<'_, '_> {
    /// The tools that are only listed.
    pub(super) fn listed_tools(
        &mut self,
        outline: &Outline,
        version: Option<&Version>,
    ) -> Vec<Tool> {
        let mut tools = Vec::new();
        let mut is_wrapped = false;
        for block in &self.page.blocks {
            match &block.kind {
                Kind::Heading { title, .. } => {
                    is_wrapped = is_wrapper(&words(self.page.str(title)))
                }
                Kind::Table(table) => tools.extend(self.of_rows(table)),
                Kind::List(items) if is_wrapped && outline.is_empty() => {
                    tools.extend(items.iter().filter_map(|item| self.of_bullet(item)));
                }
                _ => {}
            }
        }
        for tool in &mut tools {
            let details = tool.details.get_or_insert_default();
            details.version = version.cloned();
            tool.annotations = Annotations {
                version: version.map(|version| version.text.clone()),
                ..Annotations::default()
            };
        }
        tools
    }

    /// Gives tools whose own part says nothing of their purpose that of a table of contents.
    pub(super) fn borrow_purposes(&self, tools: &mut [Tool]) {
        let silent = tools.iter_mut().filter(|tool| tool.description.text.is_empty());
        let mut silent: HashMap<String, &mut Tool> =
            silent.map(|tool| (tool.name.clone(), tool)).collect();
        for block in &self.page.blocks {
            if silent.is_empty() {
                break;
            }
            let Kind::Table(table) = &block.kind else {
                continue;
            };
            let column = table
                .columns(self.page.text)
                .iter()
                .position(|column| *column == Column::Description);
            let Some(column) = column.filter(|_| table.lists_tools(self.page.text)) else {
                continue;
            };
            for (name, text) in
                table.rows.iter().filter_map(|row| row.cells.first().zip(row.cells.get(column)))
            {
                if let Some(tool) = silent.remove(bare(self.page.str(name))) {
                    tool.description.text = one_line(self.page.str(text));
                }
            }
        }
    }

    /// The tools of a table with a column for what they take.
    fn of_rows(&mut self, table: &Table) -> Vec<Tool> {
        let titles: Vec<String> =
            table.header.cells.iter().map(|cell| words(self.page.str(cell))).collect();
        let find =
            |wanted: &[&str]| titles.iter().position(|title| wanted.contains(&title.as_str()));
        let inputs = find(&["input", "inputs", "parameters", "arguments"])
            .filter(|_| table.lists_tools(self.page.text));
        let Some(inputs) = inputs else {
            return Vec::new();
        };
        let text = find(&["description", "summary", "purpose"]);
        let of_row = |row: &Row| {
            let span = row.cells.first()?.clone();
            let cell = |index: usize| row.cells.get(index).cloned().unwrap_or(span.end..span.end);
            let description =
                text.map(|index| one_line(self.page.str(&cell(index)))).unwrap_or_default();
            let fields = self.cell_fields(&cell(inputs));
            let is_known = !fields.is_empty() || says_none(self.page.str(&cell(inputs)));
            let mut tool = self.bare_tool(&span, description)?;
            if is_known {
                tool.input = Schema::new(assemble::object(&fields, Rest::Closed));
                tool.details
                    .get_or_insert_default()
                    .sections
                    .push((Section::Input, Location::Span(cell(inputs))));
            }
            Some((tool, is_known))
        };
        let rows: Vec<_> = table.rows.iter().filter_map(of_row).collect();
        rows.into_iter()
            .map(|(tool, is_known)| if is_known { tool } else { self.unread(tool) })
            .collect()
    }

    /// Parameters in a cell: signatures in code, else names.
    fn cell_fields(&self, span: &Range<usize>) -> Vec<Field> {
        let text = self.page.str(span);
        let parts = code(text).into_iter().flat_map(|(code, at)| {
            let inner = code.split(", ").map(move |part| (part, span.start + at.start));
            inner.collect::<Vec<_>>()
        });
        parts
            .filter_map(|(part, at)| {
                of_signature(part, at)
                    .or_else(|| is_name(part).then(|| Field::named(part, at..at + part.len())))
            })
            .collect()
    }

    /// The tool of a bullet that begins with its name in code.
    fn of_bullet(&mut self, item: &[Block]) -> Option<Tool> {
        let first = item.first()?;
        let text = self.page.str(&first.span);
        let (_, at) =
            code(text).into_iter().next().filter(|(name, at)| at.start <= 3 && is_name(name))?;
        let rest = text[at.end..].trim_start_matches(['`', '*', ' ', ':', '-', '–', '—']);
        let span = first.span.start + at.start..first.span.start + at.end;
        let tool = self.bare_tool(&span, one_line(rest))?;
        Some(self.unread(tool))
    }

    fn bare_tool(&self, span: &Range<usize>, description: String) -> Option<Tool> {
        let name = bare(self.page.str(span));
        let name = name.split('(').next().unwrap_or(name).trim_end();
        name::check(name).ok()?;
        let open = Schema::new(Map::from_iter([("type".to_owned(), json!("object"))]));
        let origin = Origin::span(self.report.source(), span.clone());
        let mut tool = Tool::new(name, description, open, Implementation::Missing, origin);
        tool.details = Some(Box::new(SpecDetails {
            sections: vec![(Section::Purpose, Location::Span(span.clone()))],
            ..SpecDetails::default()
        }));
        Some(tool)
    }

    fn unread(&mut self, tool: Tool) -> Tool {
        let found = catalog::Diagnostic::new(
            &UNREADABLE_PARAMETERS,
            tool.origin.clone(),
            "nothing that can be read says what arguments the tool takes",
        );
        self.report.push(
            found.tool(&tool.name).hint("describe the tool under a heading, ``## Tool: `name` ``"),
        );
        tool
    }
}
