//! The page of one tool.

use catalog::{Implementation, Schema, Tool};
use serde_json::Value;

use super::{
    Entry, Group, Scripts, badge, document,
    rich::{block, code, escaped, markdown},
};
use crate::{
    fields::{Constraint, Row},
    sheet::{Sheet, sheet},
};

/// What lies around a page.
pub(super) struct Around<'a> {
    pub(super) crib: &'a str,
    pub(super) group: &'a Group<'a>,
    pub(super) before: Option<&'a Entry<'a>>,
    pub(super) after: Option<&'a Entry<'a>>,
}

/// A section: its anchor, its heading and what is in it.
type Section = (&'static str, &'static str, String);

/// The page.
pub(super) fn page(tool: &Tool, around: &Around<'_>) -> String {
    let sheet = sheet(tool);
    let sections: Vec<Section> =
        sections(tool, &sheet).into_iter().filter(|(.., content)| !content.is_empty()).collect();
    let contents: String = sections
        .iter()
        .map(|(anchor, title, _)| format!("<li><a href=\"#{anchor}\">{title}</a></li>"))
        .collect();
    let written: String = sections.iter().map(section).collect();
    let title = sheet
        .title
        .as_ref()
        .map(|title| format!("<p class=\"lead\">{}</p>\n", escaped(title)))
        .unwrap_or_default();
    let body = format!(
        "{}<main id=\"main\">\n<h1>{}</h1>\n{title}<p class=\"badges\">{}</p>\n\
         <nav class=\"contents\" aria-label=\"On this page\"><ul>{contents}</ul></nav>\n{written}</main>\n{}",
        header(around),
        code(&tool.name),
        badges(tool),
        footer(around),
    );
    document(&format!("{} - {}", tool.name, around.crib), Scripts::Nothing, &body)
}

fn header(around: &Around<'_>) -> String {
    let Group { name, anchor, .. } = around.group;
    format!(
        "<header class=\"bar\"><nav aria-label=\"Breadcrumb\"><a href=\"../index.html\">{}</a> / \
         <a href=\"../index.html#{anchor}\">{}</a></nav>\n\
         <form role=\"search\" action=\"../index.html\" method=\"get\"><label for=\"q\">Search tools</label>\
         <input id=\"q\" name=\"q\" type=\"search\" autocomplete=\"off\"></form></header>\n",
        escaped(around.crib),
        escaped(name),
    )
}

fn footer(around: &Around<'_>) -> String {
    let link = |entry: Option<&Entry<'_>>, word: &str| {
        let to = |entry: &Entry<'_>| {
            let file = entry.path.trim_start_matches("tools/");
            format!("<a rel=\"{word}\" href=\"{}\">{}</a>", escaped(file), code(&entry.tool.name))
        };
        entry.map(to).unwrap_or_default()
    };
    let (before, after) = (link(around.before, "prev"), link(around.after, "next"));
    format!(
        "<footer><nav aria-label=\"Neighbours\"><span>{before}</span><span>{after}</span></nav></footer>\n"
    )
}

fn badges(tool: &Tool) -> String {
    let annotations = &tool.annotations;
    let mut badges = badge(tool);
    let mut push = |text: Option<String>| {
        badges.extend(text.map(|text| format!(" <span class=\"badge\">{}</span>", escaped(&text))))
    };
    push(annotations.version.as_ref().map(|version| format!("version {version}")));
    push((annotations.requires_approval == Some(true)).then(|| "needs approval".to_owned()));
    push((annotations.network == Some(true)).then(|| "network".to_owned()));
    push((annotations.idempotent == Some(true)).then(|| "idempotent".to_owned()));
    badges
}

fn section((anchor, title, content): &Section) -> String {
    format!(
        "<section aria-labelledby=\"{anchor}\">\n<h2 id=\"{anchor}\">{title}</h2>\n{content}</section>\n"
    )
}

fn sections(tool: &Tool, sheet: &Sheet) -> Vec<Section> {
    let security: String =
        sheet.security.iter().map(|remark| format!("<li>{}</li>\n", markdown(remark))).collect();
    vec![
        ("about", "What it does", markdown(&sheet.description)),
        ("parameters", "Parameters", parameters(tool, &sheet.parameters)),
        ("result", "Result", results(tool, &sheet.results)),
        ("examples", "Examples", examples(sheet)),
        ("errors", "Errors", sheet.errors.as_deref().map(markdown).unwrap_or_default()),
        (
            "security",
            "Security",
            if security.is_empty() { security } else { format!("<ul>\n{security}</ul>\n") },
        ),
        ("runs", "How it runs", runs(tool, &sheet.runs)),
        ("facts", "Facts", facts(sheet)),
    ]
}

