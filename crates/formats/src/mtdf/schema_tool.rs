//! The schema dialect: one tool whose arguments are declared by a JSON Schema, which is served
//! unchanged.

use std::collections::HashSet;

use catalog::implementation::{Binding, Piece, ValueKind};
use serde_json::{Map, Value as Json};

use super::{
    binding::{self, BindingContext},
    conflict,
    leaf::{Order, Positional},
    parameter,
    parameter_type::ParameterType,
    rules::{definition::SCHEMA_ALIAS, parameter::UNKNOWN_PARAMETER},
    tree::TreeReader,
};
use crate::{
    json::{Node, Value},
    object::{KnownFields, Object, did_you_mean, report_wrong_type, to_count},
    report::{NodePath, Report},
    rules::{
        definition::{BAD_NAME, IGNORED_FIELD},
        schema::NOT_AN_OBJECT_SCHEMA,
    },
    schema::{SchemaCheck, reference},
};

const ENTRY: KnownFields = KnownFields {
    groups: &[&["positional"], binding::FIELDS],
    critical: &["positional", "flag", "separator", "pass_by", "access", "double_dash"],
};

/// Sorts positionals without a number after those with one.
const LAST: u64 = u64::MAX;

impl<'n> TreeReader<'n, '_> {
    /// Builds a tool from a definition with a JSON Schema.
    pub(super) fn read_schema_tool(&mut self, object: &Object<'n, '_>, key: &'static str) {
        let errors = self.report.errors();
        self.report_alias(object, key);
        let at = object.at.key(key);
        let Some(schema) =
            object.node(key).filter(|node| node.is_object()).map(|node| Object { node, at: &at })
        else {
            return;
        };
        // Checked without compiling, so that all problems are found and located.
        check_root(&schema, self.report);
        SchemaCheck::new(schema.node, self.report).run(&at);
        let (options, positionals) = self.read_bindings(object, &schema);
        self.mark_broken_since(errors);
        let Some(mut tool) = self.begin_tool(object) else {
            return;
        };
        tool.parameters = locate_parameters(&schema);
        let settings = &self.current_level().settings;
        let order = Order {
            positional_first: settings.positional_first,
            double_dash: settings.double_dash,
        };
        let words = self.current_level().fixed_args.iter();
        let mut pieces: Vec<_> = words.map(|word| Piece::Word((*word).to_owned())).collect();
        order.arrange(options, positionals, &mut pieces);
        self.set_implementation(&mut tool, pieces);
        self.finish_tool(tool, to_served_schema(schema.node));
    }

    fn report_alias(&mut self, object: &Object<'n, '_>, key: &str) {
        let at = object.at.key("input_schema");
        if key == "input_schema" {
            let problem =
                self.report.at_key(&SCHEMA_ALIAS, &at, "`input_schema` is read as `inputSchema`");
            self.report.push(problem.hint("write `inputSchema`"));
        } else if object.has("input_schema") {
            let problem = self.report.at_key(
                &IGNORED_FIELD,
                &at,
                "`input_schema` is ignored because there is an `inputSchema`",
            );
            self.report.push(problem.hint("remove it"));
        }
    }

    /// The options and the positionals, each in command-line order.
    fn read_bindings(&mut self, object: &Object<'n, '_>, schema: &Object<'n, '_>) -> Bindings {
        let map = object.node("argv").filter(|node| node.is_object());
        let properties = schema.node("properties").map(Node::members).unwrap_or_default();
        let at = object.at.key("argv");
        self.check_argv(map, properties.iter().map(|member| &*member.key), &at);
        let mut bindings = Vec::with_capacity(properties.len());
        for property in properties {
            let name = &*property.key;
            check_name(name, schema, self.report);
            check_formats(name, &property.value, schema, self.report);
            let at = at.key(name);
            let entry = map
                .and_then(|map| map.get(name))
                .and_then(|node| Object::new(node, &at, self.report));
            let position = entry.and_then(|entry| read_position(&entry, self.report));
            let context = binding_context(name, position.is_some(), &property.value, schema.node);
            let (binding, has_double_dash) = match entry {
                Some(entry) => {
                    entry.check_known(&ENTRY, self.report);
                    let has_double_dash = context.read_double_dash(&entry, self.report);
                    (context.read(&entry, self.report), has_double_dash)
                }
                None => (context.default_binding(), false),
            };
            bindings.push((position, Positional { binding, has_double_dash }, at.pointer()));
        }
        let located =
            || bindings.iter().map(|(_, entry, pointer)| (&entry.binding, pointer.as_str()));
        conflict::check_flags(located(), self.report);
        conflict::check_stdin(located(), self.report);
        conflict::check_access(
            located(),
            &self.current_level().settings.annotations.clone(),
            self.report,
        );
        split_positionals(bindings)
    }

    fn check_argv<'a>(
        &mut self,
        map: Option<&Node<'_>>,
        names: impl Iterator<Item = &'a str> + Clone,
        at: &NodePath<'_>,
    ) {
        let members = map.map(Node::members).unwrap_or_default();
        if members.is_empty() {
            return;
        }
        let known: HashSet<_> = names.clone().collect();
        for member in members.iter().filter(|member| !known.contains(&*member.key)) {
            let near = catalog::closest(&member.key, names.clone());
            let hint = near
                .map_or_else(|| "add it to `properties`, or remove it".to_owned(), did_you_mean);
            let message = format!("`{}` is not a property of the schema", member.key);
            let problem = self.report.at_key(&UNKNOWN_PARAMETER, &at.key(&member.key), message);
            self.report.push(problem.hint(hint));
        }
    }
}

