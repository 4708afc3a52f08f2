//! Prompts in Markdown files with front matter.

use catalog::{Diagnostic, Origin, Rule, SourceId, closest, name};
use minijinja::Environment;
use serde_json::{Map, Value};

use super::{
    ArgumentDefinition, Interface, Prompt, PromptBody, PromptExample, ToolReference, line_start,
    rules,
};
use crate::FrontMatter;

/// The longest first line of a description.
const SUMMARY: usize = 50;

const KEYS: [&str; 6] = ["title", "description", "arguments", "args", "usage", "examples"];

/// Reads a prompt. Its name is that of its file, without the extension.
pub fn read_prompt(source: &SourceId, bytes: &[u8]) -> (Option<Prompt>, Vec<Diagnostic>) {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader { source, text: &text, found: Vec::new() };
    let prompt = reader.prompt(std::str::from_utf8(bytes).is_ok());
    let is_broken = reader.found.iter().any(Diagnostic::is_error);
    (prompt.filter(|_| !is_broken), reader.found)
}

struct Reader<'a> {
    source: &'a SourceId,
    text: &'a str,
    found: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn report(
        &mut self,
        rule: &Rule,
        line: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let origin = Origin::offset(self.source, line_start(self.text, line));
        self.found.push(Diagnostic::new(rule, origin, message).hint(hint));
    }

    fn prompt(&mut self, is_utf8: bool) -> Option<Prompt> {
        let stem = self.source.as_str().rsplit('/').next().unwrap_or_default();
        let stem = stem.strip_suffix(".md").unwrap_or(stem).to_owned();
        if let Err(problem) = name::check(&stem) {
            let message = format!("`{stem}` cannot be the name of a prompt: {problem}");
            self.report(&rules::BROKEN_PROMPT, 1, message, "rename the file");
        }
        if !is_utf8 {
            self.report(&rules::BROKEN_PROMPT, 1, "the file is not UTF-8 text", "save it as UTF-8");
        }
        let front = match FrontMatter::of(self.text) {
            Ok(front) => front,
            Err(error) => {
                self.report(
                    &rules::BROKEN_PROMPT,
                    error.line,
                    format!("front matter: {}", error.message),
                    "mend the YAML",
                );
                return None;
            }
        };
        self.keys(&front);
        self.template(&front);
        Some(Prompt {
            name: stem,
            description: self.description(&front),
            interface: self.interface(&front.values),
            usage: front.text("usage").map(str::to_owned),
            examples: self.examples(front.values.get("examples")),
            body: PromptBody::Template { source: front.body.to_owned(), lines_before: front.lines },
            tools: self.tools(&front),
            origin: Origin::whole(self.source),
        })
    }

    /// The line of a key in the front matter.
    fn line(&self, key: &str) -> usize {
        let is_it = |line: &str| {
            line.split_once(':').is_some_and(|(before, _)| before.trim().eq_ignore_ascii_case(key))
        };
        self.text.lines().position(is_it).map_or(1, |index| index + 1)
    }

    fn keys(&mut self, front: &FrontMatter<'_>) {
        for key in front.values.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            if let Some(near) = closest(key, KEYS) {
                self.report(
                    &rules::MISSPELLED_KEY,
                    self.line(key),
                    format!("`{key}` means nothing"),
                    format!("did you mean `{near}`?"),
                );
            }
        }
    }

    fn template(&mut self, front: &FrontMatter<'_>) {
        let environment = Environment::new();
        if let Err(error) = environment.template_from_str(front.body) {
            let line = front.lines + error.line().unwrap_or(1);
            let message = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
            self.report(
                &rules::BROKEN_TEMPLATE,
                line,
                message,
                "mend the template, or write `{% raw %}` around text with braces",
            );
        }
    }

    /// The tools that the template names in so many words: `call("name")` and `tool("name")`.
    fn tools(&self, front: &FrontMatter<'_>) -> Vec<ToolReference> {
        let start = self.text.len() - front.body.len();
        let calls =
            ["call(", "tool("].into_iter().flat_map(|function| front.body.match_indices(function));
        let named = calls.filter_map(|(at, function)| {
            let argument = front.body[at + function.len()..].trim_start();
            let quote = argument.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let name =
                argument[1..].split(quote).next().filter(|name| name::check(name).is_ok())?;
            let is_code = in_code(&front.body[..at]);
            is_code.then(|| ToolReference {
                name: name.to_owned(),
                origin: Origin::offset(self.source, start + at),
            })
        });
        named.collect()
    }

    fn description(&mut self, front: &FrontMatter<'_>) -> String {
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
        if length > SUMMARY {
            let message = format!(
                "the first line of the description has {length} characters, more than {SUMMARY}"
            );
            self.report(
                &rules::LONG_SUMMARY,
                self.line("description"),
                message,
                "shorten it, and write the rest below an empty line",
            );
        }
        description.to_owned()
    }

    fn interface(&mut self, values: &Map<String, Value>) -> Interface {
        match (values.get("arguments"), values.get("args")) {
            (Some(_), Some(_)) => {
                let message = "the prompt has `arguments` and `args`";
                self.report(
                    &rules::BROKEN_PROMPT,
                    self.line("args"),
                    message,
                    "give arguments names, or take words, not both",
                );
                Interface::Named(Vec::new())
            }
            (None, Some(Value::String(words))) => Interface::Words(words.trim().to_owned()),
            (None, Some(Value::Bool(true) | Value::Null)) => {
                Interface::Words("[args...]".to_owned())
            }
            (None, Some(_)) => {
                let hint = "write what is meant, such as `args: <topic> [--short]`";
                self.report(&rules::BROKEN_PROMPT, self.line("args"), "`args` is not a text", hint);
                Interface::Words(String::new())
            }
            (Some(Value::Array(arguments)), None) => Interface::Named(self.arguments(arguments)),
            (Some(_), None) => {
                let message = "`arguments` is not a list";
                self.report(
                    &rules::BROKEN_PROMPT,
                    self.line("arguments"),
                    message,
                    "begin each argument with `- name:`",
                );
                Interface::Named(Vec::new())
            }
            (None, None) => Interface::Named(Vec::new()),
        }
    }

    fn arguments(&mut self, written: &[Value]) -> Vec<ArgumentDefinition> {
        let mut arguments: Vec<ArgumentDefinition> = Vec::new();
        for (index, value) in written.iter().enumerate() {
            let Some(argument) = argument(value) else {
                let message = format!("argument {} has no usable name", index + 1);
                let hint = "give it a `name` of letters, digits and `_`, and a `description`";
                self.report(&rules::BROKEN_PROMPT, self.line("arguments"), message, hint);
                continue;
            };
            if argument.description.is_none() {
                let message = format!("the argument `{}` has no description", argument.name);
                self.report(
                    &rules::UNDESCRIBED_ARGUMENT,
                    self.line("arguments"),
                    message,
                    "add a `description` to it",
                );
            }
            if arguments.iter().any(|other| other.name == argument.name) {
                let message = format!("two arguments are called `{}`", argument.name);
                self.report(
                    &rules::BROKEN_PROMPT,
                    self.line("arguments"),
                    message,
                    "rename one of them",
                );
            }
            arguments.push(argument);
        }
        arguments
    }

    fn examples(&mut self, written: Option<&Value>) -> Vec<PromptExample> {
        let written = match written {
            None => return Vec::new(),
            Some(Value::Array(written)) => written,
            Some(_) => {
                self.report(
                    &rules::BROKEN_PROMPT,
                    self.line("examples"),
                    "`examples` is not a list",
                    "begin each with `- call:`",
                );
                return Vec::new();
            }
        };
        let examples: Vec<_> = written.iter().filter_map(example).collect();
        if examples.len() < written.len() {
            let hint = "write each as `- call: words and options` with `shows: what it does`";
            self.report(
                &rules::BROKEN_PROMPT,
                self.line("examples"),
                "an example cannot be read",
                hint,
            );
        }
        examples
    }
}

/// Whether what follows `before` is code of the template, and not text.
fn in_code(before: &str) -> bool {
    let last = |annotations: [&str; 2]| {
        annotations.into_iter().filter_map(|mark| before.rfind(mark)).max()
    };
    last(["{{", "{%"]) > last(["}}", "%}"])
}

fn argument(value: &Value) -> Option<ArgumentDefinition> {
    let text = |key: &str| value.get(key).and_then(scalar);
    let name = match value {
        Value::String(name) => name.clone(),
        _ => text("name")?,
    };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let choices = value
        .get("choices")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(scalar)
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

fn example(value: &Value) -> Option<PromptExample> {
    let text = |key: &str| value.get(key).and_then(scalar);
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

/// A text, or a number or truth value as one.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}
