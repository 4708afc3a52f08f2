//! Why a specification yields nothing, and which tools it only lists.

use std::{collections::HashSet, ops::Range};

use super::{
    PageReader,
    field::bare,
    inline::{is_name, one_line},
    outline::Outline,
    page::{Block, Kind},
    rules::{NO_TOOLS_FOUND, UNDESCRIBED_TOOL, UNFILLED_TEMPLATE},
};
use crate::rules::definition::DECLARES_NO_TOOLS;

/// Words by which a document says that it has no tools.
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

impl PageReader<'_, '_> {
    /// Says why there are no tools, and what of the template is left.
    pub(super) fn explain_absence(&mut self, outline: &Outline) {
        for span in &outline.placeholders {
            let found = self.report.at_span(
                &UNFILLED_TEMPLATE,
                span.clone(),
                "the name of this tool is still to be filled in",
            );
            self.report.push(found.hint("fill the section in, or remove it"));
        }
        if !outline.is_empty() {
            return;
        }
        let found = match self.declaration() {
            Some((span, words)) => self.report.at_span(
                &DECLARES_NO_TOOLS,
                span,
                format!("the document says that there are no tools: \"{words}\""),
            ),
            None => {
                let span = self.page.blocks.first().map_or(0..0, |first| first.span.clone());
                let found = self.report.at_span(
                    &NO_TOOLS_FOUND,
                    span,
                    "no heading names a tool, and nothing says that there are none",
                );
                found.hint("give each tool a heading, ``## Tool: `name` ``, or say that there are no MCP tools")
            }
        };
        self.report.push(found);
    }

    fn declaration(&self) -> Option<(Range<usize>, String)> {
        let spoken = |block: &Block| {
            matches!(
                block.kind,
                Kind::Paragraph | Kind::Heading { .. } | Kind::Other | Kind::List(_)
            )
        };
        self.page.blocks.iter().filter(|block| spoken(block)).find_map(|block| {
            let text = one_line(self.page.str(&block.span)).replace(['*', '`', '#'], "");
            let text = text.trim();
            let lower = text.to_ascii_lowercase();
            let at = DECLARATIONS.iter().filter_map(|words| lower.find(words)).min()?;
            let start = text[..at].rfind(". ").map_or(0, |end| end + 2);
            let sentence = text[start..].split(". ").next().unwrap_or_default();
            let sentence: String = sentence.chars().take(120).collect();
            Some((block.span.clone(), sentence.trim_end_matches('.').to_owned()))
        })
    }

    /// Tells which tools are listed in a table and described nowhere.
    pub(super) fn explain_lists(&mut self, outline: &Outline, known: &HashSet<String>) {
        let is_described = |span: &Range<usize>| {
            outline.entries.iter().any(|entry| entry.span.contains(&span.start))
        };
        let mut is_planned = false;
        for block in &self.page.blocks {
            match &block.kind {
                Kind::Heading { title, .. } => {
                    let title = self.page.str(title).to_ascii_lowercase();
                    is_planned = title.contains("planned") || title.contains("future");
                }
                Kind::Table(table)
                    if !is_planned
                        && table.lists_tools(self.page.text)
                        && !is_described(&block.span) =>
                {
                    for cell in table.rows.iter().filter_map(|row| row.cells.first()) {
                        let name = bare(self.page.str(cell));
                        if is_name(name) && !known.contains(name) {
                            let message =
                                format!("`{name}` is listed here, but no section describes it");
                            let found =
                                self.report.at_span(&UNDESCRIBED_TOOL, cell.clone(), message);
                            self.report
                                .push(found.hint(
                                    "describe it under a heading of its own, or take it out",
                                ));
                        }
                    }
                }
                _ => {}
            }
        }
    }
}