fn parameters(tool: &Tool, rows: &[Row]) -> String {
    if rows.is_empty() {
        return "<p>None.</p>\n".to_owned();
    }
    let row = |row: &Row| {
        let required = if row.required { "<strong>yes</strong>" } else { "no" };
        let default = row.default.as_deref().map(code).unwrap_or_default();
        format!(
            "<tr>{}<td data-label=\"Type\">{}</td><td data-label=\"Required\">{required}</td><td data-label=\"Default\">{default}</td><td>{}</td></tr>\n",
            named(row),
            escaped(&row.kind),
            meaning(row)
        )
    };
    let head = ["Name", "Type", "Required", "Default", "Meaning"];
    table("Parameters", &head, &rows.iter().map(row).collect::<String>())
        + &schema("input", &tool.input)
}

fn results(tool: &Tool, rows: &[Row]) -> String {
    let row = |row: &Row| {
        format!(
            "<tr>{}<td data-label=\"Type\">{}</td><td>{}</td></tr>\n",
            named(row),
            escaped(&row.kind),
            meaning(row)
        )
    };
    let rows: String = rows.iter().map(row).collect();
    let table = if rows.is_empty() {
        rows
    } else {
        table("Fields of the result", &["Name", "Type", "Meaning"], &rows)
    };
    let whole = tool.output.as_ref().map(|output| schema("output", output)).unwrap_or_default();
    table + &whole
}

fn table(label: &str, head: &[&str], rows: &str) -> String {
    let head: String = head.iter().map(|title| format!("<th scope=\"col\">{title}</th>")).collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table>\n<thead><tr>{head}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// The name of a row, set in by how deep it lies inside others.
fn named(row: &Row) -> String {
    format!("<th scope=\"row\" class=\"depth-{}\">{}</th>", row.depth, code(&row.name))
}

fn meaning(row: &Row) -> String {
    let constraints: Vec<String> = row.constraints.iter().map(constraint).collect();
    let constraints = match constraints.is_empty() {
        true => String::new(),
        false => format!("<p class=\"must\">{}</p>", constraints.join("; ")),
    };
    markdown(&row.description).trim_end().to_owned() + &constraints
}

fn constraint(constraint: &Constraint) -> String {
    let values = constraint.values.iter().map(|value| code(value)).collect::<Vec<_>>().join(", ");
    format!("{} {values}", escaped(&constraint.words)).trim_end().to_owned()
}

fn schema(of: &str, schema: &Schema) -> String {
    let text = serde_json::to_string_pretty(&Value::Object(schema.object().as_ref().clone()))
        .unwrap_or_default();
    format!(
        "<details><summary>JSON Schema</summary>\n{}</details>\n",
        block(&format!("JSON Schema of the {of}"), &text)
    )
}

fn examples(sheet: &Sheet) -> String {
    let mut written = String::new();
    for (call, shows) in &sheet.examples {
        written.push_str(&markdown(shows));
        written.push_str(&block("Example call", call));
    }
    if let Some(call) = sheet.call.as_ref().filter(|_| sheet.examples.is_empty()) {
        written.push_str(&block("A call with the least it needs", call));
    }
    written.extend(sheet.transcript.as_ref().map(|code| block("Code that uses it", code)));
    written
}

fn runs(tool: &Tool, runs: &[String]) -> String {
    match &tool.implementation {
        Implementation::Process(_) => block("Command line", &runs.join("\n")) + NOTATION,
        Implementation::Sequence(_) => block("Steps", &runs.join("\n")),
        Implementation::Tool(other) => format!("<p>Another tool, <code>{}</code>.</p>\n", escaped(other)),
        Implementation::Missing => {
            "<p>Nothing: it has no program and is not served. A <code>[[bind]]</code> gives it one.</p>\n".to_owned()
        }
        other if runs.is_empty() => format!("<p>{}.</p>\n", crate::change::capitalize(other.summary())),
        _ => block("Function call", &runs.join("\n")),
    }
}

/// How a command line is to be read.
const NOTATION: &str = "<p class=\"must\">What stands in angle brackets is the value of a parameter; \
                        what stands in square brackets may be absent.</p>\n";

fn facts(sheet: &Sheet) -> String {
    let fact =
        |(label, value): &(&str, String)| format!("<dt>{label}</dt><dd>{}</dd>\n", escaped(value));
    format!("<dl>\n{}</dl>\n", sheet.facts.iter().map(fact).collect::<String>())
}