type Bindings = (Vec<Binding>, Vec<Positional>);

/// Separates options from positionals and sorts the latter by their number.
fn split_positionals(bindings: Vec<(Option<u64>, Positional, String)>) -> Bindings {
    let (mut options, mut positionals) = (Vec::new(), Vec::new());
    for (position, entry, _) in bindings {
        match position {
            Some(position) => positionals.push((position, entry)),
            None => options.push(entry.binding),
        }
    }
    positionals.sort_by_key(|(position, _)| *position);
    (options, positionals.into_iter().map(|(_, entry)| entry).collect())
}

fn check_name(name: &str, schema: &Object<'_, '_>, report: &mut Report) {
    if !parameter::is_name(name) {
        let message = format!("`{}` is not a valid parameter name", name.escape_debug());
        let problem = report.at_key(&BAD_NAME, &schema.at.key("properties").key(name), message);
        report.push(problem.with_expected("text without whitespace").with_received(name));
    }
}

/// Reports formats of a property, and of its items, that probably stand for `path`.
fn check_formats(name: &str, property: &Node<'_>, schema: &Object<'_, '_>, report: &mut Report) {
    let (properties, items) = (schema.at.key("properties"), "items");
    let at = properties.key(name);
    binding::check_format(property, &at, report);
    if let Some(node) = property.get(items) {
        binding::check_format(node, &at.key(items), report);
    }
}

fn check_root(schema: &Object<'_, '_>, report: &mut Report) {
    if schema.node("type").and_then(Node::as_str) != Some("object") {
        let problem = report.at_value(
            &NOT_AN_OBJECT_SCHEMA,
            &schema.at.key("type"),
            "the schema does not describe an object, but arguments are one",
        );
        report.push(
            problem.with_expected("`\"type\": \"object\"`").hint("add `\"type\": \"object\"`"),
        );
    }
}

/// The number of a positional; none for an option.
fn read_position(entry: &Object<'_, '_>, report: &mut Report) -> Option<u64> {
    let node = entry.node("positional")?;
    match (&node.value, to_count(node)) {
        (Value::Bool(true), _) => Some(LAST),
        (Value::Bool(false), _) => None,
        (_, Some(index)) => Some(index),
        _ => {
            report_wrong_type(
                node,
                &entry.at.key("positional"),
                "boolean or integer from 0",
                report,
            );
            None
        }
    }
}

fn binding_context<'n>(
    name: &'n str,
    is_positional: bool,
    property: &'n Node<'n>,
    root: &'n Node<'n>,
) -> BindingContext<'n> {
    // Whether a value is a path decides how it is sandboxed, so it must be found behind references
    // too.
    let property = reference::follow(property, root);
    let format = |node: &Node<'_>| {
        node.get("format").and_then(Node::as_str).map_or(ValueKind::Plain, binding::value_kind)
    };
    let own = format(property);
    let value_kind = match own {
        ValueKind::Plain => {
            property.get("items").map_or(own, |items| format(reference::follow(items, root)))
        }
        _ => own,
    };
    BindingContext {
        name,
        alias: None,
        is_positional,
        parameter_type: read_type(property),
        value_kind,
    }
}

/// The only type of a property besides `null`.
fn read_type(property: &Node<'_>) -> Option<ParameterType> {
    let node = property.get("type")?;
    let mut names = node
        .as_str()
        .into_iter()
        .chain(node.items().iter().filter_map(Node::as_str))
        .filter(|name| *name != "null");
    ParameterType::from_name(names.next()?).filter(|_| names.next().is_none())
}

/// The schema as declared, without `$schema`: every served schema has the dialect of the protocol.
fn to_served_schema(schema: &Node<'_>) -> Map<String, Json> {
    let members = schema.members().iter().filter(|member| member.key != "$schema");
    members.map(|member| (member.key.as_ref().to_owned(), member.value.to_value())).collect()
}

fn locate_parameters(schema: &Object<'_, '_>) -> Vec<catalog::Parameter> {
    let at = schema.at.key("properties");
    let properties = schema.node("properties").map(Node::members).unwrap_or_default();
    let locate = |name: &str| catalog::Parameter {
        name: name.to_owned(),
        alias: None,
        location: catalog::Location::Value(at.key(name).pointer()),
    };
    properties.iter().map(|property| locate(&property.key)).collect()
}
