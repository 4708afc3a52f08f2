//! The schemas in a definition, mended: what older generators are known to write wrongly.

use std::borrow::Cow;

use super::{
    fit::{Fit, fit},
    rules::{HIDDEN_PARAMETER, MENDED_VALUE, PHANTOM_REQUIRED, UNFIT_VALUE, UNTYPED},
};
use crate::{
    json::{Member, Node, Value},
    object::wrong_type,
    report::{NodePath, Report, summarize},
    type_phrase,
};

/// Mends the schemas of one file.
pub(super) struct Mender<'t, 'r> {
    /// The whole file.
    pub(super) text: &'t str,
    pub(super) report: &'r mut Report,
}

impl Mender<'_, '_> {
    /// The schema of the arguments: closed, without hidden parameters.
    pub(super) fn parameters<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Node<'a> {
        let mut members = vec![made("type", Value::String(Cow::Borrowed("object")), node)];
        members.extend(
            node.members()
                .iter()
                .filter(|member| !["type", "properties", "required"].contains(&&*member.key))
                .cloned(),
        );
        let properties = self.properties(node.get("properties"), &at.key("properties"));
        let required = self.required(node.get("required"), &properties, &at.key("required"));
        let place = node.member("properties").map_or(node.span, |member| member.value.span);
        members.insert(
            1,
            made(
                "properties",
                Value::Object(properties),
                &Node { value: Value::Null, span: place },
            ),
        );
        if !required.is_empty() {
            members.insert(2, made("required", Value::Array(required), node));
        }
        if !members.iter().any(|member| member.key == "additionalProperties") {
            members.push(made("additionalProperties", Value::Bool(false), node));
        }
        Node { value: Value::Object(members), span: node.span }
    }

    fn properties<'a>(&mut self, node: Option<&Node<'a>>, at: &NodePath<'_>) -> Vec<Member<'a>> {
        let Some(node) = node else { return Vec::new() };
        let mut properties = Vec::new();
        for member in self.members(node, at) {
            let at = at.key(&member.key);
            if member.key.starts_with('.') {
                let message = format!("`{}` is hidden from callers and left out", member.key);
                self.report.push(
                    self.report
                        .at_key(&HIDDEN_PARAMETER, &at, message)
                        .hint("remove it: R provides it"),
                );
                continue;
            }
            // One that says nothing at all is noticed in any format.
            if member.value.get("type").is_none() && member.value.get("enum").is_some() {
                let message = format!("the parameter `{}` has choices and no type", member.key);
                self.report.push(
                    self.report
                        .at_value(&UNTYPED, &at, message)
                        .hint("add `type: string`, or what it is"),
                );
            }
            properties.push(Member { value: self.schema(&member.value, &at), ..member.clone() });
        }
        properties
    }

    /// The members of an object; R writes one without any as an array, and nothing as null.
    fn members<'n, 'a>(&mut self, node: &'n Node<'a>, at: &NodePath<'_>) -> &'n [Member<'a>] {
        let is_nothing = matches!(&node.value, Value::Null)
            || matches!(&node.value, Value::Array(items) if items.is_empty());
        if !node.is_object() && !is_nothing {
            wrong_type(node, at, "object", self.report);
        }
        node.members()
    }

    fn required<'a>(
        &mut self,
        node: Option<&Node<'a>>,
        properties: &[Member<'a>],
        at: &NodePath<'_>,
    ) -> Vec<Node<'a>> {
        let Some(node) = node else { return Vec::new() };
        let mut kept: Vec<Node<'a>> = Vec::new();
        for name in self.names(node, at) {
            let is_hidden = name.as_str().is_some_and(|text| text.starts_with('.'));
            let is_known = properties.iter().any(|member| Some(&*member.key) == name.as_str());
            let is_new = !kept.iter().any(|known| known.as_str() == name.as_str());
            match is_known && is_new {
                true => kept.push(name),
                false if is_hidden => {}
                false => {
                    let why = if is_known {
                        "stands in `required` twice"
                    } else {
                        "is required and not a parameter"
                    };
                    let problem = self.report.at_value(
                        &PHANTOM_REQUIRED,
                        at,
                        format!("`{}` {why}", plain(&name)),
                    );
                    self.report.push(problem.received(summarize(&name)).hint("remove it"));
                }
            }
        }
        kept
    }

    /// Names of parameters, which are text as keys are, even if they are called `n` or `y`.
    fn names<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Vec<Node<'a>> {
        let listed = self.listed(node, at);
        listed.iter().map(|name| spelled_out(name, self.text)).collect()
    }

    /// A schema of a value, with everything in it that is said about values of its type.
    pub(super) fn schema<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Node<'a> {
        let Value::Object(members) = &node.value else {
            // R writes an empty list as an array, and nothing as null.
            let is_empty = matches!(&node.value, Value::Null)
                || matches!(&node.value, Value::Array(items) if items.is_empty());
            return if is_empty {
                Node { value: Value::Object(Vec::new()), span: node.span }
            } else {
                node.clone()
            };
        };
        if node.get("items").is_none() && node.get("type").is_some_and(is_array) {
            let message = "the array does not say what it is made of, so it takes anything";
            self.report.push(
                self.report
                    .at_value(&UNTYPED, at, message)
                    .hint("add `items: {type: string}`, or what they are"),
            );
        }
        let mut kept = Vec::with_capacity(members.len());
        for member in members {
            let at = at.key(&member.key);
            let value = match &*member.key {
                "type" => Some(self.kind(&member.value, &at)),
                "items" => Some(self.schema(&member.value, &at)),
                "properties" => Some(self.nested(&member.value, &at)),
                "required" => Some(Node {
                    value: Value::Array(self.names(&member.value, &at)),
                    span: member.value.span,
                }),
                "description" if member.value.value == Value::Null => None,
                "description" => Some(spelled_out(&member.value, self.text)),
                "default" => self.default(&member.value, node, &at),
                "enum" => self.values(&member.value, node, &at, |_, _, _| None),
                "examples" => self.values(&member.value, node, &at, of_an_item),
                _ => Some(member.value.clone()),
            };
            kept.extend(value.map(|value| Member { value, ..member.clone() }));
        }
        Node { value: Value::Object(kept), span: node.span }
    }

    /// A type; R's own words for types are clear enough.
    fn kind<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Node<'a> {
        let meant = match node.as_str() {
            Some("character") => "string",
            Some("numeric" | "double" | "float") => "number",
            Some("int") => "integer",
            Some("logical" | "bool") => "boolean",
            Some("list" | "environment") => "object",
            Some("vector") => "array",
            _ => return node.clone(),
        };
        self.mended(node, at, meant);
        Node { value: Value::String(Cow::Borrowed(meant)), span: node.span }
    }

    /// A schema of what is returned, with the type that its text begins with: older generators let a later word win. A
    /// wrong one would make clients refuse good results.
    pub(super) fn returned<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Node<'a> {
        let mut node = self.schema(node, at);
        if let Value::Object(members) = &mut node.value {
            self.retype(members, at);
            let properties = members.iter_mut().find(|member| member.key == "properties");
            if let Some(Value::Object(parts)) = properties.map(|member| &mut member.value.value) {
                let at = at.key("properties");
                for part in parts {
                    part.value = self.returned(&part.value, &at.key(&part.key));
                }
            }
        }
        node
    }

    fn retype<'a>(&mut self, members: &mut Vec<Member<'a>>, at: &NodePath<'_>) {
        let text = |key: &str| {
            members.iter().find(|member| member.key == key).and_then(|member| member.value.as_str())
        };
        let Some((kind, description)) = text("type").zip(text("description")) else {
            return;
        };
        let Some(said) =
            type_phrase::stated_schema(description).filter(|said| said["type"] != kind)
        else {
            return;
        };
        let is_described =
            members.iter().any(|member| member.key == "properties" || member.key == "items");
        if is_described {
            return;
        }
        let message = format!(
            "the text says {}, the type is {kind}; it is read as the text says",
            said["type"]
        );
        self.report
            .push(self.report.at_value(&MENDED_VALUE, &at.key("type"), message).received(kind));
        let place = members[0].value.span;
        members.retain(|member| member.key != "type");
        for (key, value) in said.as_object().into_iter().flatten().rev() {
            let member = Member {
                key: Cow::Owned(key.clone()),
                key_span: place,
                value: Node::from_value(value, place),
            };
            members.insert(0, member);
        }
    }

    fn nested<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Node<'a> {
        let members = self.members(node, at);
        let mend = |member: &Member<'a>| Member {
            value: self.schema(&member.value, &at.key(&member.key)),
            ..member.clone()
        };
        let members = members.iter().map(mend).collect();
        Node { value: Value::Object(members), span: node.span }
    }

    fn default<'a>(
        &mut self,
        node: &Node<'a>,
        schema: &Node<'a>,
        at: &NodePath<'_>,
    ) -> Option<Node<'a>> {
        if node.value == Value::Null {
            return Some(node.clone());
        }
        let value = match fit(node, schema, self.text) {
            Fit::Good(value) => value,
            Fit::Mended(value) => {
                self.mended(node, at, &value.to_value().to_string());
                value
            }
            Fit::Unfit => return self.unfit(node, at, "does not fit the parameter's type"),
        };
        match is_a_choice(&value, schema, self.text) {
            true => Some(value),
            false => self.unfit(node, at, "is none of the values of `enum`"),
        }
    }

    fn unfit<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>, why: &str) -> Option<Node<'a>> {
        let message =
            format!("`{}` {why}; it is left out, and R's own default is used", plain(node));
        self.report.push(
            self.report
                .at_value(&UNFIT_VALUE, at, message)
                .received(summarize(node))
                .hint("correct it or remove it"),
        );
        None
    }

    /// The values that fit, or that `otherwise` makes fit.
    fn values<'a>(
        &mut self,
        node: &Node<'a>,
        schema: &Node<'a>,
        at: &NodePath<'_>,
        otherwise: fn(&Node<'a>, &Node<'a>, &str) -> Option<Node<'a>>,
    ) -> Option<Node<'a>> {
        let (mut kept, mut mended) = (Vec::new(), Vec::new());
        for (index, item) in self.listed(node, at).iter().enumerate() {
            match fit(item, schema, self.text) {
                Fit::Good(value) => kept.push(value),
                Fit::Mended(value) => {
                    mended.push(value.to_value().to_string());
                    kept.push(value);
                }
                Fit::Unfit if let Some(value) = otherwise(item, schema, self.text) => {
                    kept.push(value)
                }
                Fit::Unfit => {
                    let at = at.index(index);
                    let message = format!(
                        "`{}` does not fit the parameter's type and is left out",
                        plain(item)
                    );
                    self.report.push(
                        self.report
                            .at_value(&UNFIT_VALUE, &at, message)
                            .received(summarize(item))
                            .hint("correct it"),
                    );
                }
            }
        }
        if !mended.is_empty() {
            self.mended(node, at, &mended.join(", "));
        }
        (!kept.is_empty()).then_some(Node { value: Value::Array(kept), span: node.span })
    }

    fn mended(&mut self, node: &Node<'_>, at: &NodePath<'_>, meant: &str) {
        let message =
            format!("this is spelled as something else than is meant, and is read as `{meant}`");
        self.report
            .push(self.report.at_value(&MENDED_VALUE, at, message).received(summarize(node)));
    }

    /// The items of a list. R writes a list of one as its item, and a list with names as an object.
    fn listed<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Vec<Node<'a>> {
        let items: Vec<_> = match &node.value {
            Value::Array(items) => return items.clone(),
            Value::Null => return Vec::new(),
            Value::Object(members) => members.iter().map(|member| member.value.clone()).collect(),
            _ => vec![node.clone()],
        };
        self.report.push(
            self.report
                .at_value(&MENDED_VALUE, at, "a list is meant, and it is read as one")
                .received(summarize(node)),
        );
        items
    }
}

