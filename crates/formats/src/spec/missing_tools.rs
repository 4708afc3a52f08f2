//! Reports why a document has no tools, and which tools it lists without describing them.

use std::{collections::HashSet, ops::Range};

use super::{
    SpecReader,
    field::strip_markup,
    inline::{collapse_whitespace, is_name},
    markdown::BlockKind,
    outline::Outline,
    rules::{NO_TOOLS_FOUND, UNDESCRIBED_TOOL, UNFILLED_TEMPLATE},
    table::Table,
};
use crate::rules::definition::DECLARES_NO_TOOLS;

/// Phrases that declare that there are no tools. Four out of ten real documents do, in these
/// wordings.
const DECLARATIONS: [&str; 21] = [
    "no mcp tools",
    "no mcp tool is",
    "no tools are",
    "not expose any",
    "does not expose mcp tools",
    "not currently expose",
    "not expose production mcp tools",
    "not mcp-exposed",
    "has no @mcp_tool",
    "not define any mcp tool",
    "exposes no mcp tool",
    "exposes no tools",
    "provides no mcp tool",
    "no mcp surface",
    "no tools",
    "not provide any",
    "not provide mcp tool",
    "not offer any",
    "not define mcp tool",
    "not register any",
    "without mcp tools",
];

impl SpecReader<'_, '_> {
    /// Reports sections of the template that are not filled in and, if no heading names a tool,
    /// whether the document declares that there are none.
    pub(super) fn report_missing_tools(&mut self, outline: &Outline) {
        for span in &outline.placeholders {
            let found = self.report.at_span(
                &UNFILLED_TEMPLATE,
                span.clone(),
                "the name of this tool is still a placeholder",
            );
            self.report.push(found.hint("fill in the section or remove it"));
        }
        if !outline.is_empty() {
            return;
        }
        let found = if let Some((span, sentence)) = self.find_declaration() {
            let message = format!("the document declares that it has no tools: \"{sentence}\"");
            self.report.at_span(&DECLARES_NO_TOOLS, span, message)
        } else {
            let span = self.document.blocks.first().map_or(0..0, |first| first.span.clone());
            let message =
                "no heading names a tool, and the document does not declare that it has none";
            self.report.at_span(&NO_TOOLS_FOUND, span, message).hint(
                "give each tool a heading, ``## Tool: `name` ``, or state that there are no MCP tools",
            )
        };
        self.report.push(found);
    }

    /// The first block with a declaration that there are no tools, and the sentence that makes it.
    fn find_declaration(&self) -> Option<(Range<usize>, String)> {
        const MAX_CHARS: usize = 120;
        self.document.blocks.iter().find_map(|block| {
            // Tables and code contain such phrases without declaring anything.
            if matches!(block.kind, BlockKind::Table(_) | BlockKind::Fence { .. }) {
                return None;
            }
            let text = self.document.slice(&block.span);
            // Markup and line breaks may be inside of a phrase: "does **not** expose any".
            let text = collapse_whitespace(text).replace(['*', '`', '#'], "");
            let text = text.trim();
            let lower = text.to_ascii_lowercase();
            let at = DECLARATIONS.iter().filter_map(|phrase| lower.find(phrase)).min()?;
            // The message quotes the sentence, so that people can judge whether it was understood.
            let start = text[..at].rfind(". ").map_or(0, |end| end + 2);
            let sentence = text[start..].split(". ").next().unwrap_or_default();
            let sentence: String = sentence.chars().take(MAX_CHARS).collect();
            Some((block.span.clone(), sentence.trim_end_matches('.').to_owned()))
        })
    }

    /// Reports tools in tables of contents that are not among the `described` ones.
    pub(super) fn report_undescribed_tools(
        &mut self,
        outline: &Outline,
        described: &HashSet<String>,
    ) {
        let is_in_entry = |span: &Range<usize>| {
            outline.entries.iter().any(|entry| entry.span.contains(&span.start))
        };
        let mut is_planned = false;
        for block in &self.document.blocks {
            match &block.kind {
                BlockKind::Heading { title, .. } => {
                    // Planned tools are listed without a description on purpose.
                    let title = self.document.slice(title).to_ascii_lowercase();
                    is_planned = title.contains("planned") || title.contains("future");
                }
                // A table inside the description of a tool is about related tools.
                BlockKind::Table(table)
                    if !is_planned
                        && table.lists_tools(self.document.text)
                        && !is_in_entry(&block.span) =>
                {
                    self.report_undescribed_rows(table, described);
                }
                _ => {}
            }
        }
    }

    fn report_undescribed_rows(&mut self, table: &Table, described: &HashSet<String>) {
        for cell in table.rows.iter().filter_map(|row| row.cells.first()) {
            let name = strip_markup(self.document.slice(cell));
            if is_name(name) && !described.contains(name) {
                let message = format!("`{name}` is listed here, but no section describes it");
                let found = self.report.at_span(&UNDESCRIBED_TOOL, cell.clone(), message);
                self.report.push(
                    found.hint(
                        "describe it under a heading of its own, or remove it from the table",
                    ),
                );
            }
        }
    }
}
