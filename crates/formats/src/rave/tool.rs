//! The fields of a definition, put together to a tool.

use std::time::Duration;

use catalog::{
    Implementation, Location, Mode, Origin, Parameter, Schema, Severity, Tool,
    implementation::{Formal, RFunction},
    name,
};
use serde_json::{Map, Value as Json};

use super::{
    encoding::encoding,
    fit,
    rules::{MENDED_VALUE, MISSING_EXAMPLE, NO_PACKAGE},
    schema::Mender,
};
use crate::{
    json::{Node, Value},
    object::{KnownFields, Object, wrong_type},
    report::{NodePath, Report, summarize},
    rules::definition::{BAD_NAME, IGNORED_FIELD, MISSING_FIELD, WRONG_TYPE},
    schema::SchemaCheck,
};

/// A tool that takes longer than this answers with an operation.
const PATIENCE: Duration = Duration::from_secs(10);

const KNOWN: KnownFields = KnownFields {
    groups: &[
        &[
            "name",
            "description",
            "parameters",
            "category",
            "dangerous",
            "requires_approval",
            "returns",
            "execution_time",
        ],
        &["implementation_example", "title", "mutates", "network", "version"],
        IGNORED,
    ],
    critical: &["name", "parameters", "dangerous", "requires_approval"],
};

/// Fields that older generators wrote.
const IGNORED: &[&str] = &["output_format", "example_response"];

pub(super) struct ToolReader<'n, 'r> {
    object: Object<'n, 'static>,
    text: &'n str,
    report: &'r mut Report,
}

impl<'n, 'r> ToolReader<'n, 'r> {
    pub(super) fn new(root: &'n Node<'n>, text: &'n str, report: &'r mut Report) -> Self {
        Self { object: Object { node: root, at: &NodePath::ROOT }, text, report }
    }

    /// The tool, unless something of it is an error.
    pub(super) fn tool(mut self) -> Option<Tool> {
        let errors = self.report.errors();
        let name = self.name();
        self.report.tool = name.map(str::to_owned);
        self.object.check_known(&KNOWN, self.report);
        self.note_ignored();
        let description = self.description(name.unwrap_or_default());
        let input = self.input();
        let output = self.output();
        let [dangerous, requires_approval, mutates, network] =
            ["dangerous", "requires_approval", "mutates", "network"].map(|key| self.flag(key));
        let measured = self.measured();
        let example = self.example();
        let (category, version) = (self.words("category"), self.words("version"));
        let title = self.words("title").or_else(|| name.map(title));
        if self.report.errors() > errors {
            return None;
        }
        let name = name?;
        let implementation = self.implementation(name, &input);
        let origin = Origin {
            source: self.report.source().clone(),
            location: Location::Value(String::new()),
        };
        let mut tool = Tool::new(name, description, Schema::new(input), implementation, origin);
        tool.parameters = parameters(&tool.input);
        tool.title = title;
        tool.output = output.map(Schema::new);
        tool.description.transcript = example;
        tool.measured = measured;
        tool.mode = if measured.is_some_and(|took| took > PATIENCE) {
            Mode::Asynchronous
        } else {
            Mode::Synchronous
        };
        tool.annotations = catalog::Annotations {
            mutates,
            dangerous,
            idempotent: None,
            requires_approval,
            network,
            category,
            version,
        };
        Some(tool)
    }