/// Whether a type is that of an array, or allows one.
fn is_array(kind: &Node<'_>) -> bool {
    let is = |kind: &Node<'_>| matches!(kind.as_str(), Some("array" | "vector"));
    is(kind) || matches!(&kind.value, Value::Array(kinds) if kinds.iter().any(is))
}

/// A text; a word that YAML takes for something else is one, too.
fn spelled_out<'a>(node: &Node<'a>, text: &str) -> Node<'a> {
    match (&node.value, text.get(node.span.range())) {
        (Value::Bool(_) | Value::Number(_), Some(word)) => {
            Node { value: Value::String(Cow::Owned(word.to_owned())), span: node.span }
        }
        _ => node.clone(),
    }
}

/// An example of an array may be one of its items.
fn of_an_item<'a>(item: &Node<'a>, schema: &Node<'a>, text: &str) -> Option<Node<'a>> {
    match fit(item, schema.get("items")?, text) {
        Fit::Good(value) | Fit::Mended(value) => {
            Some(Node { span: item.span, value: Value::Array(vec![value]) })
        }
        Fit::Unfit => None,
    }
}

fn is_a_choice(value: &Node<'_>, schema: &Node<'_>, text: &str) -> bool {
    let Some(choices) = schema.get("enum").map(Node::items).filter(|items| !items.is_empty())
    else {
        return true;
    };
    let is_value = |choice: &Node<'_>| match fit(choice, schema, text) {
        Fit::Good(choice) | Fit::Mended(choice) => choice.value == value.value,
        Fit::Unfit => false,
    };
    choices.iter().any(is_value)
}

fn made<'a>(key: &'static str, value: Value<'a>, beside: &Node<'a>) -> Member<'a> {
    Member {
        key: Cow::Borrowed(key),
        key_span: beside.span,
        value: Node { value, span: beside.span },
    }
}

/// A value as a message shows it.
fn plain(node: &Node<'_>) -> String {
    match summarize(node) {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    }
}
