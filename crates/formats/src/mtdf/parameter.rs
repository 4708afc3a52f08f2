//! Options and positional arguments.

use catalog::implementation::{Binding, ValueKind};
use serde_json::{Map, Value as Json};

use super::{
    binding::{self, BindingContext, FOLDER, value_kind},
    constraint,
    parameter_type::ParameterType,
    rules::{definition::CONTRADICTION, parameter::PATH_OR_VALUE},
};
use crate::{
    json::Node,
    object::{KnownFields, Object},
    report::Report,
    rules::definition::BAD_NAME,
};

const KNOWN: KnownFields = KnownFields {
    groups: &[
        &["name", "required", "alias", "file_arg", "file_flag", "secret"],
        constraint::FIELDS,
        binding::FIELDS,
    ],
    critical: &[
        "format",
        "required",
        "flag",
        "type",
        "alias",
        "pass_by",
        "file_flag",
        "access",
        "secret",
    ],
};

/// One parameter of a tool.
#[derive(Clone)]
pub(crate) struct Parameter<'n> {
    pub(crate) name: &'n str,
    pub(crate) alias: Option<&'n str>,
    /// The JSON pointer to its definition.
    pub(crate) pointer: String,
    pub(crate) schema: Map<String, Json>,
    pub(crate) is_required: bool,
    pub(crate) is_positional: bool,
    /// Whether `--` precedes it.
    pub(crate) has_double_dash: bool,
    pub(crate) binding: Binding,
}

impl Parameter<'_> {
    /// The binding and the JSON pointer to its definition, for conflict checks.
    pub(crate) fn located_binding(&self) -> (&Binding, &str) {
        (&self.binding, &self.pointer)
    }

    /// Converts it to the parameter of the model.
    pub(crate) fn to_model(&self) -> catalog::Parameter {
        catalog::Parameter {
            name: self.name.to_owned(),
            alias: self.alias.map(str::to_owned),
            location: catalog::Location::Value(self.pointer.clone()),
        }
    }
}

/// The list in which a parameter is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    Option,
    Positional,
}

/// Reads a parameter; none without a valid name and type.
pub(crate) fn read<'n>(
    object: &Object<'n, '_>,
    position: Position,
    report: &mut Report,
) -> Option<Parameter<'n>> {
    object.check_known(&KNOWN, report);
    let name = object.required("name", report).filter(|name| check_name(name, object, report));
    if !object.has("type") {
        object.report_missing(
            "type",
            "one of `string`, `integer`, `number`, `boolean`, `array`, `object`",
            report,
        );
    }
    let parameter_type = ParameterType::read(object, report);
    let is_required = object.flag("required", report).unwrap_or(false);
    let alias = object.non_blank("alias", report);
    let context = BindingContext {
        name: name.unwrap_or_default(),
        alias,
        is_positional: position == Position::Positional,
        parameter_type,
        value_kind: read_value_kind(object, report),
    };
    let mut binding = context.read(object, report);
    let has_double_dash = context.read_double_dash(object, report);
    context.read_file(object, &mut binding, report);
    // Read with a fallback type, so that problems of the other fields are reported too.
    let mut schema =
        constraint::read(object, parameter_type.unwrap_or(ParameterType::String), report);
    if object.flag("secret", report) == Some(true) {
        schema.insert("writeOnly".to_owned(), true.into());
    }
    // Checked last, so that one run reports the problems of all fields.
    let (name, parameter_type) = (name?, parameter_type?);
    if name == FOLDER && parameter_type != ParameterType::String {
        let message =
            format!("`{FOLDER}` is the working directory of the program and must be a string");
        report.push(
            report
                .at_value(&CONTRADICTION, &object.at.key("type"), message)
                .with_expected("string")
                .with_received(parameter_type.as_str()),
        );
    }
    Some(Parameter {
        name,
        alias,
        pointer: object.at.pointer(),
        schema,
        is_required,
        is_positional: position == Position::Positional,
        has_double_dash,
        binding,
    })
}

/// Whether a text can be a parameter's name. A flag is derived from it, so whitespace is excluded.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

fn check_name(name: &str, object: &Object<'_, '_>, report: &mut Report) -> bool {
    let is_valid = is_name(name);
    if !is_valid {
        let problem = report.at_value(
            &BAD_NAME,
            &object.at.key("name"),
            format!("`{}` is not a valid parameter name", name.escape_debug()),
        );
        report.push(problem.with_expected("text without whitespace").with_received(name));
    }
    is_valid
}

/// Whether the value is a path, by `format` of the parameter or of its items.
fn read_value_kind(object: &Object<'_, '_>, report: &mut Report) -> ValueKind {
    let format = |node: &Node<'_>| {
        node.get("format").and_then(Node::as_str).map_or(ValueKind::Plain, value_kind)
    };
    binding::check_format(object.node, object.at, report);
    if let Some(items) = object.node("items") {
        binding::check_format(items, &object.at.key("items"), report);
    }
    let own = format(object.node);
    let found =
        if own == ValueKind::Plain { object.node("items").map_or(own, format) } else { own };
    if found == ValueKind::PathOrValue {
        let message = "a value that looks like a path is sandboxed like one";
        let at = object.at.key("format");
        report.push(
            report.at_value(&PATH_OR_VALUE, &at, message).hint("use `path` if it is always a path"),
        );
    }
    found
}
