//! What arguments a tool takes: from a JSON Schema, a table, a list or a statement that there are none.

use std::ops::Range;

use catalog::{Location, Parameter, spec_details::Section};
use serde_json::{Map, Value, json};

use super::{
    PageReader,
    assemble::{self, Rest},
    field::{Field, Required},
    gather::{Gathered, says_none},
    page::Kind,
    parts::{By, Part},
    rules::{
        CONDITIONAL_PARAMETER, ODD_DEFAULT, REPEATED_PARAMETER, TWO_SCHEMAS, UNREADABLE_PARAMETERS,
        UNREADABLE_SCHEMA, UNREADABLE_TYPE,
    },
    signature,
    written::{self, Schema},
};
use crate::json;

/// The arguments of a tool.
pub(super) struct Input {
    pub(super) schema: catalog::Schema,
    pub(super) parameters: Vec<Parameter>,
    /// The parameters that are said to be of any type.
    pub(super) anything: Vec<String>,
}

impl<'t> PageReader<'_, 't> {
    /// The arguments that the parts of a tool describe.
    pub(super) fn input(
        &mut self,
        parts: &[Part<'_>],
        heading: &Range<usize>,
        name: &str,
    ) -> Input {
        let mut gathered = Gathered::default();
        let is_input = |part: &&Part<'_>| part.section == Some(Section::Input);
        for part in parts.iter().filter(is_input) {
            self.gather(part, &mut gathered);
        }
        if gathered.is_empty() {
            self.gather_unlabelled(parts, &mut gathered);
        }
        self.tell_unread(&gathered);
        let schema = self.written_schema(&mut gathered, parts.iter().any(|part| is_input(&part)));
        let mut fields = self.sound_fields(gathered.fields());
        let is_silent =
            schema.is_none() && fields.is_empty() && !gathered.has_table && !gathered.says_none;
        let signature = if is_silent { self.signature(parts, heading, name) } else { None };
        let is_signed = signature.is_some();
        fields.extend(self.sound_fields(signature.unwrap_or_default()));
        match schema {
            Some(schema) => {
                self.compare(&fields, &schema);
                let parameters =
                    schema.properties.iter().map(|(name, span)| parameter(name, span)).collect();
                Input { schema: schema.object, parameters, anything: Vec::new() }
            }
            None if !fields.is_empty() || gathered.has_table || gathered.says_none || is_signed => {
                let parameters =
                    fields.iter().map(|field| parameter(&field.name, &field.span)).collect();
                let anything = fields
                    .iter()
                    .filter(|field| field.is_typed && field.schema.get("type").is_none())
                    .map(|field| field.name.clone());
                Input {
                    schema: catalog::Schema::new(assemble::object(&fields, Rest::Closed)),
                    parameters,
                    anything: anything.collect(),
                }
            }
            None => {
                let message = "nothing that can be read says what arguments the tool takes";
                let found = self.report.at_span(&UNREADABLE_PARAMETERS, heading.clone(), message);
                self.report.push(
                    found.hint("write a table `| Parameter Name | Type | Required | Description | Example Value |`, or `None`"),
                );
                Input {
                    schema: catalog::Schema::new(Map::from_iter([(
                        "type".to_owned(),
                        json!("object"),
                    )])),
                    parameters: Vec::new(),
                    anything: Vec::new(),
                }
            }
        }
    }

    /// The parameters as code writes them, in the heading or where nothing but the tool is spoken of.
    fn signature(
        &self,
        parts: &[Part<'_>],
        heading: &Range<usize>,
        name: &str,
    ) -> Option<Vec<Field>> {
        let is_of_code = |language: &str| matches!(language, "python" | "py" | "");
        let about = || {
            parts.iter().filter(|part| {
                matches!(part.section, None | Some(Section::Input | Section::InvocationName))
            })
        };
        let defined = about().flat_map(Part::blocks).find_map(|block| match &block.kind {
            Kind::Fence { language, content } if is_of_code(language) => {
                signature::defined(self.page.str(content), name, content.start)
            }
            _ => None,
        });
        let labelled =
            about().filter(|part| part.title.ends_with("signature")).flat_map(Part::texts);
        let mut headings = std::iter::once(heading).chain(labelled);
        defined.or_else(|| {
            headings.find_map(|span| signature::headed(self.page.str(span), name, span.start))
        })
    }

    /// Tells of tables and items that stand among parameters and are not read.
    fn tell_unread(&mut self, gathered: &Gathered<'_>) {
        let table = "nothing says what the fields of this table belong to, so they are not read";
        for span in &gathered.strays {
            let found = self.report.at_span(&UNREADABLE_PARAMETERS, self.page.trimmed(span), table);
            self.report.push(
                found.hint("name the parameter in the line before it: \"Fields of `options`:\""),
            );
        }
        let is_only =
            gathered.json.is_empty() && gathered.schemas.is_empty() && gathered.table.is_empty();
        for span in gathered.unread.iter().filter(|_| is_only) {
            let message =
                "no parameter can be read from this item, although others are listed beside it";
            let found =
                self.report.at_span(&UNREADABLE_PARAMETERS, self.page.trimmed(span), message);
            self.report
                .push(found.hint("write it as ``- `name` (string, required): what it means``"));
        }
    }

    /// Tables, schemas and statements right under the tool's heading.
    fn gather_unlabelled(&mut self, parts: &[Part<'_>], into: &mut Gathered<'t>) {
        for part in parts
            .iter()
            .filter(|part| part.by == By::Tool || part.section.is_none() && part.by == By::Label)
        {
            let mut own = Gathered::default();
            self.gather(part, &mut own);
            into.table.extend(own.table);
            into.has_table |= own.has_table;
            into.says_none |=
                part.by == By::Tool && part.texts().any(|span| says_none(self.page.str(span)));
            into.json.extend(own.json.into_iter().filter(|(written, _)| {
                written
                    .root
                    .as_ref()
                    .is_some_and(|root| written::input(root, written.base).is_some())
            }));
        }
    }

    /// The JSON Schema that is written out or linked; what cannot be used is told.
    fn written_schema(&mut self, gathered: &mut Gathered<'t>, is_section: bool) -> Option<Schema> {
        for (written, span) in &gathered.json {
            match &written.root {
                Some(root) => match written::input(root, written.base) {
                    Some(schema) => {
                        if let Some((message, at)) = &written.problem {
                            self.unusable(
                                &(*at..at + 1),
                                &format!(
                                    "this is no JSON: {}; it is read all the same",
                                    told(message)
                                ),
                            );
                        }
                        return self.usable(schema);
                    }
                    None if is_section && !written::is_call(&root.to_value()) => {
                        self.unusable(span, "this is no JSON Schema of an object")
                    }
                    None => {}
                },
                None => {
                    let (message, at) = written
                        .problem
                        .clone()
                        .unwrap_or_else(|| ("this is no JSON".to_owned(), span.start));
                    self.unusable(&(at..at + 1), &format!("this is no JSON: {}", told(&message)));
                    if let Some(schema) = written::without_gaps(self.page.str(span), span.start) {
                        return self.usable(schema);
                    }
                }
            }
        }
        if let Some(schema) = gathered.schemas.pop() {
            return self.usable(schema);
        }
        for span in gathered.foreign.iter().filter(|_| is_section) {
            self.unusable(&self.page.trimmed(span), "no parameters can be read from this");
        }
        gathered.links.iter().find_map(|(target, span)| self.linked_schema(target, span))
    }

    /// The schema in a file that the page links to.
    pub(super) fn linked_schema(&mut self, target: &str, span: &Range<usize>) -> Option<Schema> {
        let (file, pointer) = target.split_once('#').unwrap_or((target, ""));
        let text = match (self.linked)(file) {
            Ok(text) => text,
            Err(reason) => {
                let message = format!("the schema in `{file}` cannot be read: {reason}");
                let found = self.report.at_span(&UNREADABLE_SCHEMA, span.clone(), message);
                self.report.push(found.hint("correct the link, or write the schema here"));
                return None;
            }
        };
        let parsed = json::parse(&text);
        let root = parsed.root.filter(|_| !parsed.is_lossy).map(|root| root.to_value());
        let found = root.as_ref().and_then(|root| root.pointer(pointer)).and_then(Value::as_object);
        let Some(object) = found.filter(|object| {
            object.contains_key("properties") || object.get("type") == Some(&json!("object"))
        }) else {
            self.unusable(span, &format!("`{target}` holds no JSON Schema of an object"));
            return None;
        };
        let names =
            object.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
        let properties = names.map(|name| (name.clone(), span.clone())).collect();
        let mut object = object.clone();
        object.remove("$schema");
        self.usable(Schema { object: catalog::Schema::new(object), properties, span: span.clone() })
    }

    pub(super) fn usable(&mut self, schema: Schema) -> Option<Schema> {
        // The validator is kept with the schema, for whoever checks arguments by it.
        let problem = schema.object.validator().err().map(ToString::to_string);
        if let Some(problem) = &problem {
            self.unusable(&schema.span, &format!("this is no JSON Schema: {problem}"));
        }
        problem.is_none().then_some(schema)
    }

    pub(super) fn unusable(&mut self, span: &Range<usize>, message: &str) {
        let found = self.report.at_span(&UNREADABLE_SCHEMA, span.clone(), message);
        self.report.push(found.hint("write a JSON Schema of an object, without comments or `...`"));
    }

    /// Leaves out what stands there twice, and tells what is odd about each.
    fn sound_fields(&mut self, fields: Vec<Field>) -> Vec<Field> {
        let mut sound: Vec<Field> = Vec::new();
        for field in fields {
            let name = &field.name;
            if sound.iter().any(|known| known.name == *name) {
                let found = self.report.at_span(
                    &REPEATED_PARAMETER,
                    field.span.clone(),
                    format!("`{name}` is described twice"),
                );
                self.report.push(found.hint("keep one of the two"));
                continue;
            }
            self.odd(&field);
            sound.push(field);
        }
        sound
    }

    /// Tells what cannot be taken as it is written.
    pub(super) fn odd(&mut self, field: &Field) {
        let name = &field.name;
        if let Some(kind) = &field.unknown {
            let found = self.report.at_span(
                &UNREADABLE_TYPE,
                field.span.clone(),
                format!("the type of `{name}` cannot be read"),
            );
            let near = catalog::closest(
                kind,
                ["string", "integer", "number", "boolean", "object", "array"],
            );
            let hint = near.map_or_else(
                || "use a type of JSON Schema".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            self.report.push(found.received(kind.as_str()).hint(hint));
        }
        if let Some(default) = &field.odd_default {
            let found = self.report.at_span(
                &ODD_DEFAULT,
                field.span.clone(),
                format!("the default of `{name}` is not of its type"),
            );
            self.report
                .push(found.received(default.as_str()).hint("write a value of the type, as JSON"));
        }
        if let Required::Sometimes(when) = &field.required {
            let message = format!("`{name}` must be given only sometimes: {when}");
            self.report.push(
                self.report
                    .at_span(&CONDITIONAL_PARAMETER, field.span.clone(), message)
                    .hint("a JSON Schema can say when"),
            );
        }
    }

    /// Tells where a table and a JSON Schema disagree.
    fn compare(&mut self, fields: &[Field], schema: &Schema) {
        if fields.is_empty() {
            return;
        }
        let mut told = Vec::new();
        for field in fields.iter().filter(|field| !field.name.contains('.')) {
            let name = &field.name;
            let Some(property) = schema.object.property(name) else {
                told.push((
                    field.span.clone(),
                    format!("the table has `{name}`, the JSON Schema has not"),
                ));
                continue;
            };
            if let (Some(table), Some(schema)) =
                (types(&Value::Object(field.schema.clone())), types(property))
                && table != schema
            {
                told.push((
                    field.span.clone(),
                    format!(
                        "`{name}` is {} in the table and {} in the JSON Schema",
                        table.join(" or "),
                        schema.join(" or ")
                    ),
                ));
            }
            let is_required = schema.object.required().any(|known| known == name);
            if field.required == Required::Yes && !is_required
                || field.required == Required::No && is_required
            {
                told.push((
                    field.span.clone(),
                    format!("the table and the JSON Schema disagree whether `{name}` is required"),
                ));
            }
        }
        for (name, span) in schema
            .properties
            .iter()
            .filter(|(name, _)| fields.iter().all(|field| field.name != *name))
        {
            told.push((span.clone(), format!("the JSON Schema has `{name}`, the table has not")));
        }
        for (span, message) in told {
            self.report.push(
                self.report
                    .at_span(&TWO_SCHEMAS, span, message)
                    .hint("make the two say the same; the JSON Schema counts"),
            );
        }
    }
}

impl Gathered<'_> {
    fn is_empty(&self) -> bool {
        !self.has_table
            && !self.says_none
            && self.bullets.is_empty()
            && self.signatures.is_empty()
            && self.json.is_empty()
            && self.schemas.is_empty()
            && self.links.is_empty()
    }

    /// The fields by the most precise way they were written in.
    fn fields(&self) -> Vec<Field> {
        [&self.table, &self.bullets, &self.signatures]
            .into_iter()
            .find(|fields| !fields.is_empty())
            .cloned()
            .unwrap_or_default()
    }
}

/// A problem of JSON that is not a file of its own.
fn told(problem: &str) -> String {
    problem.replace("the file", "it")
}

fn parameter(name: &str, span: &Range<usize>) -> Parameter {
    Parameter { name: name.to_owned(), alias: None, location: Location::Span(span.clone()) }
}

/// The types that a schema names, in order; none if it does not say.
fn types(schema: &Value) -> Option<Vec<&str>> {
    let mut types = match schema.get("type")? {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    types.sort_unstable();
    Some(types)
}
