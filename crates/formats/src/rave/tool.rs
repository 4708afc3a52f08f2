//! Reads the fields of a definition into a tool.

use std::time::Duration;

use catalog::{
    Implementation, Location, Mode, NetworkAccess, Origin, Parameter, Schema, Severity, Tool,
    implementation::{Formal, RFunction},
    name,
};
use serde_json::{Map, Value as Json};

use super::{
    coerce::parse_bool,
    encoding::choose_encoding,
    normalize::SchemaNormalizer,
    rules::{MENDED_VALUE, MISSING_EXAMPLE, NO_PACKAGE},
};
use crate::{
    constraints,
    json::{Node, Value},
    object::{KnownFields, Object, report_wrong_type},
    report::{NodePath, Report, summarize},
    rules::definition::{BAD_NAME, IGNORED_FIELD, MISSING_FIELD, WRONG_TYPE},
    schema::SchemaCheck,
};

/// A tool whose example took longer than this is asynchronous: many clients give up on a call after
/// 30 to 60 seconds, and real arguments take longer than those of an example.
const MAX_SYNCHRONOUS: Duration = Duration::from_secs(10);

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
        &["implementation_example", "title", "mutates", "network", "version", "constraints"],
        IGNORED,
    ],
    critical: &["name", "parameters", "dangerous", "requires_approval", "constraints"],
};

/// Fields of older generators that have no effect.
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

    /// Reads the tool; none if it has an error.
    pub(super) fn read(mut self) -> Option<Tool> {
        let errors = self.report.errors();
        let name = self.read_name();
        self.report.tool = name.map(str::to_owned);
        self.object.check_known(&KNOWN, self.report);
        self.report_ignored();
        let description = self.read_description(name.unwrap_or_default());
        let input = self.read_input();
        let output = self.read_output();
        let [dangerous, requires_approval, mutates] =
            ["dangerous", "requires_approval", "mutates"].map(|key| self.read_safety_flag(key));
        let network = self.read_network();
        let measured = self.read_execution_time();
        let input = Schema::new(input);
        let constraints = constraints::read(&self.object, self.report);
        constraints::check_arguments(&constraints, &input, self.report);
        let example = self.read_example();
        let (category, version) = (self.read_text("category"), self.read_text("version"));
        let title = self.read_text("title").or_else(|| name.map(title_from_name));
        if self.report.errors() > errors {
            return None;
        }
        let name = name?;
        // Checked last, since a missing package is a warning about a tool that is otherwise usable.
        let implementation = self.bind_function(name, input.object());
        let origin = Origin {
            source: self.report.source().clone(),
            location: Location::Value(String::new()),
        };
        let mut tool = Tool::new(name, description, input, implementation, origin);
        tool.constraints = constraints;
        tool.parameters = locate_parameters(&tool.input);
        tool.title = title;
        tool.output = output.map(Schema::new);
        tool.description.transcript = example;
        tool.measured = measured;
        tool.mode = if measured.is_some_and(|took| took > MAX_SYNCHRONOUS) {
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

    fn read_name(&mut self) -> Option<&'n str> {
        let name = self.object.required("name", self.report)?;
        if let Err(problem) = name::check(name) {
            let found = self.report.at_value(
                &BAD_NAME,
                &NodePath::ROOT.key("name"),
                format!("`{name}` is not a valid tool name: {problem}"),
            );
            self.report.push(
                found.with_received(name).hint(
                    "clients accept ASCII letters, digits, `_`, `-` and `.`, up to 64 of them",
                ),
            );
            return None;
        }
        Some(name)
    }

    /// The description; a tool without one is described by its function.
    fn read_description(&mut self, name: &str) -> String {
        let errors = self.report.errors();
        if let Some(text) = self.read_text("description") {
            return text;
        }
        // A description of the wrong type has been reported as such.
        if self.report.errors() == errors {
            let at = if self.object.has("description") { "/description" } else { "" };
            let problem = self
                .report
                .at_pointer(&MISSING_FIELD, at, "the tool has no description")
                .severity(Severity::Warning);
            self.report.push(
                problem
                    .with_expected("string")
                    .hint("describe in a sentence what it does and when to use it"),
            );
        }
        format!("The R function `{name}`")
    }

    fn read_input(&mut self) -> Map<String, Json> {
        let at = NodePath::ROOT;
        let empty = Node { value: Value::Object(Vec::new()), span: self.object.node.span };
        let node = match self.object.node("parameters") {
            Some(node) if node.is_object() => node,
            Some(Node { value: Value::Null, .. }) | None => {
                let problem = self.report.at_value(
                    &MISSING_FIELD,
                    &at,
                    "missing field `parameters`; the tool takes no arguments",
                );
                self.report.push(
                    problem
                        .severity(Severity::Warning)
                        .hint("add `parameters: {type: object, properties: {}}`"),
                );
                &empty
            }
            // R does not distinguish an empty object from an empty array.
            Some(Node { value: Value::Array(items), .. }) if items.is_empty() => &empty,
            Some(node) => {
                report_wrong_type(node, &at.key("parameters"), "object", self.report);
                return Map::new();
            }
        };
        let at = at.key("parameters");
        let schema =
            SchemaNormalizer { text: self.text, report: self.report }.normalize_input(node, &at);
        self.check_schema(&schema, &at)
    }

    fn read_output(&mut self) -> Option<Map<String, Json>> {
        let node = self.object.node("returns").filter(|node| node.value != Value::Null)?;
        let at = NodePath::ROOT;
        let at = at.key("returns");
        let schema =
            SchemaNormalizer { text: self.text, report: self.report }.normalize_output(node, &at);
        Some(self.check_schema(&schema, &at)).filter(|schema| !schema.is_empty())
    }

    /// Checks a schema and returns it without locations.
    fn check_schema(&mut self, node: &Node<'_>, at: &NodePath<'_>) -> Map<String, Json> {
        SchemaCheck::new(node, self.report).run(at);
        match node.to_value() {
            Json::Object(mut schema) => {
                schema.remove("$schema");
                schema
            }
            _ => Map::new(),
        }
    }

    /// A safety flag. R and YAML spell booleans in many ways; any other value is an error, because
    /// it must not be taken for false.
    fn read_safety_flag(&mut self, key: &'static str) -> Option<bool> {
        let node = self.object.node(key).filter(|node| node.value != Value::Null)?;
        let converted = match &node.value {
            Value::Bool(value) => return Some(*value),
            Value::String(word) => parse_bool(word),
            Value::Number(number) => {
                number.as_i64().filter(|number| (0..=1).contains(number)).map(|number| number == 1)
            }
            _ => None,
        };
        let at = NodePath::ROOT;
        let at = at.key(key);
        let problem = match converted {
            Some(value) => {
                self.report.at_value(&MENDED_VALUE, &at, format!("`{key}` is read as {value}"))
            }
            None => self
                .report
                .at_value(&WRONG_TYPE, &at, format!("`{key}` is neither true nor false"))
                .with_expected("boolean"),
        };
        self.report.push(
            problem
                .with_received(summarize(node))
                .hint(format!("write `{key}: true` or `{key}: false`")),
        );
        converted
    }

    fn read_network(&mut self) -> Option<NetworkAccess> {
        let key = "network";
        let is_list =
            self.object.node(key).is_some_and(|node| matches!(node.value, Value::Array(_)));
        if is_list {
            return self.object.network(key, self.report);
        }
        self.read_safety_flag(key).map(Into::into)
    }

    /// A string. YAML reads `version: 1.10` as a number, so scalars are taken as spelled in the
    /// file.
    fn read_text(&mut self, key: &str) -> Option<String> {
        let node = self.object.node(key)?;
        match &node.value {
            Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Value::Null => None,
            // The number 1.10 would print as 1.1, a different version.
            Value::Bool(_) | Value::Number(_) => {
                self.text.get(node.span.range()).map(str::to_owned)
            }
            _ => {
                report_wrong_type(node, &NodePath::ROOT.key(key), "string", self.report);
                None
            }
        }
    }

    fn read_execution_time(&mut self) -> Option<Duration> {
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
                "`execution_time` is not a number of seconds",
            );
            self.report.push(problem.with_expected("number from 0").with_received(summarize(node)));
        }
        duration
    }

    /// The example. R's YAML writer emits a character vector as a list of lines.
    fn read_example(&mut self) -> Option<String> {
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

    fn report_ignored(&mut self) {
        for key in IGNORED.iter().filter(|key| self.object.has(key)) {
            let problem = self.report.at_key(
                &IGNORED_FIELD,
                &NodePath::ROOT.key(key),
                format!("`{key}` is ignored"),
            );
            self.report.push(problem.hint("no change is needed"));
        }
    }

    fn bind_function(&mut self, name: &str, input: &Map<String, Json>) -> Implementation {
        let Some((package, function)) = split_package(name, self.report.source().as_str()) else {
            let message =
                format!("`{name}` has no package, so the tool is documented but not served");
            let problem = self.report.at_value(&NO_PACKAGE, &NodePath::ROOT.key("name"), message);
            self.report.push(problem.with_received(name).hint("name it `PACKAGE-FUNCTION`"));
            return Implementation::Missing;
        };
        let properties = input.get("properties").and_then(Json::as_object).into_iter().flatten();
        let formals = properties.map(|(name, schema)| Formal {
            parameter: name.clone(),
            encoding: choose_encoding(schema),
        });
        Implementation::R(RFunction {
            package: package.to_owned(),
            function: function.to_owned(),
            sources: None,
            formals: formals.collect(),
        })
    }
}

