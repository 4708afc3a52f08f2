//! Workflows in YAML, which R packages with RAVE tools ship: the steps of a task and the tools to
//! use.
//!
//! A workflow is advice for a model, so it becomes a prompt in Markdown. It is not executed.

use catalog::{Diagnostic, Origin, SourceId, name};
use serde_json::{Map, Value};

use super::{Prompt, PromptArguments, PromptBody, PromptSegment, ToolReference, line_start, rules};
use crate::yaml;

/// The fields that become a section, in order: key and heading.
const SECTIONS: [(&str, &str); 7] = [
    ("tool_guide", "Tools"),
    ("warnings", "Warnings"),
    ("best_practices", "Best practices"),
    ("anti_patterns", "What to avoid"),
    ("coding_guidelines", "Coding guidelines"),
    ("code_generation_rules", "Rules for code"),
    ("examples", "Examples"),
];

/// The fields of a step that become a list below it, in order: key and label.
const STEP_DETAILS: [(&str, &str); 6] = [
    ("if", "Only if"),
    ("loop", "Repeat"),
    ("strategy", "Strategy"),
    ("validation", "Check"),
    ("on_error", "If it fails"),
    ("note", "Note"),
];

/// Reads a workflow; none if it has an error.
pub fn read_workflow(source: &SourceId, bytes: &[u8]) -> (Option<Prompt>, Vec<Diagnostic>) {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let reject = |line: usize, message: String, hint: &str| {
        let origin = Origin::offset(source, line_start(text, line));
        (None, vec![Diagnostic::new(&rules::BROKEN_WORKFLOW, origin, message).hint(hint)])
    };
    let workflow: Map<String, Value> = match yaml::read(text) {
        Ok(Value::Object(workflow)) => workflow,
        Ok(_) => {
            return reject(1, "the workflow is not a mapping".to_owned(), "begin with `name:`");
        }
        Err(error) => return reject(error.line, error.message, "fix the YAML"),
    };
    match text_of(workflow.get("name")).map(to_prompt_name).filter(|name| name::check(name).is_ok())
    {
        Some(name) => (Some(build_prompt(name, &workflow, source, text)), Vec::new()),
        None => reject(
            1,
            "the workflow has no valid name".to_owned(),
            "add a `name` of letters, digits, `_` and `-`",
        ),
    }
}

/// Replaces characters that clients do not accept in names, such as blanks, by `-`.
fn to_prompt_name(name: &str) -> String {
    let replace = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '-' }
    };
    name.trim().chars().map(replace).collect()
}

fn build_prompt(
    name: String,
    workflow: &Map<String, Value>,
    source: &SourceId,
    text: &str,
) -> Prompt {
    let mut writer = WorkflowWriter::default();
    writer.write_workflow(workflow);
    let description =
        text_of(workflow.get("description")).unwrap_or("A workflow").trim().to_owned();
    let tools = writer.segments.iter().filter_map(|segment| match segment {
        PromptSegment::Tool(name) => Some(name.clone()),
        PromptSegment::Text(_) => None,
    });
    let locate = |name: String| {
        // Parsed YAML values have no positions, so the first occurrence of the name is reported.
        let at = text.find(&name).unwrap_or(0);
        ToolReference { origin: Origin::offset(source, at), name }
    };
    let mut names: Vec<_> = tools.collect();
    names.sort();
    names.dedup();
    Prompt {
        name,
        description,
        arguments: PromptArguments::Named(Vec::new()),
        usage: None,
        examples: Vec::new(),
        tools: names.into_iter().map(locate).collect(),
        body: PromptBody::Text(writer.segments),
        origin: Origin::whole_file(source),
    }
}

/// Writes a workflow as Markdown.
#[derive(Default)]
struct WorkflowWriter {
    segments: Vec<PromptSegment>,
}

impl WorkflowWriter {
    fn push_text(&mut self, text: &str) {
        match self.segments.last_mut() {
            Some(PromptSegment::Text(last)) => last.push_str(text),
            _ => self.segments.push(PromptSegment::Text(text.to_owned())),
        }
    }

    fn push_tool(&mut self, name: &str) {
        self.push_text("`");
        self.segments.push(PromptSegment::Tool(name.to_owned()));
        self.push_text("`");
    }

