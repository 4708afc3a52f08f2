//! Prompts in Markdown files with front matter.

use catalog::{Diagnostic, Origin, Rule, SourceId, closest, name};
use minijinja::Environment;
use serde_json::{Map, Value};

use super::{
    ArgumentDefinition, Prompt, PromptArguments, PromptBody, PromptExample, ToolReference,
    line_start, rules,
};
use crate::FrontMatter;

/// Maximum length of the first line of a description, in characters, so that it fits into a menu.
const MAX_SUMMARY: usize = 50;

const KEYS: [&str; 6] = ["title", "description", "arguments", "args", "usage", "examples"];

/// Reads a prompt, which is named after its file; none if it has an error.
pub fn read_prompt(source: &SourceId, bytes: &[u8]) -> (Option<Prompt>, Vec<Diagnostic>) {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = PromptReader { source, text: &text, diagnostics: Vec::new() };
    let prompt = reader.read(std::str::from_utf8(bytes).is_ok());
    let is_broken = reader.diagnostics.iter().any(Diagnostic::is_error);
    (prompt.filter(|_| !is_broken), reader.diagnostics)
}

struct PromptReader<'a> {
    source: &'a SourceId,
    text: &'a str,
    diagnostics: Vec<Diagnostic>,
}

impl PromptReader<'_> {
    fn report(
        &mut self,
        rule: &Rule,
        line: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let origin = Origin::offset(self.source, line_start(self.text, line));
        self.diagnostics.push(Diagnostic::new(rule, origin, message).hint(hint));
    }

    fn read(&mut self, is_utf8: bool) -> Option<Prompt> {
        let stem = self.source.as_str().rsplit('/').next().unwrap_or_default();
        let stem = stem.strip_suffix(".md").unwrap_or(stem).to_owned();
        if let Err(problem) = name::check(&stem) {
            let message = format!("`{stem}` is not a valid prompt name: {problem}");
            self.report(&rules::BROKEN_PROMPT, 1, message, "rename the file");
        }
        // The text was decoded lossily, so that the other problems are still reported.
        if !is_utf8 {
            self.report(&rules::BROKEN_PROMPT, 1, "the file is not UTF-8 text", "save it as UTF-8");
        }
        let front = match FrontMatter::parse(self.text) {
            Ok(front) => front,
            Err(error) => {
                self.report(
                    &rules::BROKEN_PROMPT,
                    error.line,
                    format!("invalid front matter: {}", error.message),
                    "fix the YAML",
                );
                return None;
            }
        };
        self.check_keys(&front);
        self.check_template(&front);
        Some(Prompt {
            name: stem,
            description: self.read_description(&front),
            arguments: self.read_arguments(&front.values),
            usage: front.text("usage").map(str::to_owned),
            examples: self.read_examples(front.values.get("examples")),
            body: PromptBody::Template { source: front.body.to_owned(), lines_before: front.lines },
            tools: self.find_tools(&front),
            origin: Origin::whole_file(self.source),
        })
    }

    /// The line of a key in the front matter, or 1. The parsed values have no locations.
    fn line_of(&self, key: &str) -> usize {
        let has_key = |line: &str| {
            line.split_once(':').is_some_and(|(before, _)| before.trim().eq_ignore_ascii_case(key))
        };
        self.text.lines().position(has_key).map_or(1, |index| index + 1)
    }

    /// Reports misspelled keys. Other unknown keys are accepted without a diagnostic, because
    /// prompts are shared with programs that have keys of their own.
    fn check_keys(&mut self, front: &FrontMatter<'_>) {
        for key in front.values.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            if let Some(near) = closest(key, KEYS) {
                self.report(
                    &rules::MISSPELLED_KEY,
                    self.line_of(key),
                    format!("unknown key `{key}`"),
                    format!("did you mean `{near}`?"),
                );
            }
        }
    }

    fn check_template(&mut self, front: &FrontMatter<'_>) {
        let environment = Environment::new();
        if let Err(error) = environment.template_from_str(front.body) {
            let line = front.lines + error.line().unwrap_or(1);
            let message = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
            self.report(
                &rules::BROKEN_TEMPLATE,
                line,
                message,
                "fix the template, or put literal braces inside `{% raw %}`",
            );
        }
    }

    /// Finds the tools that the template refers to by a literal name: `call("name")` and
    /// `tool("name")`.
    fn find_tools(&self, front: &FrontMatter<'_>) -> Vec<ToolReference> {
        let start = self.text.len() - front.body.len();
        let calls =
            ["call(", "tool("].into_iter().flat_map(|function| front.body.match_indices(function));
        let references = calls.filter_map(|(at, function)| {
            let argument = front.body[at + function.len()..].trim_start();
            // A computed name cannot be checked without rendering the template.
            let quote = argument.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let name =
                argument[1..].split(quote).next().filter(|name| name::check(name).is_ok())?;
            is_inside_tag(&front.body[..at]).then(|| ToolReference {
                name: name.to_owned(),
                origin: Origin::offset(self.source, start + at),
            })
        });
        references.collect()
    }

    fn read_description(&mut self, front: &FrontMatter<'_>) -> String {
        let Some(description) = front.text("description") else {
            self.report(
                &rules::MISSING_SUMMARY,
                1,
                "the prompt has no description",
                "add `description:` to the front matter",
            );
            return String::new();
        };
        let length = description.lines().next().unwrap_or_default().chars().count();
        if length > MAX_SUMMARY {
            let message = format!(
                "the first line of the description has {length} characters, more than {MAX_SUMMARY}"
            );
            self.report(
                &rules::LONG_SUMMARY,
                self.line_of("description"),
                message,
                "shorten it, and put details below a blank line",
            );
        }
        description.to_owned()
    }

    fn read_arguments(&mut self, values: &Map<String, Value>) -> PromptArguments {
        match (values.get("arguments"), values.get("args")) {
            (Some(_), Some(_)) => {
                let message = "the prompt has both `arguments` and `args`";
                self.report(
                    &rules::BROKEN_PROMPT,
                    self.line_of("args"),
                    message,
                    "keep `arguments` for named arguments, or `args` for a command line",
                );
                PromptArguments::Named(Vec::new())
            }
            (None, Some(Value::String(words))) => {
                PromptArguments::CommandLine(words.trim().to_owned())
            }
            // `args:` without a value is null.
            (None, Some(Value::Bool(true) | Value::Null)) => {
                PromptArguments::CommandLine("[args...]".to_owned())
            }
            (None, Some(_)) => {
                let hint = "describe the arguments, such as `args: <topic> [--short]`";
                self.report(
                    &rules::BROKEN_PROMPT,
                    self.line_of("args"),
                    "`args` is not a string",
                    hint,
                );
                PromptArguments::CommandLine(String::new())
            }
            (Some(Value::Array(arguments)), None) => {
                PromptArguments::Named(self.read_named(arguments))
            }
            (Some(_), None) => {
                let message = "`arguments` is not a list";
                self.report(
                    &rules::BROKEN_PROMPT,
                    self.line_of("arguments"),
                    message,
                    "begin each argument with `- name:`",
                );
                PromptArguments::Named(Vec::new())
            }
            (None, None) => PromptArguments::Named(Vec::new()),
        }
    }

    fn read_named(&mut self, values: &[Value]) -> Vec<ArgumentDefinition> {
        let mut arguments: Vec<ArgumentDefinition> = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let Some(argument) = read_argument(value) else {
                let message = format!("argument {} has no valid name", index + 1);
                let hint = "give it a `name` of letters, digits and `_`, and a `description`";
                self.report(&rules::BROKEN_PROMPT, self.line_of("arguments"), message, hint);
                continue;
            };
            if argument.description.is_none() {
                let message = format!("the argument `{}` has no description", argument.name);
                self.report(
                    &rules::UNDESCRIBED_ARGUMENT,
                    self.line_of("arguments"),
                    message,
                    "add a `description`",
                );
            }
            if arguments.iter().any(|other| other.name == argument.name) {
                let message = format!("there is more than one argument `{}`", argument.name);
                self.report(
                    &rules::BROKEN_PROMPT,
                    self.line_of("arguments"),
                    message,
                    "rename one of them",
                );
            }
            arguments.push(argument);
        }
        arguments
    }

    fn read_examples(&mut self, value: Option<&Value>) -> Vec<PromptExample> {
        let values = match value {
            None => return Vec::new(),
            Some(Value::Array(values)) => values,
            Some(_) => {
                self.report(
                    &rules::BROKEN_PROMPT,
                    self.line_of("examples"),
                    "`examples` is not a list",
                    "begin each example with `- call:`",
                );
                return Vec::new();
            }
        };
        let examples: Vec<_> = values.iter().filter_map(read_example).collect();
        if examples.len() < values.len() {
            let hint = "write each example as `- call: ARGUMENTS` with `shows: EXPLANATION`";
            self.report(&rules::BROKEN_PROMPT, self.line_of("examples"), "invalid example", hint);
        }
        examples
    }
}

