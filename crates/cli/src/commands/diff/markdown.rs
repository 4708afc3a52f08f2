//! Changes as Markdown, for a comment on a pull request.

use compat::{Change, ToolComparison};
use docs::escape_cell;

use super::human::{display_name, render_versions, summarize};
use crate::terminal;

/// Prints a summary, and a list for each changed tool.
pub(super) fn print(tools: &[ToolComparison]) {
    let (changes, verdict) = summarize(tools);
    terminal::print_line(&format!("**{changes}**; {verdict}"));
    for tool in tools.iter().filter(|tool| !tool.changes.is_empty()) {
        let versions = render_versions(tool);
        let remark = tool.check_version().message;
        let facts = [Some(tool.class().as_str().to_owned()), versions, remark];
        let facts: Vec<_> = facts.into_iter().flatten().map(|fact| escape(&fact)).collect();
        terminal::print_line(&format!(
            "\n### {}: {}\n",
            escape(&display_name(tool)),
            facts.join(", ")
        ));
        tool.changes.iter().for_each(|change| terminal::print_line(&render_line(change)));
    }
}

fn render_line(change: &Change) -> String {
    let allowed = change.allowed.as_ref().map(|reason| format!(" (allowed: {})", escape(reason)));
    let class = change.effect.class().as_str();
    format!(
        "- **{class}**: {}{} (`{}`)",
        escape(&change.message),
        allowed.unwrap_or_default(),
        change.rule.name
    )
}

/// Escapes structure, and separates `@` from what follows: messages quote texts of tools, which must
/// not notify anyone.
fn escape(text: &str) -> String {
    escape_cell(text).replace('@', "@\u{200b}")
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn quoted_texts_neither_notify_anyone_nor_become_structure() {
        assert_eq!(escape("@team <b> `x`\n# y"), "@\u{200b}team &lt;b> `x` # y");
    }
}