/// Splits a name into package and function at its first hyphen; R identifiers have none. Some tools
/// have the package only in the name of their file.
fn split_package<'a>(name: &'a str, file: &'a str) -> Option<(&'a str, &'a str)> {
    let is_complete =
        |(package, function): &(&str, &str)| !package.is_empty() && !function.is_empty();
    if let Some(found) = name.split_once('-') {
        return Some(found).filter(is_complete);
    }
    let stem = file.rsplit('/').next()?.rsplit_once('.')?.0;
    stem.split_once('-').filter(|(package, function)| !package.is_empty() && *function == name)
}

/// A title for users, from the words of the function's name.
pub(super) fn title_from_name(name: &str) -> String {
    let function = name.split_once('-').map_or(name, |(_, function)| function);
    let words = function.strip_prefix("mcp_tool_").unwrap_or(function).replace(['_', '.'], " ");
    let words = words.trim();
    let mut letters = words.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_else(|| name.to_owned())
}

fn locate_parameters(input: &Schema) -> Vec<Parameter> {
    let at = NodePath::ROOT;
    let at = at.key("parameters");
    let at = at.key("properties");
    let locate = |name: &str| Location::Value(at.key(name).pointer());
    input
        .properties()
        .map(|(name, _)| Parameter { name: name.to_owned(), alias: None, location: locate(name) })
        .collect()
}
