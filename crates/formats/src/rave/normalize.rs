//! Turns the schemas of a definition into valid JSON Schema, with a diagnostic for each change.
//!
//! Files come from several generations of R programs with known defects: empty lists become arrays,
//! lists of one item become that item, `required` repeats names, and types have R's names.
//! Rejecting such files would reject most of those in use.

use std::borrow::Cow;

use super::{
    coerce::to_json_type,
    rules::{HIDDEN_PARAMETER, MENDED_VALUE, PHANTOM_REQUIRED, UNTYPED},
};
use crate::{
    json::{Member, Node, Span, Value},
    object::report_wrong_type,
    report::{NodePath, Report, summarize},
    type_phrase,
};

/// Normalizes the schemas of one file.
pub(super) struct SchemaNormalizer<'t, 'r> {
    /// The whole file, for the original spelling of scalars.
    pub(super) text: &'t str,
    pub(super) report: &'r mut Report,
}

impl SchemaNormalizer<'_, '_> {
    /// Normalizes the schema of the arguments: an object that is closed unless it declares
    /// otherwise, without hidden parameters.
    pub(super) fn normalize_input<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Node<'a> {
        let properties = self.normalize_properties(node.get("properties"), &at.key("properties"));
        let required =
            self.normalize_required(node.get("required"), &properties, &at.key("required"));
        let properties_span =
            node.member("properties").map_or(node.span, |member| member.value.span);
        let mut members = vec![
            new_member("type", Value::String(Cow::Borrowed("object")), node.span),
            new_member("properties", Value::Object(properties), properties_span),
        ];
        if !required.is_empty() {
            members.push(new_member("required", Value::Array(required), node.span));
        }
        let is_other =
            |member: &&Member<'_>| !["type", "properties", "required"].contains(&&*member.key);
        members.extend(node.members().iter().filter(is_other).cloned());
        // R rejects unknown arguments, but with an error that a model cannot act on.
        if !members.iter().any(|member| member.key == "additionalProperties") {
            members.push(new_member("additionalProperties", Value::Bool(false), node.span));
        }
        Node { value: Value::Object(members), span: node.span }
    }

    fn normalize_properties<'a>(
        &mut self,
        node: Option<&Node<'a>>,
        at: &NodePath<'_>,
    ) -> Vec<Member<'a>> {
        let Some(node) = node else { return Vec::new() };
        let mut properties = Vec::new();
        for member in self.members(node, at) {
            let at = at.key(&member.key);
            if member.key.starts_with('.') {
                let message = format!("omitted the hidden parameter `{}`", member.key);
                self.report.push(
                    self.report
                        .at_key(&HIDDEN_PARAMETER, &at, message)
                        .hint("remove it: the server provides it"),
                );
                continue;
            }
            // A parameter with neither type nor enum is reported by a rule for all formats.
            if member.value.get("type").is_none() && member.value.get("enum").is_some() {
                let message = format!("the parameter `{}` has `enum` but no `type`", member.key);
                self.report.push(
                    self.report
                        .at_value(&UNTYPED, &at, message)
                        .hint("add the type of its values, such as `type: string`"),
                );
            }
            let value = self.normalize_schema(&member.value, &at);
            properties.push(Member { value, ..member.clone() });
        }
        properties
    }

    /// The members of an object. Reports other values, except for those that R writes for an empty
    /// list.
    fn members<'n, 'a>(&mut self, node: &'n Node<'a>, at: &NodePath<'_>) -> &'n [Member<'a>] {
        if !node.is_object() && !is_empty_list(node) {
            report_wrong_type(node, at, "object", self.report);
        }
        node.members()
    }

    /// Removes duplicates and names without a parameter, which would make every call invalid.
    /// Hidden parameters are removed without a diagnostic: there is one at the parameter.
    fn normalize_required<'a>(
        &mut self,
        node: Option<&Node<'a>>,
        properties: &[Member<'a>],
        at: &NodePath<'_>,
    ) -> Vec<Node<'a>> {
        let Some(node) = node else { return Vec::new() };
        let mut kept: Vec<Node<'a>> = Vec::new();
        for name in self.read_names(node, at) {
            let is_hidden = name.as_str().is_some_and(|text| text.starts_with('.'));
            let is_known = properties.iter().any(|member| Some(&*member.key) == name.as_str());
            let is_new = !kept.iter().any(|known| known.as_str() == name.as_str());
            if is_known && is_new {
                kept.push(name);
            } else if !is_hidden {
                let why =
                    if is_known { "is listed in `required` twice" } else { "is not a parameter" };
                let message = format!("`{}` {why}", display_value(&name));
                let problem = self.report.at_value(&PHANTOM_REQUIRED, at, message);
                self.report.push(problem.with_received(summarize(&name)).hint("remove it"));
            }
        }
        kept
    }

    /// The names of parameters as strings: YAML 1.1 reads the names `n` and `y` as booleans.
    fn read_names<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Vec<Node<'a>> {
        let items = self.read_list(node, at);
        items.iter().map(|name| to_text(name, self.text)).collect()
    }

    /// Normalizes the schema of a value, including the values it contains.
    fn normalize_schema<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Node<'a> {
        let Value::Object(members) = &node.value else {
            if is_empty_list(node) {
                return Node { value: Value::Object(Vec::new()), span: node.span };
            }
            return node.clone();
        };
        if node.get("items").is_none() && node.get("type").is_some_and(allows_array) {
            let message = "the array has no `items`, so it accepts items of any type";
            self.report.push(
                self.report
                    .at_value(&UNTYPED, at, message)
                    .hint("add the type of its items, such as `items: {type: string}`"),
            );
        }
        let mut kept = Vec::with_capacity(members.len());
        for member in members {
            let at = at.key(&member.key);
            let value = match &*member.key {
                "type" => Some(self.normalize_type(&member.value, &at)),
                "items" => Some(self.normalize_schema(&member.value, &at)),
                "properties" => Some(self.normalize_nested(&member.value, &at)),
                "required" => Some(Node {
                    value: Value::Array(self.read_names(&member.value, &at)),
                    span: member.value.span,
                }),
                // Generators write `description: ~` for undocumented parameters; null is not valid
                // here.
                "description" if member.value.value == Value::Null => None,
                "description" => Some(to_text(&member.value, self.text)),
                "default" => self.coerce_default(&member.value, node, &at),
                "enum" => self.coerce_choices(&member.value, node, &at),
                "examples" => self.coerce_examples(&member.value, node, &at),
                _ => Some(member.value.clone()),
            };
            kept.extend(value.map(|value| Member { value, ..member.clone() }));
        }
        Node { value: Value::Object(kept), span: node.span }
    }

    fn normalize_nested<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Node<'a> {
        let members = self.members(node, at).iter().map(|member| Member {
            value: self.normalize_schema(&member.value, &at.key(&member.key)),
            ..member.clone()
        });
        Node { value: Value::Object(members.collect()), span: node.span }
    }

    fn normalize_type<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Node<'a> {
        let name = node.as_str().unwrap_or_default();
        let json_type = to_json_type(name);
        if json_type == name {
            return node.clone();
        }
        self.report_converted(node, at, json_type);
        Node { value: Value::String(Cow::Owned(json_type.to_owned())), span: node.span }
    }

    /// Normalizes the schema of a result.
    pub(super) fn normalize_output<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Node<'a> {
        let mut node = self.normalize_schema(node, at);
        if let Value::Object(members) = &mut node.value {
            self.correct_type(members, at);
            let properties = members.iter_mut().find(|member| member.key == "properties");
            if let Some(Value::Object(parts)) = properties.map(|member| &mut member.value.value) {
                let at = at.key("properties");
                for part in parts {
                    part.value = self.normalize_output(&part.value, &at.key(&part.key));
                }
            }
        }
        node
    }

    /// Replaces a type that contradicts the description. Older generators derive the type from any
    /// word of the description, so that "Logical, whether the list was read" is declared an object;
    /// clients that validate results would then reject correct ones.
    fn correct_type<'a>(&mut self, members: &mut Vec<Member<'a>>, at: &NodePath<'_>) {
        let text = |key: &str| {
            members.iter().find(|member| member.key == key).and_then(|member| member.value.as_str())
        };
        let Some((declared, description)) = text("type").zip(text("description")) else {
            return;
        };
        let Some(stated) =
            type_phrase::parse_schema(description).filter(|schema| schema["type"] != declared)
        else {
            return;
        };
        // Generators add `items` and `properties` only if they parsed the structure, so that type
        // is right.
        let has_details =
            members.iter().any(|member| member.key == "properties" || member.key == "items");
        if has_details {
            return;
        }
        let message = format!(
            "the type is {declared}, but the description begins with {}, which is used instead",
            stated["type"]
        );
        self.report.push(
            self.report.at_value(&MENDED_VALUE, &at.key("type"), message).with_received(declared),
        );
        let span = members[0].value.span;
        members.retain(|member| member.key != "type");
        let corrected = stated.as_object().into_iter().flatten().map(|(key, value)| Member {
            key: Cow::Owned(key.clone()),
            key_span: span,
            value: Node::from_value(value, span),
        });
        members.splice(0..0, corrected);
    }
}

/// Whether R wrote an empty list or `NULL`: R does not distinguish an empty object from an empty
/// array.
fn is_empty_list(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Whether a `type` is or includes array.
fn allows_array(types: &Node<'_>) -> bool {
    let is_array =
        |node: &Node<'_>| node.as_str().is_some_and(|name| to_json_type(name) == "array");
    is_array(types) || types.items().iter().any(is_array)
}

/// A scalar as a string in its original spelling.
fn to_text<'a>(node: &Node<'a>, text: &str) -> Node<'a> {
    match (&node.value, text.get(node.span.range())) {
        (Value::Bool(_) | Value::Number(_), Some(word)) => {
            Node { value: Value::String(Cow::Owned(word.to_owned())), span: node.span }
        }
        _ => node.clone(),
    }
}

/// A member that is not in the file; problems with it are reported at `span`.
fn new_member<'a>(key: &'static str, value: Value<'a>, span: Span) -> Member<'a> {
    Member { key: Cow::Borrowed(key), key_span: span, value: Node { value, span } }
}

/// A value for a message.
pub(super) fn display_value(node: &Node<'_>) -> String {
    match summarize(node) {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    }
}
