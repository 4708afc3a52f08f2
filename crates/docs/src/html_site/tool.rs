//! The page of a tool.

use catalog::{Implementation, Schema, Tool};
use serde_json::Value;

use super::{
    Entry, Group, ScriptPolicy,
    html::{code_block, code_span, escape, render_markdown},
    render_document, render_effect_badge,
};
use crate::{
    fields::{Constraint, Field},
    markdown::capitalize,
    tool_docs::ToolDocs,
};

/// Explains the notation of a command line.
const NOTATION: &str = "<p class=\"must\">Values of parameters are in angle brackets; optional parts are in square \
                        brackets.</p>\n";

/// The place of a page in its site.
pub(super) struct PageContext<'a> {
    pub(super) crib: &'a str,
    pub(super) group: &'a Group<'a>,
    pub(super) previous: Option<&'a Entry<'a>>,
    pub(super) next: Option<&'a Entry<'a>>,
}

struct Section {
    anchor: &'static str,
    title: &'static str,
    content: String,
}

/// Renders the page of a tool. Sections without content are omitted.
pub(super) fn render_page(tool: &Tool, context: &PageContext<'_>) -> String {
    let docs = ToolDocs::new(tool);
    let sections = build_sections(tool, &docs);
    let sections: Vec<_> =
        sections.into_iter().filter(|section| !section.content.is_empty()).collect();
    let contents: String = sections
        .iter()
        .map(|Section { anchor, title, .. }| format!("<li><a href=\"#{anchor}\">{title}</a></li>"))
        .collect();
    let content: String = sections.iter().map(render_section).collect();
    let title = docs.title.as_ref();
    let title = title.map(|title| format!("<p class=\"lead\">{}</p>\n", escape(title)));
    let body = format!(
        "{}<main id=\"main\">\n<h1>{}</h1>\n{}<p class=\"badges\">{}</p>\n\
         <nav class=\"contents\" aria-label=\"On this page\"><ul>{contents}</ul></nav>\n{content}</main>\n{}",
        render_header(context),
        code_span(&tool.name),
        title.unwrap_or_default(),
        render_badges(tool),
        render_footer(context),
    );
    let title = format!("{} - {}", tool.name, context.crib);
    render_document(&title, ScriptPolicy::Denied, &body)
}

fn render_header(context: &PageContext<'_>) -> String {
    let Group { name, anchor, .. } = context.group;
    format!(
        "<header class=\"bar\"><nav aria-label=\"Breadcrumb\"><a href=\"../index.html\">{}</a> / \
         <a href=\"../index.html#{anchor}\">{}</a></nav>\n\
         <form role=\"search\" action=\"../index.html\" method=\"get\"><label for=\"q\">Search tools</label>\
         <input id=\"q\" name=\"q\" type=\"search\" autocomplete=\"off\"></form></header>\n",
        escape(context.crib),
        escape(name),
    )
}

fn render_footer(context: &PageContext<'_>) -> String {
    let link = |entry: Option<&Entry<'_>>, relation: &str| {
        let Some(entry) = entry else {
            return String::new();
        };
        let file = escape(entry.path.trim_start_matches("tools/"));
        format!("<a rel=\"{relation}\" href=\"{file}\">{}</a>", code_span(&entry.tool.name))
    };
    format!(
        "<footer><nav aria-label=\"Previous and next tool\"><span>{}</span><span>{}</span></nav></footer>\n",
        link(context.previous, "prev"),
        link(context.next, "next")
    )
}

fn render_badges(tool: &Tool) -> String {
    let annotations = &tool.annotations;
    let mut badges = render_effect_badge(tool);
    let mut push = |text: Option<String>| {
        badges.extend(text.map(|text| format!(" <span class=\"badge\">{}</span>", escape(&text))));
    };
    push(annotations.version.as_ref().map(|version| format!("version {version}")));
    push((annotations.requires_approval == Some(true)).then(|| "needs approval".to_owned()));
    push((annotations.uses_network() == Some(true)).then(|| "network".to_owned()));
    push((annotations.idempotent == Some(true)).then(|| "idempotent".to_owned()));
    badges
}

fn render_section(section: &Section) -> String {
    let Section { anchor, title, content } = section;
    format!(
        "<section aria-labelledby=\"{anchor}\">\n<h2 id=\"{anchor}\">{title}</h2>\n{content}</section>\n"
    )
}

fn build_sections(tool: &Tool, docs: &ToolDocs) -> [Section; 8] {
    let errors = docs.errors.as_deref().map(render_markdown).unwrap_or_default();
    [
        ("about", "Description", render_markdown(&docs.description)),
        ("parameters", "Parameters", render_parameters(tool, &docs.parameters)),
        ("result", "Result", render_results(tool, &docs.results)),
        ("examples", "Examples", render_examples(docs)),
        ("errors", "Errors", errors),
        ("security", "Security", render_security(&docs.security)),
        ("runs", "Implementation", render_invocation(tool, &docs.invocation)),
        ("facts", "Facts", render_facts(docs)),
    ]
    .map(|(anchor, title, content)| Section { anchor, title, content })
}