    fn name(&mut self) -> Option<&'n str> {
        let name = self.object.required("name", self.report)?;
        if let Err(problem) = name::check(name) {
            let found = self.report.at_value(
                &BAD_NAME,
                &NodePath::ROOT.key("name"),
                format!("`{name}` cannot name a tool: {problem}"),
            );
            self.report.push(
                found
                    .received(name)
                    .hint("clients take ASCII letters, digits, `_`, `-` and `.`, up to 64 of them"),
            );
            return None;
        }
        Some(name)
    }

    /// A tool without a description says at least which function it is.
    fn description(&mut self, name: &str) -> String {
        let errors = self.report.errors();
        if let Some(text) = self.words("description") {
            return text;
        }
        if self.report.errors() == errors {
            let at = if self.object.has("description") { "/description" } else { "" };
            let problem = self
                .report
                .at_pointer(&MISSING_FIELD, at, "the tool has no description")
                .severity(Severity::Warning);
            self.report.push(
                problem
                    .expected("string")
                    .hint("say in a sentence what it does and when to use it"),
            );
        }
        format!("The R function `{name}`")
    }

    fn input(&mut self) -> Map<String, Json> {
        let at = NodePath::ROOT;
        let empty = Node { value: Value::Object(Vec::new()), span: self.object.node.span };
        let node = match self.object.node("parameters") {
            Some(node) if node.is_object() => node,
            Some(Node { value: Value::Null, .. }) | None => {
                let problem = self.report.at_value(
                    &MISSING_FIELD,
                    &at,
                    "`parameters` is missing; the tool takes none",
                );
                self.report.push(
                    problem
                        .severity(Severity::Warning)
                        .hint("add `parameters: {type: object, properties: {}}`"),
                );
                &empty
            }
            // R writes a list without items as an array.
            Some(Node { value: Value::Array(items), .. }) if items.is_empty() => &empty,
            Some(node) => {
                wrong_type(node, &at.key("parameters"), "object", self.report);
                return Map::new();
            }
        };
        let at = at.key("parameters");
        let mended = Mender { text: self.text, report: self.report }.parameters(node, &at);
        self.schema(&mended, &at)
    }

    fn output(&mut self) -> Option<Map<String, Json>> {
        let node = self.object.node("returns").filter(|node| node.value != Value::Null)?;
        let at = NodePath::ROOT;
        let at = at.key("returns");
        let mended = Mender { text: self.text, report: self.report }.returned(node, &at);
        Some(self.schema(&mended, &at)).filter(|schema| !schema.is_empty())
    }

    /// Looks a schema over, and has it without places.
    fn schema(&mut self, node: &Node<'_>, at: &NodePath<'_>) -> Map<String, Json> {
        SchemaCheck::new(node, self.report).run(at);
        match node.to_value() {
            Json::Object(mut schema) => {
                schema.remove("$schema");
                schema
            }
            _ => Map::new(),
        }
    }

    /// A safety flag. What cannot be understood is an error: it must not be taken for a no.
    fn flag(&mut self, key: &'static str) -> Option<bool> {
        let node = self.object.node(key).filter(|node| node.value != Value::Null)?;
        let spelled = match &node.value {
            Value::Bool(value) => return Some(*value),
            Value::String(word) => fit::truth(word),
            Value::Number(number) => {
                number.as_i64().filter(|number| (0..=1).contains(number)).map(|number| number == 1)
            }
            _ => None,
        };
        let at = NodePath::ROOT;
        let at = at.key(key);
        let problem = match spelled {
            Some(value) => {
                self.report.at_value(&MENDED_VALUE, &at, format!("`{key}` is read as {value}"))
            }
            None => self
                .report
                .at_value(&WRONG_TYPE, &at, format!("`{key}` is neither true nor false"))
                .expected("boolean"),
        };
        self.report.push(
            problem.received(summarize(node)).hint(format!("write `{key}: true` or leave it out")),
        );
        spelled
    }

    fn words(&mut self, key: &str) -> Option<String> {
        let node = self.object.node(key)?;
        match &node.value {
            Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Value::Null => None,
            Value::Bool(_) | Value::Number(_) => {
                self.text.get(node.span.range()).map(str::to_owned)
            }
            _ => {
                wrong_type(node, &NodePath::ROOT.key(key), "string", self.report);
                None
            }
        }
    }

    fn measured(&mut self) -> Option<Duration> {
        let node = self.object.node("execution_time").filter(|node| node.value != Value::Null)?;
        let seconds = match &node.value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        if duration.is_none() {
            let problem = self.report.at_value(
                &IGNORED_FIELD,
                &NodePath::ROOT.key("execution_time"),
                "`execution_time` is not a time",
            );
            self.report.push(problem.expected("seconds, from 0").received(summarize(node)));
        }
        duration
    }

    fn example(&mut self) -> Option<String> {
        let node = self.object.node("implementation_example");
        let lines = node
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::as_str)
            .collect::<Vec<_>>()
            .join("\n");
        let text = node.and_then(Node::as_str).unwrap_or(&lines).trim_end();
        if text.is_empty() {
            let problem = self.report.at_value(
                &MISSING_EXAMPLE,
                &NodePath::ROOT,
                "the tool has no `implementation_example`",
            );
            self.report.push(problem.hint("add `@examples` to the function and build again"));
            return None;
        }
        Some(text.to_owned())
    }

    fn note_ignored(&mut self) {
        for key in IGNORED.iter().filter(|key| self.object.has(key)) {
            let problem = self.report.at_key(
                &IGNORED_FIELD,
                &NodePath::ROOT.key(key),
                format!("`{key}` has no effect here"),
            );
            self.report.push(problem.hint("it may stay"));
        }
    }

    fn implementation(&mut self, name: &str, input: &Map<String, Json>) -> Implementation {
        let Some((package, function)) = package_of(name, self.report.source().as_str()) else {
            let message = format!(
                "`{name}` does not say which package it belongs to, so it is documented and not served"
            );
            let problem = self.report.at_value(&NO_PACKAGE, &NodePath::ROOT.key("name"), message);
            self.report.push(problem.received(name).hint("name it `PACKAGE-FUNCTION`"));
            return Implementation::Missing;
        };
        let properties = input.get("properties").and_then(Json::as_object).into_iter().flatten();
        let formals = properties
            .map(|(name, schema)| Formal { parameter: name.clone(), encoding: encoding(schema) });
        Implementation::R(RFunction {
            package: package.to_owned(),
            function: function.to_owned(),
            sources: None,
            formals: formals.collect(),
        })
    }
}

/// The package and the function: what stands on either side of the first hyphen of the name, else of
/// the name of the file.
fn package_of<'a>(name: &'a str, file: &'a str) -> Option<(&'a str, &'a str)> {
    let is_good = |(package, function): &(&str, &str)| !package.is_empty() && !function.is_empty();
    if let Some(found) = name.split_once('-') {
        return Some(found).filter(is_good);
    }
    let stem = file.rsplit('/').next()?.rsplit_once('.')?.0;
    stem.split_once('-').filter(|(package, function)| !package.is_empty() && *function == name)
}

/// A name for people: the words of the function's name.
pub(super) fn title(name: &str) -> String {
    let function = name.split_once('-').map_or(name, |(_, function)| function);
    let words = function.strip_prefix("mcp_tool_").unwrap_or(function).replace(['_', '.'], " ");
    let words = words.trim();
    let mut letters = words.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_else(|| name.to_owned())
}

fn parameters(input: &Schema) -> Vec<Parameter> {
    let at = NodePath::ROOT;
    let at = at.key("parameters");
    let at = at.key("properties");
    let place = |name: &str| Location::Value(at.key(name).pointer());
    input
        .properties()
        .map(|(name, _)| Parameter { name: name.to_owned(), alias: None, location: place(name) })
        .collect()
}
