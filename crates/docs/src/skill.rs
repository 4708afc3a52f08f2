//! A catalog as a skill: when an agent should use which tool, in the format of agentskills.io.

use catalog::{Catalog, Implementation, Mode, Tool};
use serde_json::Value;

use crate::{
    markdown::{code_block, code_cell, escape_cell},
    markdown_site::{effect_label, first_sentence},
    tool_docs::needs_approval,
};

/// Maximum length of the description, in characters. Clients reject skills with a longer one.
const MAX_DESCRIPTION: usize = 1024;

/// Maximum number of examples in a skill, all of which is read into the context of the model.
const MAX_EXAMPLES: usize = 12;

/// Renders `SKILL.md` for the tools of a server. Without a `description`, one is composed from the
/// tools.
pub fn render_skill(catalog: &Catalog, server: &str, description: Option<&str>) -> String {
    let tools: Vec<_> = callable_tools(catalog).collect();
    let description = describe_skill(&tools, server, description);
    let mut page = format!(
        "---\nname: {server}\ndescription: {}\n---\n\n# {}\n\nThe MCP server `{server}` has these tools.\n\n",
        // A JSON string is a YAML string, whatever the text contains.
        Value::from(description),
        code_cell(server),
    );
    page.push_str(&render_tool_table(&tools));
    let sections = [
        ("Order", list_sequences(&tools)),
        ("Calls that a person approves", list_approvals(&tools)),
        ("Calls that take long", list_operations(&tools)),
        ("Examples", list_examples(&tools)),
    ];
    for (heading, content) in sections {
        if !content.is_empty() {
            page.push_str(&format!("\n## {heading}\n\n{content}"));
        }
    }
    page
}

/// Renders the `README.md` of a package for people: its tools and its requirements.
pub fn render_package_page(catalog: &Catalog, name: &str, description: &str) -> String {
    let tools: Vec<_> = callable_tools(catalog).collect();
    format!(
        "# {}\n\n{}.\n\n{}\nThe tools are served by [Toolcrib](https://github.com/toolcrib/toolcrib), which must be \
         installed as `toolcrib`. Each call is checked against the definition of its tool, runs in a sandbox, and is \
         recorded; `toolcrib log` in this folder prints the record. Tools that need approval run only after a person \
         has approved the call.\n",
        code_cell(name),
        escape_cell(description.trim_end_matches('.')),
        render_tool_table(&tools),
    )
}

/// The first sentence of a tool's description.
pub fn summarize(tool: &Tool) -> String {
    let text = tool.description.text_in_context();
    first_sentence(&text).chars().filter(|c| !c.is_control()).collect()
}

/// Puts a text on one line and truncates it at a word to `limit` characters.
pub fn shorten(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= limit {
        return line;
    }
    let head: String = line.chars().take(limit - 1).collect();
    let end = head.rfind(' ').unwrap_or(head.len());
    format!("{}…", head[..end].trim_end_matches([',', ';', ':', '.']))
}

fn callable_tools(catalog: &Catalog) -> impl Iterator<Item = &Tool> {
    catalog.tools().iter().map(AsRef::as_ref).filter(|tool| tool.is_callable())
}

/// Describes what the tools do and when to use them. A client decides by this text alone whether to
/// read the skill.
fn describe_skill(tools: &[&Tool], server: &str, description: Option<&str>) -> String {
    let what = description.map_or_else(|| format!("Tools of {server}"), str::to_owned);
    let purposes: Vec<_> = tools.iter().map(|tool| summarize(tool)).collect();
    let text = format!(
        "{}. Use when the task is one of these: {}.",
        what.trim_end_matches('.'),
        purposes.join("; ")
    );
    shorten(&text, MAX_DESCRIPTION)
}

fn render_tool_table(tools: &[&Tool]) -> String {
    let row = |tool: &&Tool| {
        format!(
            "| {} | {} | {} |\n",
            code_cell(&tool.name),
            escape_cell(&summarize(tool)),
            effect_label(tool)
        )
    };
    let rows: String = tools.iter().map(row).collect();
    format!("| tool | use it to | effect |\n|---|---|---|\n{rows}")
}

fn list_sequences(tools: &[&Tool]) -> String {
    let line = |tool: &&Tool| match &tool.implementation {
        Implementation::Sequence(sequence) => {
            let steps: Vec<_> = sequence.steps.iter().map(|step| code_cell(&step.tool)).collect();
            Some(format!("- {} runs {}.\n", code_cell(&tool.name), steps.join(", then ")))
        }
        _ => None,
    };
    tools.iter().filter_map(line).collect()
}

fn list_approvals(tools: &[&Tool]) -> String {
    let asked: Vec<_> = tools.iter().filter(|tool| needs_approval(tool)).collect();
    let names: Vec<_> = asked.iter().map(|tool| code_cell(&tool.name)).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(
        "{}.\n\nSuch a call is refused with a code until a person approves it. Tell the user the code and what the \
         call will do, and wait; do not work around it with another tool.\n",
        names.join(", ")
    )
}

fn list_operations(tools: &[&Tool]) -> String {
    let long = tools.iter().filter(|tool| tool.mode == Mode::Asynchronous);
    let names: Vec<_> = long.map(|tool| code_cell(&tool.name)).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(
        "{}.\n\nA call that takes long is answered with an operation id. Go on with other work, and get the result \
         with `await`.\n",
        names.join(", ")
    )
}

fn list_examples(tools: &[&Tool]) -> String {
    let examples = tools
        .iter()
        .flat_map(|tool| tool.description.examples.iter().map(move |example| (tool, example)));
    let render = |(tool, example): (&&Tool, &catalog::Example)| {
        let arguments = Value::from(example.arguments.clone());
        format!(
            "{}: {}\n\n{}\n",
            code_cell(&tool.name),
            escape_cell(&example.explanation),
            code_block("json", &arguments.to_string())
        )
    };
    examples.take(MAX_EXAMPLES).map(render).collect()
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn shortens_at_a_word() {
        assert_eq!(shorten("Count  lines\nof files", 100), "Count lines of files");
        assert_eq!(shorten("Count lines, words and bytes", 14), "Count lines…");
        assert_eq!(shorten("Ünïcödé", 4), "Ünï…");
    }
}