    fn write_workflow(&mut self, workflow: &Map<String, Value>) {
        self.push_text(&format!(
            "# {}\n",
            text_of(workflow.get("name")).unwrap_or_default().trim()
        ));
        for key in ["description", "overview"] {
            if let Some(text) = text_of(workflow.get(key)) {
                self.push_text(&format!("\n{}\n", text.trim()));
            }
        }
        if let Some(tools) = workflow.get("mcp_tools").and_then(Value::as_array) {
            self.push_text("\nIt uses ");
            self.write_names(tools.iter().filter_map(Value::as_str));
            self.push_text(".\n");
        }
        if let Some(jobs) = workflow.get("jobs").and_then(Value::as_object) {
            self.push_text("\n## Steps\n");
            jobs.iter().for_each(|(name, job)| self.write_job(name, job));
        }
        for (key, heading) in SECTIONS {
            if let Some(value) = workflow.get(key).filter(|value| !value.is_null()) {
                self.push_text(&format!("\n## {heading}\n\n"));
                self.write_value(value, 0);
            }
        }
    }

    fn write_names<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for (index, name) in names.enumerate() {
            if index > 0 {
                self.push_text(", ");
            }
            self.push_tool(name);
        }
    }

    fn write_job(&mut self, name: &str, job: &Value) {
        let title = text_of(job.get("name")).unwrap_or(name);
        self.push_text(&format!("\n### {title}\n\n"));
        if let Some(description) = text_of(job.get("description")) {
            self.push_text(&format!("{}\n\n", description.trim()));
        }
        if let Some(needs) = job.get("needs").map(write_inline) {
            self.push_text(&format!("After: {needs}.\n\n"));
        }
        if let Some(condition) = job.get("if").map(write_inline) {
            self.push_text(&format!("Only if: {condition}.\n\n"));
        }
        for (index, step) in
            job.get("steps").and_then(Value::as_array).into_iter().flatten().enumerate()
        {
            self.write_step(index + 1, step);
        }
    }

    fn write_step(&mut self, number: usize, step: &Value) {
        self.push_text(&format!("{number}."));
        if let Some(name) = text_of(step.get("name")) {
            self.push_text(&format!(" **{}**", name.trim()));
        }
        if let Some(tool) = text_of(step.get("tool")) {
            self.push_text(" Call ");
            self.push_tool(tool);
            if let Some(with) = step.get("with") {
                self.push_text(&format!(" with `{with}`"));
            }
            self.push_text(".");
        }
        for key in ["action", "description"] {
            if let Some(text) = text_of(step.get(key)) {
                self.push_text(&format!(" {}", text.trim()));
            }
        }
        // The approval of a call is enforced elsewhere; this keeps the model from being surprised
        // by it.
        let is_true = |key: &str| step.get(key).and_then(Value::as_bool) == Some(true);
        if is_true("dangerous") || is_true("requires_approval") {
            self.push_text(" **Ask the user first.**");
        }
        self.push_text("\n");
        for (key, label) in STEP_DETAILS {
            if let Some(value) = step.get(key) {
                self.push_text(&format!("   - {label}: {}\n", write_inline(value)));
            }
        }
    }

    /// Writes any value as nested lists. The value of a key `tool` is a reference to a tool.
    fn write_value(&mut self, value: &Value, depth: usize) {
        let indent = "  ".repeat(depth);
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.write_item(item, depth)),
            Value::Object(members) => {
                for (key, value) in members {
                    self.push_text(&format!("{indent}- {}:", key.replace('_', " ")));
                    self.write_member(key, value, depth);
                }
            }
            value => self.push_text(&format!("{indent}{}\n", write_inline(value))),
        }
    }

    fn write_item(&mut self, item: &Value, depth: usize) {
        let indent = "  ".repeat(depth);
        match item {
            Value::Object(members) => {
                for (index, (key, value)) in members.iter().enumerate() {
                    let bullet = if index == 0 { "- " } else { "  " };
                    self.push_text(&format!("{indent}{bullet}{}:", key.replace('_', " ")));
                    self.write_member(key, value, depth);
                }
            }
            item => self.push_text(&format!("{indent}- {}\n", write_inline(item))),
        }
    }

    fn write_member(&mut self, key: &str, value: &Value, depth: usize) {
        match value {
            Value::String(name) if key == "tool" => {
                self.push_text(" ");
                self.push_tool(name);
                self.push_text("\n");
            }
            Value::Array(_) | Value::Object(_) => {
                self.push_text("\n");
                self.write_value(value, depth + 2);
            }
            value => self.push_text(&format!(" {}\n", write_inline(value))),
        }
    }
}

/// A string that is not blank.
fn text_of(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// Writes a value on one line.
fn write_inline(value: &Value) -> String {
    match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().map(write_inline).collect::<Vec<_>>().join(", ")
        }
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| format!("{key}: {}", write_inline(value)))
            .collect::<Vec<_>>()
            .join("; "),
        other => other.to_string(),
    }
}