/// Whether the text after `before` is inside of a template tag, judged by the last delimiter.
fn is_inside_tag(before: &str) -> bool {
    let find_last = |delimiters: [&str; 2]| {
        delimiters.into_iter().filter_map(|delimiter| before.rfind(delimiter)).max()
    };
    find_last(["{{", "{%"]) > find_last(["}}", "%}"])
}

fn read_argument(value: &Value) -> Option<ArgumentDefinition> {
    let text = |key: &str| value.get(key).and_then(to_text);
    let name = match value {
        Value::String(name) => name.clone(),
        _ => text("name")?,
    };
    // Templates can refer only to identifiers.
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let choices = value
        .get("choices")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(to_text)
        .collect();
    let required = value.get("required").and_then(Value::as_bool).unwrap_or(false);
    let argument = ArgumentDefinition {
        name,
        description: text("description"),
        required,
        default: text("default"),
        choices,
    };
    is_name.then_some(argument)
}

fn read_example(value: &Value) -> Option<PromptExample> {
    let text = |key: &str| value.get(key).and_then(to_text);
    match value {
        Value::String(call) => {
            Some(PromptExample { arguments: call.clone(), explanation: String::new() })
        }
        _ => Some(PromptExample {
            arguments: text("call")?,
            explanation: text("shows").unwrap_or_default(),
        }),
    }
}

/// A scalar as a string: authors write `default: 3` without quotes, but prompt arguments are
/// strings.
fn to_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}
