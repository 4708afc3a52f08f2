//! Workflows in YAML, as packages of `rave` tools have them: what to do, in which order, with which
//! tools. A workflow is advice for a model, so it becomes a prompt; nothing runs it.

use catalog::{Diagnostic, Origin, SourceId, name};
use serde_json::{Map, Value};

use super::{Interface, Piece, Prompt, PromptBody, ToolReference, line_start, rules};
use crate::yaml;

/// What is said of a workflow in sections of its own, in this order: the key and its heading.
const SECTIONS: [(&str, &str); 7] = [
    ("tool_guide", "Tools"),
    ("warnings", "Warnings"),
    ("best_practices", "Best practices"),
    ("anti_patterns", "What to avoid"),
    ("coding_guidelines", "Coding guidelines"),
    ("code_generation_rules", "Rules for code"),
    ("examples", "Examples"),
];

/// What a step says beside its tool, in this order: the key and what is written before its value.
const REMARKS: [(&str, &str); 6] = [
    ("if", "Only if"),
    ("loop", "Repeat"),
    ("strategy", "Strategy"),
    ("validation", "Check"),
    ("on_error", "If it fails"),
    ("note", "Note"),
];

/// Reads a workflow.
pub fn read_workflow(source: &SourceId, bytes: &[u8]) -> (Option<Prompt>, Vec<Diagnostic>) {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let broken = |line: usize, message: String, hint: &str| {
        let origin = Origin::offset(source, line_start(text, line));
        (None, vec![Diagnostic::new(&rules::BROKEN_WORKFLOW, origin, message).hint(hint)])
    };
    let workflow: Map<String, Value> = match yaml::read(text) {
        Ok(Value::Object(workflow)) => workflow,
        Ok(_) => {
            return broken(1, "it is not a list of `key: value`".to_owned(), "begin with `name:`");
        }
        Err(error) => return broken(error.line, error.message, "mend the YAML"),
    };
    match string(workflow.get("name")).map(prompt_name).filter(|name| name::check(name).is_ok()) {
        Some(name) => (Some(prompt(name, &workflow, source, text)), Vec::new()),
        None => broken(
            1,
            "the workflow has no usable name".to_owned(),
            "add `name:` with letters, digits, `_` and `-`",
        ),
    }
}

/// A name that clients take: blanks and the like become `-`.
fn prompt_name(name: &str) -> String {
    let allowed = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '-' }
    };
    name.trim().chars().map(allowed).collect()
}

fn prompt(name: String, workflow: &Map<String, Value>, source: &SourceId, text: &str) -> Prompt {
    let mut page = Page::default();
    page.write(workflow);
    let description = string(workflow.get("description")).unwrap_or("A workflow").trim().to_owned();
    let named = page.pieces.iter().filter_map(|piece| match piece {
        Piece::Tool(name) => Some(name.clone()),
        Piece::Text(_) => None,
    });
    let reference = |name: String| {
        let at = text.find(&name).unwrap_or(0);
        ToolReference { origin: Origin::offset(source, at), name }
    };
    let mut names: Vec<_> = named.collect();
    names.sort();
    names.dedup();
    Prompt {
        name,
        description,
        interface: Interface::Named(Vec::new()),
        usage: None,
        examples: Vec::new(),
        tools: names.into_iter().map(reference).collect(),
        body: PromptBody::Text(page.pieces),
        origin: Origin::whole(source),
    }
}

/// A workflow as a page of Markdown.
#[derive(Default)]
struct Page {
    pieces: Vec<Piece>,
}

impl Page {
    fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    fn tool(&mut self, name: &str) {
        self.text("`");
        self.pieces.push(Piece::Tool(name.to_owned()));
        self.text("`");
    }