fn render_security(remarks: &[String]) -> String {
    if remarks.is_empty() {
        return String::new();
    }
    let items = remarks.iter().map(|remark| format!("<li>{}</li>\n", render_markdown(remark)));
    format!("<ul>\n{}</ul>\n", items.collect::<String>())
}

fn render_parameters(tool: &Tool, parameters: &[Field]) -> String {
    if parameters.is_empty() {
        return "<p>None.</p>\n".to_owned();
    }
    let rows = parameters.iter().map(|field| {
        let required = if field.required { "<strong>yes</strong>" } else { "no" };
        let default = field.default.as_deref().map(code_span).unwrap_or_default();
        format!(
            "<tr>{}<td data-label=\"Type\">{}</td><td data-label=\"Required\">{required}</td><td data-label=\"Default\">{default}</td><td>{}</td></tr>\n",
            render_name_cell(field),
            escape(&field.type_text),
            render_meaning(field)
        )
    });
    let head = ["Name", "Type", "Required", "Default", "Meaning"];
    let table = render_table("Parameters", &head, &rows.collect::<String>());
    table + &render_schema("input", &tool.input)
}

fn render_results(tool: &Tool, results: &[Field]) -> String {
    let rows = results.iter().map(|field| {
        format!(
            "<tr>{}<td data-label=\"Type\">{}</td><td>{}</td></tr>\n",
            render_name_cell(field),
            escape(&field.type_text),
            render_meaning(field)
        )
    });
    let mut content = String::new();
    if !results.is_empty() {
        let head = ["Name", "Type", "Meaning"];
        content = render_table("Fields of the result", &head, &rows.collect::<String>());
    }
    content.extend(tool.output.as_ref().map(|output| render_schema("output", output)));
    content
}

fn render_table(label: &str, head: &[&str], rows: &str) -> String {
    // The table is in a region that can be focused, because only then a keyboard can scroll it.
    let head: String = head.iter().map(|title| format!("<th scope=\"col\">{title}</th>")).collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table>\n<thead><tr>{head}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// The name of a field; its class indents nested fields.
fn render_name_cell(field: &Field) -> String {
    format!("<th scope=\"row\" class=\"depth-{}\">{}</th>", field.depth, code_span(&field.name))
}

fn render_meaning(field: &Field) -> String {
    let mut meaning = render_markdown(&field.description).trim_end().to_owned();
    if !field.constraints.is_empty() {
        let constraints: Vec<_> = field.constraints.iter().map(render_constraint).collect();
        meaning.push_str(&format!("<p class=\"must\">{}</p>", constraints.join("; ")));
    }
    meaning
}

fn render_constraint(constraint: &Constraint) -> String {
    let values: Vec<_> = constraint.values.iter().map(|value| code_span(value)).collect();
    format!("{} {}", escape(&constraint.text), values.join(", ")).trim_end().to_owned()
}

fn render_schema(direction: &str, schema: &Schema) -> String {
    let text = serde_json::to_string_pretty(&Value::Object(schema.object().as_ref().clone()))
        .expect("a JSON value can be serialized");
    format!(
        "<details><summary>JSON Schema</summary>\n{}</details>\n",
        code_block(&format!("JSON Schema of the {direction}"), &text)
    )
}

fn render_examples(docs: &ToolDocs) -> String {
    let mut content = String::new();
    for (call, explanation) in &docs.examples {
        content.push_str(&render_markdown(explanation));
        content.push_str(&code_block("Example call", call));
    }
    if docs.examples.is_empty() {
        content.extend(docs.call.as_ref().map(|call| code_block("Minimal call", call)));
    }
    content.extend(docs.transcript.as_ref().map(|code| code_block("Example code", code)));
    content
}

fn render_invocation(tool: &Tool, invocation: &[String]) -> String {
    let lines = invocation.join("\n");
    match &tool.implementation {
        Implementation::Process(_) => code_block("Command line", &lines) + NOTATION,
        Implementation::Sequence(_) => code_block("Steps", &lines),
        Implementation::Tool(name) => format!("<p>The tool {}.</p>\n", code_span(name)),
        Implementation::Missing => {
            "<p>None, so it is not served. Bind it to a program or a function with <code>[[bind]]</code>.</p>\n".to_owned()
        }
        other if lines.is_empty() => format!("<p>{}.</p>\n", capitalize(other.summary())),
        _ => code_block("Function call", &lines),
    }
}

fn render_facts(docs: &ToolDocs) -> String {
    let facts = docs.facts.iter();
    let facts = facts.map(|(label, value)| format!("<dt>{label}</dt><dd>{}</dd>\n", escape(value)));
    format!("<dl>\n{}</dl>\n", facts.collect::<String>())
}