    fn write(&mut self, workflow: &Map<String, Value>) {
        self.text(&format!("# {}\n", string(workflow.get("name")).unwrap_or_default().trim()));
        for key in ["description", "overview"] {
            if let Some(text) = string(workflow.get(key)) {
                self.text(&format!("\n{}\n", text.trim()));
            }
        }
        if let Some(tools) = workflow.get("mcp_tools").and_then(Value::as_array) {
            self.text("\nIt uses ");
            self.names(tools.iter().filter_map(Value::as_str));
            self.text(".\n");
        }
        if let Some(jobs) = workflow.get("jobs").and_then(Value::as_object) {
            self.text("\n## Steps\n");
            jobs.iter().for_each(|(name, job)| self.job(name, job));
        }
        for (key, heading) in SECTIONS {
            if let Some(value) = workflow.get(key).filter(|value| !value.is_null()) {
                self.text(&format!("\n## {heading}\n\n"));
                self.value(value, 0);
            }
        }
    }

    fn names<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for (index, name) in names.enumerate() {
            if index > 0 {
                self.text(", ");
            }
            self.tool(name);
        }
    }

    fn job(&mut self, name: &str, job: &Value) {
        let title = string(job.get("name")).unwrap_or(name);
        self.text(&format!("\n### {title}\n\n"));
        if let Some(description) = string(job.get("description")) {
            self.text(&format!("{}\n\n", description.trim()));
        }
        if let Some(needs) = job.get("needs").map(inline) {
            self.text(&format!("After: {needs}.\n\n"));
        }
        if let Some(condition) = job.get("if").map(inline) {
            self.text(&format!("Only if: {condition}.\n\n"));
        }
        for (index, step) in
            job.get("steps").and_then(Value::as_array).into_iter().flatten().enumerate()
        {
            self.step(index + 1, step);
        }
    }

    fn step(&mut self, number: usize, step: &Value) {
        self.text(&format!("{number}."));
        if let Some(name) = string(step.get("name")) {
            self.text(&format!(" **{}**", name.trim()));
        }
        if let Some(tool) = string(step.get("tool")) {
            self.text(" Call ");
            self.tool(tool);
            if let Some(with) = step.get("with") {
                self.text(&format!(" with `{with}`"));
            }
            self.text(".");
        }
        for key in ["action", "description"] {
            if let Some(text) = string(step.get(key)) {
                self.text(&format!(" {}", text.trim()));
            }
        }
        let is_true = |key: &str| step.get(key).and_then(Value::as_bool) == Some(true);
        if is_true("dangerous") || is_true("requires_approval") {
            self.text(" **Ask the user first.**");
        }
        self.text("\n");
        for (key, words) in REMARKS {
            if let Some(value) = step.get(key) {
                self.text(&format!("   - {words}: {}\n", inline(value)));
            }
        }
    }

    /// Anything, as nested lists. What calls itself a tool is one.
    fn value(&mut self, value: &Value, depth: usize) {
        let indent = "  ".repeat(depth);
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.item(item, depth)),
            Value::Object(members) => {
                for (key, value) in members {
                    self.text(&format!("{indent}- {}:", key.replace('_', " ")));
                    self.member(key, value, depth);
                }
            }
            value => self.text(&format!("{indent}{}\n", inline(value))),
        }
    }

    fn item(&mut self, item: &Value, depth: usize) {
        let indent = "  ".repeat(depth);
        match item {
            Value::Object(members) => {
                for (index, (key, value)) in members.iter().enumerate() {
                    let mark = if index == 0 { "- " } else { "  " };
                    self.text(&format!("{indent}{mark}{}:", key.replace('_', " ")));
                    self.member(key, value, depth);
                }
            }
            item => self.text(&format!("{indent}- {}\n", inline(item))),
        }
    }

    fn member(&mut self, key: &str, value: &Value, depth: usize) {
        match value {
            Value::String(name) if key == "tool" => {
                self.text(" ");
                self.tool(name);
                self.text("\n");
            }
            Value::Array(_) | Value::Object(_) => {
                self.text("\n");
                self.value(value, depth + 2);
            }
            value => self.text(&format!(" {}\n", inline(value))),
        }
    }
}

fn string(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// A value in one line.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().map(inline).collect::<Vec<_>>().join(", ")
        }
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| format!("{key}: {}", inline(value)))
            .collect::<Vec<_>>()
            .join("; "),
        other => other.to_string(),
    }
}
